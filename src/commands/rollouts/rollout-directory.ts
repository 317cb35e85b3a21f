import { trajectoryDocument, type AtifDocument } from '#atif';
import { OsmosisError, type ChatMessage, type RolloutRequest, type ToolDefinition } from '#domain';
import type { OutcomeSummary, RolloutFilter } from '#rollout';
import { JournalReader } from '#rollout/store/sqlite';
import { readTrajectory, trajectoryFile, trajectoryFolder } from '#rollout/trajectory';
import { requestBody, type StoredRequest } from './request-body.js';
import { isObject, type RolloutJson } from './rollout-json.js';
import type { RolloutContents, RolloutSource } from './rollout-source.js';
import { storedRolloutJson } from './stored-rollout.js';

/** The rollouts of a data directory, with or without a server on it. */
export class RolloutDirectory implements RolloutSource, RolloutContents {
  readonly contents = this;
  readonly #reader: JournalReader;

  /** @throws OsmosisError CONFIG_INVALID */
  constructor(private readonly directory: string) {
    this.#reader = new JournalReader(directory);
  }

  close(): void {
    this.#reader.close();
  }

  async list(filter: RolloutFilter): Promise<readonly RolloutJson[]> {
    return this.#reader.list(filter).map(storedRolloutJson);
  }

  async get(rolloutId: string): Promise<RolloutJson> {
    const stored = this.#reader.get(rolloutId);
    if (stored) return storedRolloutJson(stored);
    const what = `There is no rollout ${JSON.stringify(rolloutId)} in ${this.directory}, or it is forgotten.`;
    throw new OsmosisError('ROLLOUT_NOT_FOUND', `${what} 'osmosis rollouts list' shows those that are kept.`);
  }

  messages(rolloutId: string): readonly ChatMessage[] {
    const completion = this.#reader.get(rolloutId)?.completion;
    if (completion) return finalMessages(JSON.parse(completion));
    const known: ChatMessage[] = [];
    // A later part replaces what an earlier one said of the same messages.
    for (const { from, messages } of this.#reader.conversation(rolloutId)) {
      known.splice(from, Infinity, ...(JSON.parse(messages) as ChatMessage[]));
    }
    return known;
  }

  request(rolloutId: string): Readonly<Record<string, unknown>> | null {
    const text = this.#reader.request(rolloutId);
    return text === undefined ? null : requestBody(JSON.parse(text) as StoredRequest);
  }

  /** As the server has written it; without a file, made of what is stored, which lacks what each turn has cost. */
  async trajectory(rolloutId: string): Promise<AtifDocument | null> {
    const file = trajectoryFile(trajectoryFolder(this.directory), rolloutId);
    return (await readTrajectory(file, rolloutId)) ?? this.documentOf(rolloutId);
  }

  private documentOf(rolloutId: string): AtifDocument | null {
    const stored = this.#reader.get(rolloutId);
    const request = this.#reader.request(rolloutId);
    if (!stored?.summary || request === undefined) return null;
    const { acceptedAt, startedAt, sealedAt } = stored;
    const summary = JSON.parse(stored.summary) as OutcomeSummary;
    return trajectoryDocument({
      request: JSON.parse(request) as RolloutRequest,
      outcome: { ...summary, rolloutId, finalMessages: this.messages(rolloutId) },
      tools: JSON.parse(this.#reader.tools(rolloutId) ?? '[]') as ToolDefinition[],
      record: null,
      acceptedAt,
      startedAt,
      sealedAt,
    });
  }
}

function finalMessages(completion: unknown): readonly ChatMessage[] {
  if (!isObject(completion)) return [];
  const { final_messages, sample } = completion;
  // Of the dialects 0.2 and 0.3.
  const messages = final_messages ?? (isObject(sample) ? sample['messages'] : undefined);
  return Array.isArray(messages) ? (messages as readonly ChatMessage[]) : [];
}
