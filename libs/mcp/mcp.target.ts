import { readdir, stat } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { McpError } from './mcp.error.js';

/** How a server is reached: by a program that speaks on its standard streams, or by an address. */
export type McpTarget =
  | { readonly kind: 'command'; readonly command: string; readonly args: readonly string[]; readonly cwd: string }
  | { readonly kind: 'url'; readonly url: URL };

/** What starts a `main` of each language, in the order in which they are looked for. */
const STARTERS: readonly (readonly [file: string, command: string, args: readonly string[]])[] = [
  ['main.py', 'python3', []],
  ['main.ts', process.execPath, ['--import', '@swc-node/register/esm-register']],
  ['main.mjs', process.execPath, []],
  ['main.js', process.execPath, []],
];

/**
 * What `--mcp` names: an `http(s)` address, a directory with a `main.py`, `main.ts`, `main.mjs` or `main.js` that serves on
 * its standard streams, or a command with its arguments.
 *
 * @throws McpError for a directory without a `main`, and for what is none of these
 */
export async function readMcpTarget(given: string, cwd: string): Promise<McpTarget> {
  const text = given.trim();
  if (text === '') throw new McpError("''", 'is no server');
  if (/^https?:\/\//i.test(text)) return { kind: 'url', url: readUrl(text) };
  const path = resolve(cwd, text);
  const found = await stat(path).catch(() => null);
  if (found?.isDirectory()) return directoryTarget(path, given);
  const [command = '', ...args] = splitWords(text, given);
  if (args.length === 0 && looksLikePath(command) && !found) {
    throw new McpError(given, 'there is no such directory or program');
  }
  return { kind: 'command', command, args, cwd };
}

async function directoryTarget(path: string, given: string): Promise<McpTarget> {
  const files = await readdir(path);
  const starter = STARTERS.find(([file]) => files.includes(file));
  if (!starter) {
    const names = STARTERS.map(([file]) => file).join(', ');
    throw new McpError(given, `the directory has no ${names}`);
  }
  const [file, command, args] = starter;
  return { kind: 'command', command, args: [...args, join(path, file)], cwd: path };
}

/** @throws McpError for what is no `http(s)` address */
export function readUrl(text: string): URL {
  try {
    const url = new URL(text);
    if (/^https?:$/.test(url.protocol)) return url;
  } catch {
    // told below
  }
  // What cannot be read may hold a key all the same.
  throw new McpError(text.replace(/(?<=\/\/)[^/]*@|[?#].*/g, ''), 'is no http(s) address');
}

/** An address as messages show it: user, password and query may be keys. */
export function shownAddress({ origin, pathname, search }: URL): string {
  return `${origin}${pathname}${search === '' ? '' : '?…'}`;
}

function looksLikePath(command: string): boolean {
  return /[/\\]/.test(command);
}

/** Words as a shell would split them, with single and double quotes; nothing is expanded. */
function splitWords(text: string, given: string): string[] {
  const words: string[] = [];
  const WORD = /\s*((?:[^\s"']|"[^"]*"|'[^']*')+)/y;
  while (WORD.lastIndex < text.length) {
    const word = WORD.exec(text)?.[1];
    if (word === undefined) throw new McpError(given, 'a quote in the command is not closed');
    words.push(
      word.replace(/"([^"]*)"|'([^']*)'/g, (_whole, double?: string, single?: string) => double ?? single ?? ''),
    );
  }
  return words;
}
