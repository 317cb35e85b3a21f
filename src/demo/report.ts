import type { DemoRow } from './demo.protocol.js';
import type { TrainingRun } from './trainer.process.js';

export interface DemoTotals {
  readonly rollouts: number;
  readonly missing: number;
  /** Rollouts that are missing or not worth the expected reward. */
  readonly faults: number;
  /** Null when no rollout has a reward. */
  readonly meanReward: number | null;
  readonly turns: number;
  readonly toolCalls: number;
  readonly meanLatencyMs: number;
  readonly durationMs: number;
  readonly rolloutsPerSecond: number;
}

export function totalsOf({ rows, durationMs }: TrainingRun): DemoTotals {
  const rewards = rows.flatMap((row) => (row.reward === null ? [] : [row.reward]));
  const sum = (values: readonly (number | null)[]): number => values.reduce<number>((all, one) => all + (one ?? 0), 0);
  return {
    rollouts: rows.length,
    missing: rows.filter((row) => row.missing).length,
    faults: rows.filter((row) => row.fault !== null).length,
    meanReward: rewards.length === 0 ? null : sum(rewards) / rewards.length,
    turns: sum(rows.map((row) => row.turns)),
    toolCalls: sum(rows.map((row) => row.toolCalls)),
    meanLatencyMs: rows.length === 0 ? 0 : sum(rows.map((row) => row.latencyMs)) / rows.length,
    durationMs,
    rolloutsPerSecond: rows.length / (durationMs / 1000),
  };
}

type Paint = (text: string, row: DemoRow) => string;

interface Column {
  readonly title: string;
  readonly alignRight?: boolean;
  readonly cell: (row: DemoRow) => string;
  readonly paint?: Paint;
}

const NONE = '–';
const COLOURS = { green: 32, yellow: 33, red: 31 } as const;

function colour(text: string, name: keyof typeof COLOURS): string {
  return `\u001b[${COLOURS[name]}m${text}\u001b[39m`;
}

const paintReward: Paint = (text, { reward }) =>
  colour(text, reward === 1 ? 'green' : reward === null || reward === 0 ? 'red' : 'yellow');

const COLUMNS: readonly Column[] = [
  { title: 'problem', cell: (row) => row.problem },
  { title: 'turns', alignRight: true, cell: (row) => String(row.turns ?? NONE) },
  { title: 'tool calls', alignRight: true, cell: (row) => String(row.toolCalls ?? NONE) },
  { title: 'reward', alignRight: true, cell: (row) => row.reward?.toFixed(2) ?? NONE, paint: paintReward },
  { title: 'finish reason', cell: (row) => row.finishReason ?? NONE },
  { title: 'latency', alignRight: true, cell: (row) => `${row.latencyMs.toFixed(0)} ms` },
];

/** The table of all rollouts, then the faults if any, then the totals. */
export function renderReport(run: TrainingRun, colours: boolean): string {
  const faults = run.rows.filter((row) => row.fault !== null).map((row) => `  ${row.problem} ${row.fault}`);
  const marked = faults.length === 0 ? [] : ['', `${faults.length} not as expected:`, ...faults];
  return [...renderTable(run.rows, colours), ...marked, '', ...renderTotals(totalsOf(run))].join('\n');
}

function renderTable(rows: readonly DemoRow[], colours: boolean): string[] {
  const widths = COLUMNS.map(({ title, cell }) => Math.max(title.length, ...rows.map((row) => cell(row).length)));
  const pad = (text: string, index: number): string =>
    COLUMNS[index]?.alignRight ? text.padStart(widths[index] ?? 0) : text.padEnd(widths[index] ?? 0);
  const line = (row: DemoRow): string =>
    COLUMNS.map(({ cell, paint }, index) => {
      const text = pad(cell(row), index);
      return colours && paint ? paint(text, row) : text;
    }).join('  ');
  return [
    COLUMNS.map(({ title }, index) => pad(title, index)).join('  '),
    widths.map((width) => '─'.repeat(width)).join('  '),
    ...rows.map(line),
  ];
}

function renderTotals(totals: DemoTotals): string[] {
  const { rollouts, missing, meanReward, turns, toolCalls, meanLatencyMs, durationMs, rolloutsPerSecond } = totals;
  return [
    `${rollouts} rollouts, ${missing} missing, ${turns} turns, ${toolCalls} tool calls`,
    `mean reward ${meanReward?.toFixed(3) ?? NONE}, mean latency ${meanLatencyMs.toFixed(0)} ms, ` +
      `${rolloutsPerSecond.toFixed(1)} rollouts per second (${(durationMs / 1000).toFixed(2)} s in all)`,
  ];
}
