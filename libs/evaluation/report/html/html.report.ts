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
 */
export async function* htmlReport(report: EvaluationReport, log: string): AsyncGenerator<string> {
  yield head(report).text;
  yield overview(report).text;
  yield LIST;
  yield '<script type="text/plain" id="blocks">\n';
  const rows: IndexedRow[] = [];
  for await (const { row, packed } of rowBlocks(log, report)) {
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

function tail({ primary, baseline }: EvaluationReport, rows: readonly IndexedRow[]): Markup {
  const index = { scorers: primary.scorers.map(({ name }) => name), compared: baseline !== null, rows };
  return markup`<script type="application/json" id="index">${scriptJson(index)}</script>
<script>${new Markup(PAGE_SCRIPT)}</script>
</body></html>
`;
}

/** Only this very text may act. */
function hashOf(text: string): string {
  return `'sha256-${createHash('sha256').update(text).digest('base64')}'`;
}

const LIST = `
<main aria-label="Rows">
  <h2>Rows</h2>
  <div class="tools">
    <label>Search <input id="search" type="search" placeholder="question, truth, failure …"></label>
    <label>Show <select id="kind">
      <option value="all">all rows</option>
      <option value="failed">rows with failed runs</option>
      <option value="mixed">rows solved sometimes</option>
      <option value="gained">gained against the baseline</option>
      <option value="lost">lost against the baseline</option>
    </select></label>
    <output id="count" aria-live="polite"></output>
    <small>Keys: / search, ↑ ↓ move, Enter opens, Esc closes</small>
  </div>
  <table id="rows"><thead><tr></tr></thead><tbody></tbody></table>
  <div id="end"></div>
  <section id="detail" aria-label="Runs of the row"></section>
</main>
`;
