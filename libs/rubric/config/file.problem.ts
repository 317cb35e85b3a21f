import { OsmosisError } from '#domain';

/** Something wrong in a file, and where. Line and column count from 1. */
export interface FileProblem {
  readonly line: number;
  readonly column: number;
  readonly message: string;
}

export function formatFileProblem(path: string, problem: FileProblem): string {
  return `${path}:${problem.line}:${problem.column}: ${problem.message}`;
}

/** A rubric file, record file or report that cannot be used. Lists every problem found. */
export class RubricFileError extends OsmosisError {
  constructor(
    readonly path: string,
    readonly problems: readonly FileProblem[],
  ) {
    const lines = problems.map((problem) => formatFileProblem(path, problem));
    const count = problems.length === 1 ? '1 problem' : `${problems.length} problems`;
    const [only = ''] = lines;
    super('CONFIG_INVALID', problems.length === 1 ? only : `${count} in ${path}:\n${lines.join('\n')}`, {
      details: { path, problems },
    });
  }

  /** For a fault that has no place within the file. */
  static at(path: string, message: string, line = 1): RubricFileError {
    return new RubricFileError(path, [{ line, column: 1, message }]);
  }
}
