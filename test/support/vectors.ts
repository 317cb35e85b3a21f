import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { minimalInit } from './init-server.js';

/** A fault of a 422, without its words. */
export interface FaultPlace {
  readonly type: string;
  readonly loc: readonly (string | number)[];
}

/** What the reference server answered to a request, recorded over loopback. */
export interface InitVector {
  readonly name: string;
  readonly headers: Record<string, string>;
  readonly raw?: string;
  readonly recipe?: string;
  readonly status: number;
  readonly detail?: string | readonly FaultPlace[] | null;
}

/** One recorded call of a helper of the reference SDK 0.2.17. */
export interface HelperVector {
  readonly in: unknown;
  readonly returns?: unknown;
  readonly throws?: string;
  readonly message_starts?: string;
}

export function readVectors(file: 'osmosis-0.2-init.json'): InitVector[];
export function readVectors(file: 'osmosis-0.2-helpers.json'): Record<string, HelperVector[]>;
export function readVectors(file: string): unknown {
  return JSON.parse(readFileSync(join(__dirname, '../vectors', file), 'utf8')) as unknown;
}

/** The text of a recorded request; large ones are recorded as a recipe. */
export function vectorBody({ raw, recipe }: InitVector): string {
  if (raw !== undefined) return raw;
  const [, field, kind, count] = /^(\S+) (\S+) (\d+)$/.exec(recipe ?? '') ?? [];
  const character = { ascii: 'x', 'e-acute': 'é', emoji: '😀' }[kind ?? ''];
  if (field === undefined || character === undefined) throw new Error(`Unknown recipe: ${recipe}`);
  const text = character.repeat(Number(count));
  return JSON.stringify(minimalInit({ [field]: field === 'metadata' ? { d: text } : text }));
}
