import { open, type FileHandle } from 'node:fs/promises';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import type {
  AsyncBuffer,
  Compressors,
  FileMetaData,
  parquetMetadataAsync,
  parquetReadObjects,
  ParquetRow,
} from 'hyparquet';
import { describeThrown } from '#domain';
import { DatasetError } from './dataset.error.js';
import type { RecordBatches } from './dataset.types.js';
import { STRICT_PARSERS, toJsonValue } from './parquet.values.js';
import type { SourceFile } from './source.file.js';

/** About how many bytes of values are unpacked at once, whatever the size of the file's row groups. */
const WINDOW_BYTES = 32 * 1024 * 1024;
const SMALLEST_WINDOW = 256;

/** Rows that are unpacked together. Never crosses a border of row groups. */
interface RowWindow {
  readonly rowStart: number;
  readonly rowEnd: number;
}

/** Rows are unpacked window by window; the whole file is never in memory. Every compression users have is read (DS-06). */
export async function* readParquet(source: SourceFile, firstRow: number): RecordBatches {
  const parquet = await ParquetFile.open(source);
  try {
    for (const window of parquet.windows(firstRow)) {
      const rows = await parquet.read(window);
      yield rows.map((row) => ({ line: undefined, read: () => toJsonValue(row) }));
    }
  } finally {
    await parquet.close();
  }
}

/** From the file's footer. */
export async function countParquetRows(source: SourceFile): Promise<number> {
  const parquet = await ParquetFile.open(source);
  await parquet.close();
  return parquet.rowCount;
}

class ParquetFile {
  private constructor(
    private readonly path: string,
    private readonly handle: FileHandle,
    private readonly buffer: AsyncBuffer,
    private readonly metadata: FileMetaData,
    private readonly library: ParquetLibrary,
  ) {}

  static async open(source: SourceFile): Promise<ParquetFile> {
    const library = await loadLibrary();
    const handle = await open(source.file, 'r');
    try {
      const buffer = await bufferOf(handle);
      const metadata = await library.parquetMetadataAsync(buffer);
      requireDistinctColumns(source.path, metadata);
      return new ParquetFile(source.path, handle, buffer, metadata, library);
    } catch (error) {
      await handle.close();
      throw error instanceof DatasetError ? error : unreadable(source.path, error);
    }
  }

  get rowCount(): number {
    return Number(this.metadata.num_rows);
  }

  *windows(firstRow: number): Generator<RowWindow> {
    let groupStart = 0;
    for (const group of this.metadata.row_groups) {
      const rows = Number(group.num_rows);
      const groupEnd = groupStart + rows;
      const share = WINDOW_BYTES / Math.max(1, Number(group.total_byte_size));
      const size = Math.max(SMALLEST_WINDOW, Math.floor(rows * share));
      for (let start = Math.max(groupStart, firstRow); start < groupEnd; start += size) {
        yield { rowStart: start, rowEnd: Math.min(start + size, groupEnd) };
      }
      groupStart = groupEnd;
    }
  }

  async read(window: RowWindow): Promise<ParquetRow[]> {
    const { buffer: file, metadata, library } = this;
    const { compressors } = library;
    const options = { file, metadata, compressors, parsers: STRICT_PARSERS, utf8: false, ...window };
    try {
      return await library.parquetReadObjects(options);
    } catch (error) {
      throw unreadable(this.path, error, window.rowStart);
    }
  }

  close(): Promise<void> {
    return this.handle.close();
  }
}

interface ParquetLibrary {
  readonly parquetMetadataAsync: typeof parquetMetadataAsync;
  readonly parquetReadObjects: typeof parquetReadObjects;
  readonly compressors: Compressors;
}

/** Loaded when used: most datasets are no Parquet. */
async function loadLibrary(): Promise<ParquetLibrary> {
  const [parquet, { compressors }] = await Promise.all([import('hyparquet'), import('hyparquet-compressors')]);
  // Node unpacks these two natively.
  const native: Compressors = { GZIP: (input) => gunzipSync(input), BROTLI: (input) => brotliDecompressSync(input) };
  return {
    parquetMetadataAsync: parquet.parquetMetadataAsync,
    parquetReadObjects: parquet.parquetReadObjects,
    compressors: { ...compressors, ...native },
  };
}

async function bufferOf(handle: FileHandle): Promise<AsyncBuffer> {
  const { size: byteLength } = await handle.stat();
  return {
    byteLength,
    async slice(start, end = byteLength) {
      const bytes = new Uint8Array(Math.max(0, Math.min(end, byteLength) - start));
      const { bytesRead } = await handle.read(bytes, 0, bytes.length, start);
      if (bytesRead < bytes.length) throw new Error(`the file ends at byte ${start + bytesRead}`);
      return bytes.buffer;
    },
  };
}

function requireDistinctColumns(path: string, { schema }: FileMetaData): void {
  const [root, ...elements] = schema;
  const names: string[] = [];
  for (let at = 0, left = root?.num_children ?? 0; left > 0; left--) {
    names.push(elements[at]?.name ?? '');
    at += sizeOfTree(elements, at);
  }
  const twice = names.find((name, index) => names.indexOf(name) !== index);
  if (twice === undefined) return;
  const message = `the column ${JSON.stringify(twice)} stands twice in the schema. Rename one`;
  throw new DatasetError(path, { kind: 'columns', message, field: twice });
}

/** The schema is a tree written in one list, parents before their children. */
function sizeOfTree(elements: FileMetaData['schema'], at: number): number {
  let size = 1;
  for (let left = elements[at]?.num_children ?? 0; left > 0; left--) size += sizeOfTree(elements, at + size);
  return size;
}

function unreadable(path: string, error: unknown, row?: number): DatasetError {
  const message = `cannot be read as Parquet: ${describeThrown(error)}`;
  return new DatasetError(path, { kind: 'syntax', message, place: { row } }, error);
}
