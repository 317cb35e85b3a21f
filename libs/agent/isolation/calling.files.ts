import { isAbsolute } from 'node:path';
import { pathToFileURL } from 'node:url';

/** Deep enough for a decorator composed of others and compiled with helpers of a library. */
const FRAMES = 20;
const FILES_AT_MOST = 6;

/**
 * The files whose code called `below`, the nearest first, as `file:` URLs; packages come after the application's own. For
 * a decorator one of them is the file of the class: not always the first, because decorators are composed of others.
 *
 * Reads the places as they are executed and not as source maps tell them: what was compiled is what can be imported again.
 */
export function callingFiles(below: (...args: never[]) => unknown): readonly string[] {
  const { prepareStackTrace, stackTraceLimit } = Error;
  try {
    Error.stackTraceLimit = FRAMES;
    Error.prepareStackTrace = (_error, sites) => sites.map((site) => site.getFileName());
    const holder: { stack?: unknown } = {};
    Error.captureStackTrace(holder, below);
    const names = Array.isArray(holder.stack) ? (holder.stack as unknown[]) : [];
    const urls = new Set(names.map(fileUrl).filter((url) => url !== undefined));
    return Object.freeze([...urls].sort(applicationFirst).slice(0, FILES_AT_MOST));
  } finally {
    Error.prepareStackTrace = prepareStackTrace;
    Error.stackTraceLimit = stackTraceLimit;
  }
}

/** ES modules are named by their URL, CommonJS modules by their path; what is neither comes from no file. */
function fileUrl(name: unknown): string | undefined {
  if (typeof name !== 'string') return undefined;
  if (name.startsWith('file:')) return name;
  return isAbsolute(name) ? pathToFileURL(name).href : undefined;
}

function applicationFirst(one: string, other: string): number {
  return Number(one.includes('/node_modules/')) - Number(other.includes('/node_modules/'));
}
