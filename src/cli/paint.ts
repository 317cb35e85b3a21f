import type { Environment } from './dotenv.js';

export type Colour = 'bold' | 'dim' | 'red' | 'green' | 'yellow' | 'cyan';

/** Wraps a text in the codes of a colour, or hands it through. */
export type Paint = (colour: Colour, text: string) => string;

const CODES: Readonly<Record<Colour, readonly [number, number]>> = {
  bold: [1, 22],
  dim: [2, 22],
  red: [31, 39],
  green: [32, 39],
  yellow: [33, 39],
  cyan: [36, 39],
};

export function painter(enabled: boolean): Paint {
  if (!enabled) return (_colour, text) => text;
  return (colour, text) => `\u001b[${CODES[colour][0]}m${text}\u001b[${CODES[colour][1]}m`;
}

/**
 * Whether to write colours: never with `--no-color`, then as FORCE_COLOR or NO_COLOR say (set and not empty), then when a
 * terminal listens (case CL-16). FORCE_COLOR beats NO_COLOR, as in Node.js itself.
 */
export function wantsColour(env: Environment, isTerminal: boolean, allowed: boolean): boolean {
  if (!allowed) return false;
  const forced = env['FORCE_COLOR'];
  if (forced) return forced !== '0' && forced !== 'false';
  if (env['NO_COLOR']) return false;
  return isTerminal && env['TERM'] !== 'dumb';
}
