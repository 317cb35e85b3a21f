import { sameId } from '../config/rubric.suite.js';
import { RubricFileError, type FileProblem } from '../config/file.problem.js';
import { readJsonl } from './jsonl.reader.js';
import { readRecord, type RubricRecord } from './rubric.record.js';

export interface LoadedRecords {
  readonly records: readonly RubricRecord[];
  /** Bad records of other rubrics: passed over. */
  readonly warnings: readonly FileProblem[];
}

/**
 * The records of one rubric, ids compared without regard to case. Bad ones of that rubric stop the run before any is
 * judged; bad ones of other rubrics are only told (weakness H 10).
 *
 * @throws RubricFileError for lines that are no JSON objects, bad records, no records, or none of this rubric
 */
export async function loadRecords(path: string, rubricId: string): Promise<LoadedRecords> {
  const records: RubricRecord[] = [];
  const problems: FileProblem[] = [];
  const warnings: FileProblem[] = [];
  let count = 0;
  for await (const line of readJsonl(path)) {
    count++;
    const read = readRecord(line);
    if ('record' in read) {
      if (sameId(read.record.rubricId, rubricId)) records.push(read.record);
    } else {
      const list = sameId(read.fault.rubricId, rubricId) ? problems : warnings;
      list.push({ line: read.fault.line, column: 1, message: read.fault.message });
    }
  }
  if (problems.length > 0) throw new RubricFileError(path, problems);
  if (count === 0) throw RubricFileError.at(path, 'has no records. Expected one JSON object a line');
  if (records.length === 0) throw RubricFileError.at(path, `has no records for rubric '${rubricId}'`);
  return { records, warnings };
}
