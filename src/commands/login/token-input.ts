import { OsmosisError } from '#domain';
import type { CommandContext } from '../../cli/command-context.js';

/** Far above any token; a bound on what a wrong file can make us hold. */
const LONGEST_TOKEN = 65_536;

/**
 * The token on standard input, as it stands there.
 *
 * @throws OsmosisError `USAGE` when standard input is a terminal or no token's size, or the signal's reason
 */
export async function readToken({ stdin, terminal }: CommandContext, signal: AbortSignal): Promise<string> {
  if (terminal.stdin) {
    throw new OsmosisError(
      'USAGE',
      "'--token -' reads a file or a pipe; typed at a terminal, the token would be shown. " +
        'Run: osmosis login --token - < file',
    );
  }
  signal.throwIfAborted();
  const aborted = new Promise<never>((_, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason), { once: true });
  });
  return Promise.race([readText(stdin), aborted]);
}

async function readText(stdin: NodeJS.ReadableStream): Promise<string> {
  let text = '';
  stdin.setEncoding('utf8');
  for await (const chunk of stdin) {
    text += String(chunk);
    if (text.length > LONGEST_TOKEN) {
      throw new OsmosisError('USAGE', 'Standard input is too long to be a token. Pass the bare token only.');
    }
  }
  return text;
}
