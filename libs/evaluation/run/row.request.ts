import { OsmosisError, type RolloutRequest } from '#domain';
import type { DatasetRow } from '../dataset/index.js';

/** Nothing listens there: a local rollout talks to no trainer (spec F.2). */
const NO_TRAINER = { dialect: 'local', url: 'http://local-rollout.local', apiKey: null };

/** Bytes of a request's metadata at most, as for a trainer's request (spec 1.8). */
const MOST_METADATA_BYTES = 1_048_576;

export interface RequestOptions {
  readonly agent: string;
  readonly rolloutId: string;
  /** Sampling parameters of every chat call. */
  readonly completionParams: Readonly<Record<string, unknown>>;
  readonly maxTurns: number;
  readonly maxTokensTotal: number;
  /** Goes over everything else in the metadata. */
  readonly metadata: Readonly<Record<string, unknown>>;
}

/** Columns that are the conversation itself, and not facts about it. */
const CONVERSATION = new Set(['user_prompt', 'system_prompt', 'messages']);

/**
 * The request that a row stands for (spec F.2). Metadata: ground truth and every extra column, then the row's own number,
 * which no column of that name replaces (weakness H 23), then the overrides.
 *
 * @throws OsmosisError REQUEST_INVALID for a row whose columns are too large to be metadata
 */
export function toRequest(row: DatasetRow, options: RequestOptions): RolloutRequest {
  const extra = Object.entries(row.values).filter(([name]) => !CONVERSATION.has(name));
  const own = Object.entries(options.metadata);
  const metadata = Object.fromEntries<unknown>([...extra, ['row_index', row.index], ...own]);
  const bytes = Buffer.byteLength(JSON.stringify(metadata));
  if (bytes > MOST_METADATA_BYTES) {
    throw new OsmosisError(
      'REQUEST_INVALID',
      `The extra columns of row ${row.index} have ${bytes} bytes; a request's metadata may have ${MOST_METADATA_BYTES}.`,
    );
  }
  return {
    rolloutId: options.rolloutId,
    agent: options.agent,
    trainer: NO_TRAINER,
    messages: row.messages,
    completionParams: options.completionParams,
    toolServerUrl: null,
    maxTurns: options.maxTurns,
    maxTokensTotal: options.maxTokensTotal,
    metadata,
    idempotencyKey: null,
  };
}
