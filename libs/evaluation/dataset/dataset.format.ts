import { DatasetError } from './dataset.error.js';
import { DATASET_FORMATS, type DatasetFormat, type DatasetSpec } from './dataset.types.js';

export interface FileForm {
  readonly format: DatasetFormat;
  readonly gzip: boolean;
}

/** @throws DatasetError listing the formats, for a name that tells none */
export function formOf({ path, format }: Pick<DatasetSpec, 'path' | 'format'>): FileForm {
  const gzip = /\.gz$/i.test(path);
  const extension = /\.([^./\\]+)$/.exec(gzip ? path.slice(0, -'.gz'.length) : path)?.[1]?.toLowerCase();
  const named = format ?? (path === '-' ? 'jsonl' : DATASET_FORMATS.find((known) => known === extension));
  if (!named) {
    const known = DATASET_FORMATS.map((name) => `.${name}`).join(', ');
    const message = `the name does not tell the format. Known: ${known}, each also with .gz but Parquet. Or name the format`;
    throw new DatasetError(path, { kind: 'file', message });
  }
  if (named === 'parquet' && (gzip || path === '-')) {
    const found = gzip ? 'wrapped in gzip' : 'on standard input';
    const message = `Parquet is read from its end, so it cannot be ${found}. Give the file itself`;
    throw new DatasetError(path, { kind: 'file', message });
  }
  return { format: named, gzip };
}
