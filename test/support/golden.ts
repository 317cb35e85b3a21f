import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { RecordedRequest } from '#testing';
import type { Rig } from './rig.js';

/** `npm run golden` sets it. */
const REFRESH = process.env['UPDATE_GOLDEN'] === '1';
const FOLDER = join(__dirname, '..', 'golden');

const REQUEST_HEADERS = ['content-type', 'accept', 'accept-encoding', 'user-agent', 'authorization', 'idempotency-key'];
const ANSWER_HEADERS = ['content-type', 'retry-after', 'www-authenticate', 'allow', 'location'];

interface Posted {
  readonly method?: string;
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: unknown;
}

/** What goes over the wire between a trainer and the server under test, in a form that is the same in every run. */
export class Exchange {
  readonly #toServer: unknown[] = [];

  constructor(private readonly rig: Rig) {}

  /** Sends a request as the trainer does, and keeps it with its answer. */
  async send({ method = 'POST', path, headers = {}, body }: Posted): Promise<number> {
    const sent = { ...(body !== undefined && { 'content-type': 'application/json' }), ...headers };
    const response = await fetch(`${this.rig.serverUrl}${path}`, {
      method,
      headers: sent,
      body: body === undefined ? undefined : JSON.stringify(body),
    });
    const answer = await response.text();
    const answered = ANSWER_HEADERS.flatMap((name) =>
      response.headers.has(name) ? [[name, response.headers.get(name)]] : [],
    );
    this.#toServer.push({
      request: { method, path, headers: sent, body },
      answer: { status: response.status, headers: Object.fromEntries(answered) as unknown, body: parsed(answer) },
    });
    return response.status;
  }

  /** The exchange as text: addresses and durations replaced. */
  text(): string {
    const toTrainer = this.rig.recorder.requests.map(requestJson);
    const text = JSON.stringify({ toServer: this.#toServer, toTrainer }, withoutDurations, 2);
    return `${text.replaceAll(this.rig.trainerUrl, 'http://trainer').replaceAll(this.rig.serverUrl, 'http://server')}\n`;
  }

  /** Compares with the file of that name, or writes it when the files are refreshed. */
  expectGolden(name: string): void {
    const file = join(FOLDER, `${name}.json`);
    const text = this.text();
    if (REFRESH) {
      mkdirSync(dirname(file), { recursive: true });
      writeFileSync(file, text);
    } else if (!existsSync(file)) {
      throw new Error(`There is no ${file}. Run npm run golden, and look at what it writes.`);
    }
    expect(JSON.parse(text)).toEqual(JSON.parse(readFileSync(file, 'utf8')));
    // The order of the fields as well.
    expect(text).toBe(readFileSync(file, 'utf8'));
  }
}

function requestJson({ method, path, headers, rawBody }: RecordedRequest): unknown {
  const shown = REQUEST_HEADERS.flatMap((name) => (headers[name] === undefined ? [] : [[name, headers[name]]]));
  return { method, path, headers: Object.fromEntries(shown) as unknown, body: parsed(rawBody) };
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

function withoutDurations(key: string, value: unknown): unknown {
  return typeof value === 'number' && key.endsWith('_ms') ? 0 : value;
}
