import { OsmosisError } from '#domain';
import { DATASET_FORMATS, KNOWN_COLUMNS, type DatasetSpec } from '#evaluation/plain';
import type { ParsedOptions } from '../cli/parsed-options.js';

/** @throws OsmosisError USAGE for a mapping of columns that cannot be read */
export function readDatasetSpec(path: string, options: ParsedOptions): DatasetSpec {
  const format = options.text('format');
  return {
    path,
    format: DATASET_FORMATS.find((known) => known === format),
    limit: options.integer('limit'),
    offset: options.integer('offset'),
    columns: readColumns(options.list('columns')),
  };
}

/** `user_prompt=question`, several of them repeated or with commas between. Column names may hold commas themselves. */
function readColumns(given: readonly string[]): Record<string, string> | undefined {
  const pairs = given.flatMap((text) => text.split(SEPARATOR)).map(readPair);
  const twice = pairs.find(([ours], index) => pairs.findIndex(([other]) => other === ours) !== index);
  if (twice) throw usage(`--columns takes ${twice[0]} from two columns. Name one.`);
  return pairs.length > 0 ? Object.fromEntries(pairs) : undefined;
}

const SEPARATOR = new RegExp(`,(?=(?:${KNOWN_COLUMNS.join('|')})=)`);

function readPair(text: string): [ours: string, theirs: string] {
  const at = text.indexOf('=');
  const [ours, theirs] = [text.slice(0, at).trim(), text.slice(at + 1)];
  if (at < 0 || theirs === '') throw usage(`--columns cannot be '${text}'. Write ours=theirs: user_prompt=question.`);
  if ((KNOWN_COLUMNS as readonly string[]).includes(ours)) return [ours, theirs];
  throw usage(`--columns cannot give '${ours}'. Columns of ours: ${KNOWN_COLUMNS.join(', ')}.`);
}

function usage(message: string): OsmosisError {
  return new OsmosisError('USAGE', message);
}
