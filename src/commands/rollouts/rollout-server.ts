import { ProtocolError } from '#domain';
import type { RolloutFilter } from '#rollout';
import { isObject, isRolloutJson, type RolloutJson } from './rollout-json.js';
import type { RolloutSource } from './rollout-source.js';
import type { ServerClient } from './server-client.js';

/** The rollouts of a running server, by its control routes (docs/server.md). */
export class RolloutServer implements RolloutSource {
  readonly contents = null;

  constructor(private readonly client: ServerClient) {}

  async list({ status, agent, after, limit }: RolloutFilter): Promise<readonly RolloutJson[]> {
    const query = new URLSearchParams({ limit: String(limit) });
    for (const [name, value] of Object.entries({ status, agent, after }))
      if (value !== undefined) query.set(name, value);
    const answer = await this.client.send('GET', `/v1/rollouts?${query.toString()}`);
    const rollouts: unknown = isObject(answer) ? answer['rollouts'] : undefined;
    if (Array.isArray(rollouts) && rollouts.every(isRolloutJson)) return rollouts;
    throw this.unreadable('a list of rollouts');
  }

  get(rolloutId: string): Promise<RolloutJson> {
    return this.one('GET', rolloutId);
  }

  /** Gives the rollout as it is right after: a cancelled one may still be about to end. */
  cancel(rolloutId: string): Promise<RolloutJson> {
    return this.one('POST', rolloutId, '/cancel');
  }

  /** Gives the ids of those that are cancelled. */
  async cancelSeveral(which: { readonly prefix: string } | { readonly all: true }): Promise<readonly string[]> {
    const answer = await this.client.send('POST', '/v1/rollouts/cancel', which);
    const cancelled: unknown = isObject(answer) ? answer['cancelled'] : undefined;
    if (Array.isArray(cancelled) && cancelled.every((id) => typeof id === 'string')) return cancelled;
    throw this.unreadable('the ids of cancelled rollouts');
  }

  redeliver(rolloutId: string): Promise<RolloutJson> {
    return this.one('POST', rolloutId, '/redeliver');
  }

  /** Connections end with the program. */
  close(): void {}

  private async one(method: 'GET' | 'POST', rolloutId: string, action = ''): Promise<RolloutJson> {
    const answer = await this.client.send(method, `/v1/rollout/${encodeURIComponent(rolloutId)}${action}`);
    if (isRolloutJson(answer)) return answer;
    throw this.unreadable('a rollout');
  }

  private unreadable(wanted: string): ProtocolError {
    return new ProtocolError(
      `The server at ${this.client.name} gave something else than ${wanted}. Is it a nestjs-osmosis server of this version?`,
    );
  }
}
