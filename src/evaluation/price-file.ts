import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { describeThrown, OsmosisError } from '#domain';
import { PriceTable } from '#evaluation';

/** @throws OsmosisError CONFIG_INVALID naming the file */
export async function readPriceFile(path: string, cwd: string): Promise<PriceTable> {
  return PriceTable.of(await readJson(path, resolve(cwd, path)), path);
}

async function readJson(path: string, file: string): Promise<unknown> {
  const text = await readFile(file, 'utf8').catch((cause: unknown) => {
    throw invalid(`Cannot read the price table ${path}: ${describeThrown(cause)}. Give a readable file.`, cause);
  });
  try {
    return JSON.parse(text.replace(/^\uFEFF/, '')) as unknown;
  } catch (cause) {
    throw invalid(`The price table ${path} is no JSON: ${describeThrown(cause)}. Mend it there.`, cause);
  }
}

function invalid(message: string, cause: unknown): OsmosisError {
  return new OsmosisError('CONFIG_INVALID', message, { cause });
}
