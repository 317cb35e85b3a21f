import type { AuthServices, LoginResult } from '#auth/plain';
import { OsmosisError } from '#domain';
import { openAuth } from '../../account/command-auth.js';
import { warn, writeJson, type CommandContext } from '../../cli/command-context.js';
import { SIGNAL_EXIT } from '../../cli/exit-codes.js';
import type { ParsedLine } from '../../cli/parse.js';
import type { ParsedOptions } from '../../cli/parsed-options.js';
import { reportError } from '../../cli/report-error.js';
import { StopSignals } from '../../serving/stop-signals.js';
import { LOGIN } from './login.declaration.js';
import { loginProgress } from './login.progress.js';
import { loginData, loginText } from './login.result.js';
import { readToken } from './token-input.js';

export async function run(context: CommandContext, { options }: ParsedLine): Promise<number> {
  checkOptions(options);
  const signals = new StopSignals();
  signals.serving();
  const interruption = new AbortController();
  let exitCode: number | null = null;
  void signals.received.then((signal) => {
    exitCode = SIGNAL_EXIT[signal];
    interruption.abort(new OsmosisError('CANCELLED', 'The login was cancelled; nothing was stored.'));
  });
  try {
    const auth = openAuth(context);
    const result = await logIn(context, auth, options, interruption.signal);
    show(context, result, auth.settings.clock.now());
    return 0;
  } catch (error) {
    if (exitCode === null || !OsmosisError.is(error) || error.code !== 'CANCELLED') throw error;
    return reportError(context, LOGIN.name, { code: error.code, message: error.message, exitCode });
  } finally {
    signals.dispose();
  }
}

async function logIn(
  context: CommandContext,
  { login }: AuthServices,
  options: ParsedOptions,
  signal: AbortSignal,
): Promise<LoginResult> {
  const seconds = options.integer('timeout');
  const common = { force: options.flag('force'), onEvent: loginProgress(context), signal };
  const timeoutMs = seconds === undefined ? undefined : seconds * 1000;
  if (options.text('token') !== undefined) return login.withToken(await readToken(context, signal), common);
  if (options.flag('device')) return login.withDeviceCode({ ...common, timeoutMs });
  return login.withBrowser({ ...common, timeoutMs, openBrowser: options.flag('browser') });
}

/** @throws OsmosisError `USAGE` for options that exclude each other */
function checkOptions(options: ParsedOptions): void {
  const source = options.text('token');
  if (source === undefined) return;
  if (source !== '-') {
    // What was given is a token, more likely than not: it is not repeated.
    throw new OsmosisError(
      'USAGE',
      '--token takes no token: other users of the machine could read it in the list of processes. ' +
        "Write '--token -' and pass it on standard input: osmosis login --token - < file",
    );
  }
  const misplaced = [
    ...(options.flag('device') ? ['--device'] : []),
    ...(options.flag('browser') ? [] : ['--no-browser']),
    ...(options.integer('timeout') === undefined ? [] : ['--timeout']),
  ];
  if (misplaced.length === 0) return;
  throw new OsmosisError(
    'USAGE',
    `--token waits for nobody, so ${misplaced.join(' and ')} has no place. Leave it out.`,
  );
}

function show(context: CommandContext, result: LoginResult, nowMs: number): void {
  if (context.json) writeJson(context, LOGIN.name, loginData(result));
  else context.stdout.write(loginText(result, nowMs, context.paint.stdout));
  if (result.overriddenByEnvironment) {
    warn(context, 'OSMOSIS_TOKEN is set and still decides. Unset it to use this login.');
  }
}
