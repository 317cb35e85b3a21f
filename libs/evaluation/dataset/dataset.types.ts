import type { ChatMessage } from '#domain';

export const DATASET_FORMATS = ['jsonl', 'json', 'csv', 'parquet'] as const;
export type DatasetFormat = (typeof DATASET_FORMATS)[number];

/** Which dataset, and which part of it. */
export interface DatasetSpec {
  /** A file, or `-` for standard input. */
  readonly path: string;
  /** Default: by the file's name (`.jsonl`, `.json`, `.csv`, `.parquet`, each also with `.gz`); JSONL for `-`. */
  readonly format?: DatasetFormat;
  /** Rows that are passed over. Default 0. */
  readonly offset?: number;
  /** Rows that are read at most. Default: all. */
  readonly limit?: number;
  /** Our column → the file's column, e.g. `{ user_prompt: 'question' }`. */
  readonly columns?: Readonly<Record<string, string>>;
}

/** A record of the file that is not yet parsed: passing over rows costs no parsing. */
export interface RawRecord {
  /** Counts from 1; undefined where a format has no lines. */
  readonly line: number | undefined;
  /** The record's value. @throws DatasetError where it cannot be parsed */
  read(): unknown;
}

/** Records as they come, many at once: each hop between asynchronous generators costs as much as reading a row. */
export type RecordBatches = AsyncGenerator<readonly RawRecord[]>;

/** A row that has passed every check. */
export interface DatasetRow {
  /** Counts from 0 over the whole file, whatever the window. */
  readonly index: number;
  readonly line: number | undefined;
  /** All columns: ours under their own names, the others as the file calls them. Plain JSON values. */
  readonly values: Readonly<Record<string, unknown>>;
  /** How the conversation begins. */
  readonly messages: readonly ChatMessage[];
  readonly groundTruth: string;
}

/** Columns that we know, by the names we give them. `messages` stands in for both prompts. */
export const KNOWN_COLUMNS = ['ground_truth', 'user_prompt', 'system_prompt', 'messages'] as const;
export type KnownColumn = (typeof KNOWN_COLUMNS)[number];
