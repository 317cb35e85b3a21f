import { runsOf } from '../evaluation.data.js';
import type { EvaluationReport } from '../evaluation.report.js';
import { formatDuration, formatPercent, formatTokens } from '../formats.js';
import type { Table } from '../table.js';
import { evalTables } from '../report.tables.js';
import { evalSummary, gateLine } from '../text.report.js';
import { histogram, passCurve } from './charts.js';
import { markup, type Markup } from './markup.js';

/** What is said before the rows: figures, warnings, gates, tables, charts. */
export function overview(report: EvaluationReport): Markup {
  const { data, others, warnings } = report;
  const title = [report.name, ...others.map(({ name }) => name)].join(' against ');
  return markup`
<header>
  <h1>${data.config.agent}: ${title}</h1>
  <p>${data.config.datasetPath} · ${data.startedAt} · ${formatDuration(data.durationMs)}</p>
</header>
<section aria-label="Summary">
  ${facts(report)}
  ${warnings.map((warning) => markup`<p class="warning" role="note">${warning}</p>`)}
  ${gateList(report)}
  <details><summary>Everything about this evaluation</summary>
    <ul>${evalSummary(report).map((line) => markup`<li>${line}</li>`)}</ul>
    <pre>${JSON.stringify(data.config.identity, null, 2)}</pre>
  </details>
</section>
<section aria-label="Tables">${evalTables(report).map(table)}${failuresTable(report)}</section>
<section aria-label="Charts" class="charts">${charts(report)}</section>
`;
}

function facts({ primary }: EvaluationReport): Markup {
  const { value = null, interval } = primary.main?.passRate ?? {};
  const range = interval ? `${formatPercent(interval.low)} to ${formatPercent(interval.high)}` : 'no interval';
  return markup`<dl class="facts">
    ${fact(primary.main ? `Pass rate by ${primary.main.name}` : 'Pass rate', formatPercent(value), range)}
    ${fact('Runs', formatTokens(primary.runs), `${primary.rows} rows`)}
    ${fact('Failed runs', String(primary.failed), formatPercent(primary.errorRate.value))}
    ${fact('Tokens', formatTokens(primary.totalTokens), `${formatTokens(primary.completionTokens)} of them answers`)}
  </dl>`;
}

function fact(name: string, value: string, note: string): Markup {
  return markup`<div><dt>${name}</dt><dd>${value} <small>${note}</small></dd></div>`;
}

function gateList({ gates }: EvaluationReport): Markup {
  if (gates.length === 0) return markup``;
  const items = gates.map((gate) => markup`<li class="${gate.passed ? 'good' : 'bad'}">${gateLine(gate)}</li>`);
  return markup`<ul class="gates">${items}</ul>`;
}

function table({ title, columns, rows }: Table): Markup {
  const head = columns.map((column) => markup`<th scope="col">${column.title}</th>`);
  const lines = rows.map(([first, ...cells]) => {
    const others = cells.map((cell) => markup`<td>${cell}</td>`);
    return markup`<tr><th scope="row">${first}</th>${others}</tr>`;
  });
  const whole = markup`<table><thead><tr>${head}</tr></thead><tbody>${lines}</tbody></table>`;
  return markup`<h2>${title}</h2><div class="scroll" tabindex="0" role="region" aria-label="${title}">${whole}</div>`;
}

function failuresTable({ primary }: EvaluationReport): Markup {
  const failures = Object.entries(primary.failures);
  if (failures.length === 0) return markup``;
  return table({
    title: 'Failures by class',
    columns: ['Class', 'Runs', 'Share'].map((title) => ({ title, width: 0 })),
    rows: failures.map(([name, count]) => [name, String(count), formatPercent(count / primary.runs)]),
  });
}

function charts({ data, primary }: EvaluationReport): Markup[] {
  const runs = runsOf(data, 'primary');
  return primary.scorers.flatMap(({ name, passAt }) => {
    const scores = runs.map((run) => run.scores[name]).filter((score) => typeof score === 'number');
    return [histogram(`Scores by ${name}`, scores), passCurve(`pass@k by ${name}`, passAt)];
  });
}
