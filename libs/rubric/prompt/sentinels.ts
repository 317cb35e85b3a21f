import { randomBytes } from 'node:crypto';

export const LABELS = ['CANDIDATE_OUTPUT', 'GROUND_TRUTH', 'ORIGINAL_INPUT', 'METADATA'] as const;
export type Label = (typeof LABELS)[number];

/** Draws a code that nobody who wrote the quoted texts could know. */
export type DrawCode = () => string;

const drawCode: DrawCode = () => randomBytes(12).toString('hex');

/** The lines that fence untrusted text within one request. */
export class Sentinels {
  private constructor(private readonly code: string) {}

  /** Draws until the code stands in none of the texts. */
  static drawFor(texts: readonly string[], draw: DrawCode = drawCode): Sentinels {
    for (;;) {
      const code = draw();
      if (!texts.some((text) => text.includes(code))) return new Sentinels(code);
    }
  }

  open(label: Label): string {
    return `<<<BEGIN_${label}_${this.code}>>>`;
  }

  close(label: Label): string {
    return `<<<END_${label}_${this.code}>>>`;
  }

  quote(label: Label, text: string): string {
    return `${this.open(label)}\n${neutralize(text)}\n${this.close(label)}`;
  }
}

/**
 * Brackets of any script that could be taken for the beginning of a marker, invisible characters among them. Bounded, so
 * that a text of a million brackets is read in one pass.
 */
const MARKER_START =
  /(?:[<＜‹«⟨〈《][\s\u200b-\u200f\u2060\ufeff]{0,3}){3,12}(?=\/?[\s\u200b-\u200f\u2060\ufeff]{0,3}(?:BEGIN|END)(?![a-z]))/giu;
/** What chat templates of open models are made of: `<|im_end|>`, `<|eot_id|>`, `[INST]`. */
const TEMPLATE_TOKEN = /<([|｜])([^<>|｜\n]{1,40})([|｜])>/gu;
const INSTRUCTION_TOKEN = /\[(\/?)(INST|SYS)\]/g;

/**
 * Takes the look of a marker, or of a chat template's own tokens, from quoted text. It stays readable: the brackets are
 * only set apart. The code in the markers is what keeps text in its fence; this keeps a judge from being misled by less.
 */
export function neutralize(text: string): string {
  return text
    .replace(MARKER_START, (brackets) => `${[...brackets.replace(/[\s\u200b-\u200f\u2060\ufeff]/gu, '')].join(' ')} `)
    .replace(TEMPLATE_TOKEN, '< $1 $2 $3 >')
    .replace(INSTRUCTION_TOKEN, '[ $1$2 ]');
}
