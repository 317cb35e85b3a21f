/** What the program's exit codes mean: the same for every command. Agrees with `EXIT` of #domain; a test sees to it. */
export const EXIT_CODES: readonly { readonly code: number; readonly meaning: string }[] = [
  { code: 0, meaning: 'success' },
  { code: 1, meaning: 'failure' },
  { code: 2, meaning: 'the command line is wrong' },
  { code: 3, meaning: 'the configuration is wrong' },
  { code: 4, meaning: 'an agent definition is invalid' },
  { code: 5, meaning: 'a remote service failed or refused' },
  { code: 130, meaning: 'ended by Ctrl-C (SIGINT)' },
  { code: 143, meaning: 'ended by SIGTERM' },
];

export const SIGNAL_EXIT = { SIGINT: 130, SIGTERM: 143 } as const;

/** The code of a mistake on the command line. */
export const USAGE_EXIT = 2;
