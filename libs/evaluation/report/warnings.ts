import type { EvaluationData, NamedEvaluation } from './evaluation.data.js';
import type { RunsSummary } from './runs.summary.js';

/** What looks like a result and may be none. */
export function warningsOf(summary: RunsSummary): string[] {
  return [
    emptyAnswers(summary),
    ...summary.scorers.flatMap((scorer) => [failingScorer(scorer), zeroVariance(scorer)]),
  ].filter((warning) => warning !== undefined);
}

/** A gateway that answers with nothing looks like success (case RS-17). From half of the answers on it is told. */
function emptyAnswers({ emptyAnswers: empty, runs, failed }: RunsSummary): string | undefined {
  const answers = runs - failed;
  if (empty === 0 || empty * 2 < answers) return undefined;
  return (
    `${empty} of ${answers} answers were empty. Does the endpoint answer without streaming, and is max_tokens large enough ` +
    'for a model that reasons first?'
  );
}

function failingScorer({ name, scorerErrors, scored }: RunsSummary['scorers'][number]): string | undefined {
  if (scorerErrors === 0) return undefined;
  return `${name} failed on ${scorerErrors} of ${scorerErrors + scored} runs. They have no score by it and are not in its figures.`;
}

/** A group of runs that all get the same reward has no advantage, and teaches nothing (case ST-11). */
function zeroVariance({ name, constantRows, repeatedRows }: RunsSummary['scorers'][number]): string | undefined {
  if (repeatedRows === 0 || constantRows < repeatedRows) return undefined;
  return `zero variance: ${name} gave all runs of a row the same score, in every row. Training on it would teach nothing.`;
}

/** Rows are paired by their numbers: in two files they need not be the same. */
export function foreignRows({ config }: EvaluationData, against: readonly NamedEvaluation[]): string[] {
  const own = config.identity.dataset['sha256'];
  return against
    .filter(({ data }) => data.config.identity.dataset['sha256'] !== own)
    .map(
      ({ name, data }) =>
        `${name} was evaluated on another file (${data.config.datasetPath}): row by row comparisons hold only if equal numbers are equal rows.`,
    );
}
