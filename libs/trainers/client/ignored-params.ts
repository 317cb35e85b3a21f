import { Logger } from '@nestjs/common';

/** Warns of chat parameters that the server sets itself: once a name, not once a call. */
export class IgnoredParams {
  readonly #logger: Logger;
  readonly #warned = new Set<string>();

  constructor(context: string) {
    this.#logger = new Logger(context);
  }

  readonly warn = (name: string): void => {
    if (this.#warned.has(name)) return;
    this.#warned.add(name);
    this.#logger.warn(
      `Chat parameter '${name}' is ignored: the server sets it itself. Leave it out of completion_params and ctx.chat.`,
    );
  };
}
