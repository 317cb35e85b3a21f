import { createAuth, type AuthServices, type Log } from '#auth/plain';
import { warn, type CommandContext } from '../cli/command-context.js';

/**
 * The login services as a command has them. No Nest: such a command starts in a fraction of the time.
 *
 * @throws OsmosisError `CONFIG_INVALID` for an unusable platform URL
 */
export function openAuth(context: CommandContext): AuthServices {
  return createAuth({ env: context.env, version: context.version, log: commandLog(context) });
}

function commandLog(context: CommandContext): Log {
  return {
    debug: (message) => void (context.debug && context.stderr.write(`${context.paint.stderr('dim', message)}\n`)),
    warn: (message) => warn(context, message),
    error: (message) => warn(context, message),
  };
}
