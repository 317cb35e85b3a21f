import { extname } from 'node:path';
import { Injectable } from '@nestjs/common';
import { stringify } from 'yaml';
import { readJsonl } from '../records/jsonl.reader.js';
import { RubricFileError, type FileProblem } from './file.problem.js';
import { parseRubrics } from './suite.parser.js';
import { readTextFile, requireFile } from './text.file.js';

export interface PreviewItem {
  /** `rubrics[0]`, or `line 3`. */
  readonly label: string;
  /** The item as block text, ready to print; keys are blanked. */
  readonly text: string;
}

export interface RubricPreview {
  readonly kind: 'rubrics' | 'records';
  readonly path: string;
  readonly items: readonly PreviewItem[];
  /** Rubrics that can be used as they are; equals the number of items for records. */
  readonly usable: number;
  readonly problems: readonly FileProblem[];
  readonly warnings: readonly FileProblem[];
}

/** Shows what is in a rubric file or a data set, and what is wrong with it (spec D.6, weakness H 9). */
@Injectable()
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
    const { suite, items, problems, warnings } = parseRubrics(await readTextFile(path), path);
    return {
      kind: 'rubrics',
      path,
      items: items.map(({ label, payload }) => ({ label, text: stringify(payload, { lineWidth: 0 }) })),
      usable: suite.configs.size,
      problems,
      warnings,
    };
  }

  private async records(path: string): Promise<RubricPreview> {
    const items: PreviewItem[] = [];
    for await (const { line, value } of readJsonl(path)) {
      items.push({ label: `line ${line}`, text: `${JSON.stringify(value, null, 2)}\n` });
    }
    if (items.length === 0) throw RubricFileError.at(path, 'has no records. Expected one JSON object a line');
    return { kind: 'records', path, items, usable: items.length, problems: [], warnings: [] };
  }
}
