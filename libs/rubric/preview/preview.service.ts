import { extname } from 'node:path';
import { blankFields } from '../config/blank.keys.js';
import { RubricFileError, type FileProblem } from '../config/file.problem.js';
import { readTextFile, requireFile } from '../config/text.file.js';
import { readJsonl } from '../records/jsonl.reader.js';

export interface PreviewItem {
  /** `rubrics[0]`, or `line 3`. */
  readonly label: string;
  /** The item as it stands in the file; keys are blanked. */
  readonly value: Readonly<Record<string, unknown>>;
  /** The same as block text, ready to print. */
  readonly text: string;
  /** Why it cannot be used. */
  readonly problems: readonly FileProblem[];
}

export interface RubricPreview {
  readonly kind: 'rubrics' | 'records';
  readonly path: string;
  readonly items: readonly PreviewItem[];
  /** Rubrics that can be used as they are; equals the number of items for records. */
  readonly usable: number;
  /** Of the file as a whole, or between its items: nothing in it can be used before they are mended. */
  readonly problems: readonly FileProblem[];
  readonly warnings: readonly FileProblem[];
}

/** Shows what is in a rubric file or a data set, and what is wrong with it (spec D.6, weakness H 9). */
export class PreviewService {
  /** @throws RubricFileError for a file that is missing, of another kind, or cannot be read at all */
  async load(path: string): Promise<RubricPreview> {
    await requireFile(path);
    switch (extname(path).toLowerCase()) {
      case '.yaml':
      case '.yml':
        return this.rubrics(path);
      case '.jsonl':
        return this.records(path);
      default:
        throw RubricFileError.at(path, 'is of a kind that cannot be shown. Expected .yaml, .yml or .jsonl');
    }
  }

  private async rubrics(path: string): Promise<RubricPreview> {
    // Loaded for the files that need it: it would be half of the time that showing a data set takes.
    const [{ stringify }, { parseRubrics }] = await Promise.all([import('yaml'), import('../config/suite.parser.js')]);
    const { suite, items, problems, warnings } = parseRubrics(await readTextFile(path), path);
    const ofItems = new Set(items.flatMap((item) => item.problems));
    return {
      kind: 'rubrics',
      path,
      items: items.map(({ label, payload, problems: faults }) => ({
        label,
        value: payload,
        text: stringify(payload, { lineWidth: 0 }),
        problems: faults,
      })),
      usable: suite.configs.size,
      problems: problems.filter((problem) => !ofItems.has(problem)),
      warnings,
    };
  }

  private async records(path: string): Promise<RubricPreview> {
    const items: PreviewItem[] = [];
    for await (const { line, value: record } of readJsonl(path)) {
      const value = blankFields(record);
      items.push({ label: `line ${line}`, value, text: `${JSON.stringify(value, null, 2)}\n`, problems: [] });
    }
    if (items.length === 0) throw RubricFileError.at(path, 'has no records. Expected one JSON object a line');
    return { kind: 'records', path, items, usable: items.length, problems: [], warnings: [] };
  }
}
