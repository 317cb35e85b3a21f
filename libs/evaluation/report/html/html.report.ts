import { createHash } from 'node:crypto';
import type { EvaluationReport } from '../evaluation.report.js';
import { markup, Markup, scriptJson } from './markup.js';
import { PAGE_SCRIPT } from './page.script.js';
import { PAGE_STYLE } from './page.style.js';
import { rowBlocks } from './row.blocks.js';
import type { IndexedRow } from './row.index.js';
import { overview } from './sections.js';

/**
 * The report as one HTML file, part by part: no other file, no network, no script but its own. What agents and models have
 * said is packed data or escaped text, never markup.
 *
 * @param log the evaluation's log, for the conversations
 * @param otherLogs those of the evaluations that the report compares it with, in its order
 */
export async function* htmlReport(
  report: EvaluationReport,
  log: string,
  otherLogs: readonly string[] = [],
): AsyncGenerator<string> {
  yield head(report).text;
  yield overview(report).text;
  yield rowList(report).text;
  yield '<script type="text/plain" id="blocks">\n';
  const rows: IndexedRow[] = [];
  for await (const { row, packed } of rowBlocks(log, report, otherLogs)) {
    rows.push(row);
    yield `${packed}\n`;
  }
  yield '</script>\n';
  yield tail(
    report,
    rows.sort((a, b) => a.i - b.i),
  ).text;
}

function head({ data }: EvaluationReport): Markup {
  const policy = `default-src 'none'; style-src ${hashOf(PAGE_STYLE)}; script-src ${hashOf(PAGE_SCRIPT)}`;
  return markup`<!doctype html>
<html lang="en"><head><meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${policy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${data.config.agent} · ${data.config.model}</title>
<style>${new Markup(PAGE_STYLE)}</style></head><body>`;
}

function tail({ name, primary, others }: EvaluationReport, rows: readonly IndexedRow[]): Markup {
  const index = {
    scorers: primary.scorers.map((scorer) => scorer.name),
    main: primary.main?.name,
    names: [name, ...others.map((other) => other.name)],
    rows,
  };
  return markup`<script type="application/json" id="index">${scriptJson(index)}</script>
<script>${new Markup(PAGE_SCRIPT)}</script>
</body></html>
`;
}

/** Only this very text may act. */
function hashOf(text: string): string {
  return `'sha256-${createHash('sha256').update(text).digest('base64')}'`;
}

function rowList({ others: [first] }: EvaluationReport): Markup {
  const kinds = [
    ['all', 'all rows'],
    ['failed', 'rows with failed runs'],
    ['mixed', 'rows solved sometimes'],
    ...(first
      ? [['gained', `gained against ${first.name}`] as const, ['lost', `lost against ${first.name}`] as const]
      : []),
  ] as const;
  return markup`
<main aria-label="Rows">
  <h2>Rows</h2>
  <div class="tools">
    <label>Search <input id="search" type="search" placeholder="question, truth, failure …"></label>
    <label>Show <select id="kind">${kinds.map(([value, title]) => markup`<option value="${value}">${title}</option>`)}</select></label>
    <output id="count" aria-live="polite"></output>
    <small>Keys: / search, ↑ ↓ move, Enter opens, Esc closes</small>
  </div>
  <table id="rows"><thead><tr></tr></thead><tbody></tbody></table>
  <div id="end"></div>
  <section id="detail" aria-label="Runs of the row"></section>
</main>
`;
}
