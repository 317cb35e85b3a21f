import { isAbsolute } from 'node:path';
import { pathToFileURL } from 'node:url';

/** Deep enough for a decorator composed of others and compiled with helpers of a library. */
const FRAMES = 20;
const FILES_AT_MOST = 4;

/**
 * The files that called `below` while they were loaded, the nearest first, as `file:` URLs. For a decorator the first is
 * the file of the class, unless the decorator is composed of others; then it comes after theirs. Functions with a name
 * (`__decorate`, the module loader's) do not count: the code of a file itself has none.
 *
 * Reads the places as they are executed and not as source maps tell them: what was compiled is what can be imported again.
 */
export function callingFiles(below: (...args: never[]) => unknown): readonly string[] {
  const { prepareStackTrace, stackTraceLimit } = Error;
  try {
    Error.stackTraceLimit = FRAMES;
    Error.prepareStackTrace = (_error, sites) => sites.filter(isNameless).map((site) => site.getFileName());
    const holder: { stack?: unknown } = {};
    Error.captureStackTrace(holder, below);
    const names = Array.isArray(holder.stack) ? (holder.stack as unknown[]) : [];
    const urls = new Set(names.map(fileUrl).filter((url) => url !== undefined));
    return Object.freeze([...urls].slice(0, FILES_AT_MOST));
  } finally {
    Error.prepareStackTrace = prepareStackTrace;
    Error.stackTraceLimit = stackTraceLimit;
  }
}

/** Jest calls the code of a file what Node prints for it. */
function isNameless(site: NodeJS.CallSite): boolean {
  const name = site.getFunctionName();
  return name === null || name === '' || name === 'Object.<anonymous>';
}

/** ES modules are named by their URL, CommonJS modules by their path; what is neither comes from no file. */
function fileUrl(name: unknown): string | undefined {
  if (typeof name !== 'string') return undefined;
  if (name.startsWith('file:')) return name;
  return isAbsolute(name) ? pathToFileURL(name).href : undefined;
}
