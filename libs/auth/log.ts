/** Where notes for whoever runs the program go. Nest's `Logger` is one. */
export interface Log {
  debug(message: string): void;
  warn(message: string): void;
  error(message: string): void;
}

export const silentLog: Log = { debug() {}, warn() {}, error() {} };
