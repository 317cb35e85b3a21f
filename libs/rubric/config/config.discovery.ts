import { dirname, join, resolve } from 'node:path';
import { RubricFileError } from './file.problem.js';
import { isFile, requireFile } from './text.file.js';

const FILE_NAME = 'rubric_configs.yaml';

/**
 * The rubric file to use: the one given, else the first there is beside the data, in the working directory, or in its
 * `examples` (spec C.1).
 *
 * @throws RubricFileError for a given one that is no file; when there is none, listing where it was looked for
 */
export async function findRubricConfig(given: string | null, dataPath: string, directory: string): Promise<string> {
  if (given !== null) {
    const path = resolve(directory, given);
    await requireFile(path);
    return path;
  }
  const candidates = [
    join(dirname(resolve(directory, dataPath)), FILE_NAME),
    join(directory, FILE_NAME),
    join(directory, 'examples', FILE_NAME),
  ];
  for (const candidate of new Set(candidates)) if (await isFile(candidate)) return candidate;
  const looked = [...new Set(candidates)].join(', ');
  throw RubricFileError.at(FILE_NAME, `not found. Looked at: ${looked}. Name the file with --config`);
}
