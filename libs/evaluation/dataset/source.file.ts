import { createReadStream, createWriteStream } from 'node:fs';
import { constants, access, mkdtemp, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { createGunzip } from 'node:zlib';
import { describeThrown } from '#domain';
import { DatasetError } from './dataset.error.js';

const CHUNK_BYTES = 256 * 1024;

/** The bytes of a dataset, to be read as often as needed. */
export interface SourceFile {
  /** As the user named it; for messages. */
  readonly path: string;
  /** Where the bytes are. */
  readonly file: string;
  /** Removes what was written to disk for it. */
  release(): Promise<void>;
}

/**
 * Standard input is kept in a private file meanwhile: a run reads its dataset more than once (identity, rows, total).
 *
 * @param stdin what `-` names
 * @throws DatasetError when there is no such file, or it cannot be read
 */
export async function openSource(path: string, stdin: NodeJS.ReadableStream | undefined): Promise<SourceFile> {
  if (path === '-') return keepInput(stdin);
  let what = 'there is no such file';
  try {
    what = (await stat(path)).isDirectory() ? 'is a directory; name a file in it' : 'this user may not read it';
    if (!what.startsWith('is a directory')) {
      await access(path, constants.R_OK);
      return { path, file: path, release: async () => {} };
    }
  } catch (error) {
    const isMissing = (error as NodeJS.ErrnoException).code === 'ENOENT';
    const message = isMissing ? what : `${what} (${describeThrown(error)})`;
    throw new DatasetError(path, { kind: 'file', message }, error);
  }
  throw new DatasetError(path, { kind: 'file', message: what });
}

async function keepInput(stdin: NodeJS.ReadableStream | undefined): Promise<SourceFile> {
  if (!stdin) throw new DatasetError('-', { kind: 'file', message: 'there is no standard input to read' });
  const directory = await mkdtemp(join(tmpdir(), 'osmosis-dataset-'));
  const release = (): Promise<void> => rm(directory, { recursive: true, force: true });
  const file = join(directory, 'stdin');
  try {
    await pipeline(stdin, createWriteStream(file, { mode: 0o600 }));
  } catch (error) {
    await release();
    throw new DatasetError('-', { kind: 'file', message: `standard input broke off: ${describeThrown(error)}` }, error);
  }
  return { path: '-', file, release };
}

/** The bytes in order. @throws DatasetError when reading or unpacking fails */
export async function* bytesOf({ path, file }: SourceFile, gzip: boolean): AsyncGenerator<Buffer> {
  const stream = createReadStream(file, { highWaterMark: CHUNK_BYTES });
  const unpacked = gzip ? stream.pipe(createGunzip({ chunkSize: CHUNK_BYTES })) : stream;
  // A pipe does not hand on errors.
  stream.once('error', (error) => unpacked.destroy(error));
  try {
    for await (const chunk of unpacked) yield chunk as Buffer;
  } catch (error) {
    const message = gzip ? `is no sound gzip file: ${describeThrown(error)}` : describeThrown(error);
    throw new DatasetError(path, { kind: 'file', message }, error);
  } finally {
    stream.destroy();
  }
}
