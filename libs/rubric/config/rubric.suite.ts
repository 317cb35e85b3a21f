import type { ModelInfo } from '../model.info.js';
import { RubricFileError, type FileProblem } from './file.problem.js';

/** One rubric of a file, its document's defaults filled in. */
export interface RubricConfig {
  readonly rubricId: string;
  readonly rubricText: string;
  readonly modelInfo: ModelInfo;
  readonly scoreMin: number | null;
  readonly scoreMax: number | null;
  readonly systemPrompt: string | null;
  readonly originalInput: string | null;
  readonly groundTruth: string | null;
  /** `path:label`. */
  readonly sourceLabel: string;
}

/** Something that looks like a rubric, usable or not; for the preview. */
export interface ParsedItem {
  readonly label: string;
  /** As it stands in the file, keys that hold secrets blanked. */
  readonly payload: Readonly<Record<string, unknown>>;
  readonly line: number;
  /** Why it cannot be used. */
  readonly problems: readonly FileProblem[];
}

/** The rubrics of one file. */
export class RubricSuite {
  constructor(
    readonly sourcePath: string,
    /** Null when the file names none, which means 1. */
    readonly version: number | null,
    readonly configs: ReadonlyMap<string, RubricConfig>,
  ) {}

  availableIds(): string[] {
    return [...this.configs.keys()].sort();
  }

  /**
   * By its id; else, when that fits one only, without regard to case, as records are matched (weakness H 10).
   *
   * @throws RubricFileError naming the ids there are
   */
  get(id: string): RubricConfig {
    const exact = this.configs.get(id);
    if (exact) return exact;
    const alike = [...this.configs.values()].filter((config) => sameId(config.rubricId, id));
    const [only] = alike;
    if (only && alike.length === 1) return only;
    const ids = this.availableIds().join(', ') || 'none';
    throw RubricFileError.at(this.sourcePath, `has no rubric '${id}'. Available: ${ids}`);
  }
}

export function sameId(a: string, b: string): boolean {
  return a.toLowerCase() === b.toLowerCase();
}

/** Everything that was found in a file. */
export interface ParsedRubrics {
  readonly suite: RubricSuite;
  readonly items: readonly ParsedItem[];
  /** Each of them keeps an entry, or the whole file, from being used. */
  readonly problems: readonly FileProblem[];
  /** Things that are probably not meant so. */
  readonly warnings: readonly FileProblem[];
}
