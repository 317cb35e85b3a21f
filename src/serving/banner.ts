import type { Paint } from '../cli/paint.js';
import type { ApiKeySource } from './options-adjustment.js';

/** A server that has begun to listen, as it is shown. */
export interface ServerFacts {
  readonly host: string;
  readonly port: number;
  readonly url: string;
  /** Behind `/v1/rollout/init`; undefined when there are several and none is named. */
  readonly agent: string | undefined;
  readonly agents: readonly string[];
  readonly keySource: ApiKeySource;
  /** Set when it was generated: this is the one time that it is shown. */
  readonly generatedKey: string | undefined;
  readonly publicHost: string | undefined;
  readonly registrationSkipped: string | undefined;
  readonly traceDir: string | undefined;
  /** The processes that serve; undefined when it is this one. */
  readonly workers?: readonly { readonly number: number; readonly pid: number }[];
}

/** For people (spec 11.3). */
export function bannerText(facts: ServerFacts, paint: Paint): string {
  const rows: [string, string][] = [
    ['Agent:', facts.agent ?? `${facts.agents.join(', ')} (choose the default with --agent)`],
    ['Address:', `${facts.host.includes(':') ? `[${facts.host}]` : facts.host}:${facts.port}`],
    ['URL:', facts.url],
    ...optional('Workers:', facts.workers?.map(({ number, pid }) => `${number} (pid ${pid})`).join(', ')),
    ...optional('Public host:', facts.publicHost),
    ['API Key:', keyText(facts)],
    ...optional('Registration:', facts.registrationSkipped && `skipped (${facts.registrationSkipped})`),
    ...optional('Debug Log:', facts.traceDir && `${facts.traceDir}/`),
  ];
  const lines = rows.map(([name, value]) => `${name.padEnd(13)} ${value}`);
  const width = Math.max(...lines.map((line) => line.length));
  const title = ' RolloutServer ';
  const body = lines.map((line) => `│  ${line.padEnd(width)}  │\n`).join('');
  const top = `╭─${paint('green', title)}${'─'.repeat(width + 3 - title.length)}╮`;
  return `\n${top}\n${body}╰${'─'.repeat(width + 4)}╯\nStop with Ctrl-C.\n\n`;
}

/** For programs: one line. */
export function listeningEvent(facts: ServerFacts): string {
  const { url, host, port, agent = null, agents, keySource, generatedKey, publicHost, traceDir } = facts;
  const event = {
    event: 'listening',
    url,
    host,
    port,
    agent,
    agents,
    apiKeySource: keySource,
    ...(generatedKey !== undefined && { apiKey: generatedKey }),
    ...(publicHost !== undefined && { publicHost }),
    registration: facts.registrationSkipped === undefined ? 'started' : 'skipped',
    ...(traceDir !== undefined && { traceDir }),
    ...(facts.workers && { workers: facts.workers.map(({ number, pid }) => ({ worker: number, pid })) }),
  };
  return `${JSON.stringify(event)}\n`;
}

function keyText({ keySource, generatedKey }: ServerFacts): string {
  if (keySource === 'disabled') return '(disabled - local debug)';
  return generatedKey ?? '(provided)';
}

function optional(name: string, value: string | undefined): [string, string][] {
  return value === undefined || value === '' ? [] : [[name, value]];
}
