import { postBody } from '../support/post-body.js';
import { readAnswer, same, type WireAnswer } from '../support/wire-answer.js';
import type { BodyShape, InitCase } from './init-body.js';
import { explain, type StrictField } from './init-differences.js';

const JSON_TYPE = 'application/json';

/** Two servers of one route. */
export interface Comparison {
  readonly peerUrl: string;
  /** The peer, which does not repeat in its 422 what it was sent. */
  readonly silentUrl: string;
  readonly ourUrl: string;
  readonly shape: BodyShape;
  readonly strict: readonly StrictField[];
  readonly key?: string;
}

/** Counts for each row of docs/compatibility.md the bodies whose answers it explains. */
export class BodyComparer {
  readonly rows = new Map<string, number>();

  constructor(private readonly comparison: Comparison) {}

  /** Null when we answer as the peer, but for named rows. */
  async difference(given: InitCase): Promise<object | null> {
    const { peerUrl, silentUrl, ourUrl } = this.comparison;
    const { contentType = JSON_TYPE } = given;
    const [peer, mine] = await Promise.all([
      this.ask(peerUrl, given, contentType),
      this.ask(ourUrl, given, contentType),
    ]);
    if (same(peer, mine)) return null;
    const shown = await this.ask(silentUrl, given, contentType ?? JSON_TYPE);
    const { rows, answer } = explain(given, { peer, shown }, this.comparison);
    if (!same(answer, mine)) return { kind: given.kind, body: given.body.toString().slice(0, 400), peer, mine };
    for (const row of rows) this.rows.set(row, (this.rows.get(row) ?? 0) + 1);
    return null;
  }

  private async ask(url: string, { body }: InitCase, contentType: string | null): Promise<WireAnswer> {
    const { key } = this.comparison;
    return readAnswer(await postBody(url, body, contentType, key && `Bearer ${key}`));
  }
}
