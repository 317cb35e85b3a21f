import { getMessageText, isUserMessage, type ChatMessage } from '#domain';
import type { RunSummary } from '../../run/run.record.js';
import type { EvaluationReport } from '../evaluation.report.js';

/** A row as the page's list knows it; its conversations are in a block of their own. */
export interface IndexedRow {
  /** Its number in the dataset. */
  readonly i: number;
  /** Which block. */
  readonly b: number;
  /** What was asked, cut. */
  readonly q: string;
  /** What was right, cut. */
  readonly t: string;
  /** Runs, of these failed. */
  readonly n: number;
  readonly f: number;
  /** Mean by each scorer, in the order of the report; null where there is none. */
  readonly s: readonly (number | null)[];
  /** Mean by the main scorer of each of the others. */
  readonly o: readonly (number | null)[];
  /** 1: gained against the first of the others, -1: lost. */
  readonly d?: 1 | -1;
  /** Classes of its failures, and its labels: what a search also looks at. */
  readonly x: string;
}

const CUT = 200;

export class RowIndexer {
  private readonly scorers: readonly string[];
  private readonly main: string;
  private readonly gained: ReadonlySet<number>;
  private readonly lost: ReadonlySet<number>;

  constructor(private readonly report: EvaluationReport) {
    this.scorers = report.primary.scorers.map(({ name }) => name);
    this.main = report.primary.main?.name ?? '';
    const comparison = report.others[0]?.comparisons.get(this.main);
    this.gained = new Set(comparison?.gained);
    this.lost = new Set(comparison?.lost);
  }

  index(
    row: number,
    block: number,
    runs: readonly { readonly run: RunSummary; readonly by: number }[],
    values: Readonly<Record<string, unknown>>,
  ): IndexedRow {
    const runsBy = (wanted: number): RunSummary[] => runs.filter(({ by }) => by === wanted).map(({ run }) => run);
    const own = runsBy(0);
    const failed = own.filter(({ success }) => !success);
    const labels = Object.values(this.report.data.labels.get(row) ?? {});
    return {
      i: row,
      b: block,
      q: question(values).slice(0, CUT),
      t: textOf(values['ground_truth']).slice(0, CUT),
      n: own.length,
      f: failed.length,
      s: this.scorers.map((name) => meanOf(own, name)),
      o: this.report.others.map((_other, index) => meanOf(runsBy(index + 1), this.main)),
      ...(this.gained.has(row) ? { d: 1 as const } : this.lost.has(row) ? { d: -1 as const } : {}),
      x: [...new Set([...failed.map(({ failure }) => failure?.class ?? ''), ...labels])].join(' '),
    };
  }
}

function meanOf(runs: readonly RunSummary[], scorer: string): number | null {
  const scores = runs.map(({ scores: all }) => all[scorer]).filter((score) => typeof score === 'number');
  if (scores.length === 0) return null;
  return Math.round((scores.reduce((sum, score) => sum + score, 0) / scores.length) * 1e6) / 1e6;
}

function question(values: Readonly<Record<string, unknown>>): string {
  const messages: unknown = values['messages'];
  if (!Array.isArray(messages)) return textOf(values['user_prompt'] ?? messages);
  return getMessageText((messages as readonly ChatMessage[]).findLast(isUserMessage) ?? {});
}

function textOf(value: unknown): string {
  if (value === undefined || value === null) return '';
  return typeof value === 'string' ? value : JSON.stringify(value);
}
