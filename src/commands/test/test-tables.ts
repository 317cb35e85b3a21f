import {
  formatDuration,
  formatScore,
  formatTokens,
  oneLine,
  type RunSummary,
  type Table,
  type TestResult,
} from '#evaluation';

/** With more rows, only those that failed are shown, and of these the first. */
const MOST_ROWS = 50;
const LONGEST_ERROR = 80;

/** The rows and the rewards: as much of it as there is. */
export function testTables({ runs, summary }: TestResult): Table[] {
  const shown = runs.length > MOST_ROWS ? runs.filter(({ success }) => !success) : runs;
  return [
    ...(shown.length > 0 ? [rowsTable(shown, runs.length)] : []),
    ...(summary.scorers.length > 0 ? [rewardsTable(summary.scorers)] : []),
  ];
}

function rowsTable(runs: readonly RunSummary[], all: number): Table {
  const shown = runs.slice(0, MOST_ROWS);
  const hasErrors = shown.some(({ error }) => error !== null);
  return {
    title: titleOf(shown.length, runs.length, all),
    columns: [
      ...titles('Row', 'Result', 'Reward', 'Calls', 'Tools', 'Tokens', 'Duration'),
      ...titles(...(hasErrors ? ['Error'] : [])),
    ],
    rows: shown.map((run) => [
      String(run.row_index),
      run.success ? 'OK' : 'FAILED',
      formatScore(run.reward),
      String(run.token_usage.num_llm_calls),
      String(run.num_tool_calls),
      formatTokens(run.token_usage.total_tokens),
      formatDuration(run.duration_ms),
      ...(hasErrors ? [oneLine(run.error ?? '', LONGEST_ERROR)] : []),
    ]),
  };
}

function titleOf(shown: number, found: number, all: number): string {
  if (found === all) return 'Rows';
  return shown < found ? `Failed rows, ${shown} of ${found}` : 'Failed rows';
}

function rewardsTable(scorers: TestResult['summary']['scorers']): Table {
  return {
    title: 'Rewards',
    columns: titles('Reward', 'Mean', 'Min', 'Max', 'Scored', 'Errors'),
    rows: scorers.map(({ name, mean, min, max, scored, scorerErrors }) => [
      name,
      formatScore(mean.value),
      formatScore(min),
      formatScore(max),
      String(scored),
      String(scorerErrors),
    ]),
  };
}

function titles(...names: readonly string[]): Table['columns'] {
  return names.map((title) => ({ title, width: 0 }));
}
