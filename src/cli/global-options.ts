import type { OptionDeclaration } from './declaration.js';

/** Taken by every command, before or after its name. */
export const GLOBAL_OPTIONS: readonly OptionDeclaration[] = [
  { flags: '-h, --help', description: 'Show help' },
  { flags: '-V, --version', description: 'Show the versions of the package, of Node.js and of the protocols' },
  { flags: '--json', description: 'Write one JSON document to stdout, errors included' },
  { flags: '-q, --quiet', description: 'Write results and errors only' },
  { flags: '--no-color', description: 'Write without colours; so does NO_COLOR. FORCE_COLOR asks for them' },
  { flags: '--debug', description: 'Show where an error comes from' },
];
