import type { RegistrationResult } from '#workspace/plain';
import { printable } from '../account/account-text.js';
import type { Paint } from '../cli/paint.js';

const INDENT = '     ';
const AGAIN = 'It is tried again in the background.';

/** For people, in the forms of spec 9.3. */
export function registrationText(result: RegistrationResult, paint: Paint): string {
  const { success, isHealthy, agent, status, error, retryable } = result;
  const address = addressOf(result);
  const again = retryable ? [AGAIN] : [];
  const heading = `${isHealthy ? paint('green', '[OK]') : paint('yellow', '[WARNING]')} ${title(success, isHealthy)}`;
  if (!success) {
    return block(heading, [
      `Error: ${printable(error ?? '')}`,
      '',
      'The server will continue running without registration.',
      ...again,
    ]);
  }
  const facts = [`Agent: ${agent}`, `Address: ${address}`, `Status: ${printable(status)}`];
  if (isHealthy) {
    const rollouts = activeRollouts(result);
    const rows = rollouts === null ? facts : [...facts, `Active rollouts: ${rollouts}`];
    return block(heading, rows);
  }
  return block(heading, [
    ...facts,
    `Error: ${printable(error ?? '')}`,
    '',
    'The server will continue running.',
    `Note: Platform cannot reach http://${address}`,
    'Tip: Use a VM with public IP and ensure the port is open.',
    ...again,
  ]);
}

/** For the log: a message, and the facts beside it. */
export function registrationRecord(result: RegistrationResult): { readonly message: string; readonly facts: object } {
  const { success, isHealthy, status, error, agent, host, port, serverId, retryable } = result;
  const rollouts = activeRollouts(result);
  return {
    message: title(success, isHealthy),
    facts: {
      success,
      status,
      ...(error !== null && { error, retrying: retryable }),
      agent,
      host,
      port,
      serverId,
      ...(rollouts !== null && { activeRollouts: rollouts }),
    },
  };
}

function title(success: boolean, isHealthy: boolean): string {
  if (isHealthy) return 'Registered with Osmosis Platform';
  return success ? 'Registered but health check failed' : 'Failed to register with Platform';
}

/** Null when the platform told nothing about the server; 0 when it left the count out (spec 9.3). */
function activeRollouts({ serverInfo }: RegistrationResult): number | null {
  if (serverInfo === null || Object.keys(serverInfo).length === 0) return null;
  return typeof serverInfo.active_rollouts === 'number' ? serverInfo.active_rollouts : 0;
}

function addressOf({ host, port }: RegistrationResult): string {
  if (host === null) return `port ${port}`;
  return `${host.includes(':') ? `[${host}]` : host}:${port}`;
}

function block(heading: string, lines: readonly string[]): string {
  return `\n${heading}\n${lines.map((line) => (line === '' ? '\n' : `${INDENT}${line}\n`)).join('')}`;
}
