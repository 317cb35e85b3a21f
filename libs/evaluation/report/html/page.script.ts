/**
 * What the page does, as it stands in the file: a list that is sorted, searched and opened by mouse or keyboard. Rows are
 * drawn as they come into view, conversations are unpacked when they are opened. Everything from the data goes in as text,
 * never as markup.
 */
export const PAGE_SCRIPT = `
'use strict';
(() => {
const $ = (id) => document.getElementById(id);
const { scorers, rows, compared } = JSON.parse($('index').textContent);
const body = $('rows').tBodies[0];
const detail = $('detail');
const PAGE = 100;
let blocks = null, shown = rows, drawn = 0, sort = { key: 'i', up: true }, current = null;

function make(tag, className, text) {
  const element = document.createElement(tag);
  if (className) element.className = className;
  if (text !== undefined) element.textContent = text;
  return element;
}
const score = (value) => value === null || value === undefined ? 'N/A' : Number.isInteger(value) ? String(value) : value.toFixed(3);

const COLUMNS = [
  { key: 'i', title: 'Row', number: true, value: (row) => row.i, show: (row) => String(row.i) },
  { key: 'q', title: 'Question', value: (row) => row.q, show: (row) => row.q },
  { key: 't', title: 'Truth', value: (row) => row.t, show: (row) => row.t },
  { key: 'f', title: 'Failed', number: true, value: (row) => row.f, show: (row) => row.f + ' of ' + row.n },
  ...scorers.map((name, at) => ({ key: 's' + at, title: name, number: true, value: (row) => row.s[at], show: (row) => score(row.s[at]) })),
  ...(compared ? [{ key: 'd', title: 'Against baseline', number: true, value: (row) => row.d ?? 0,
    show: (row) => row.d === 1 ? 'gained' : row.d === -1 ? 'lost' : '' }] : []),
];

function drawHead() {
  const line = $('rows').tHead.rows[0];
  for (const column of COLUMNS) {
    const head = make('th', column.number ? 'number' : '');
    head.scope = 'col';
    const button = make('button', '', column.title);
    button.type = 'button';
    button.addEventListener('click', () => {
      sort = { key: column.key, up: sort.key === column.key ? !sort.up : true };
      arrange();
    });
    head.append(button);
    head.dataset.key = column.key;
    line.append(head);
  }
}

function compare(a, b) {
  if (a === b) return 0;
  if (a === null || a === undefined) return 1;
  if (b === null || b === undefined) return -1;
  return a < b ? -1 : 1;
}

function arrange() {
  const words = $('search').value.toLowerCase().split(/\\s+/).filter(Boolean);
  const kind = $('kind').value;
  const column = COLUMNS.find(({ key }) => key === sort.key);
  shown = rows.filter((row) => {
    if (kind === 'failed' && row.f === 0) return false;
    if (kind === 'mixed' && !(row.s.some((value) => value !== null && value > 0 && value < 1))) return false;
    if (kind === 'gained' && row.d !== 1) return false;
    if (kind === 'lost' && row.d !== -1) return false;
    row.text ??= [row.i, row.q, row.t, row.x].join('\\n').toLowerCase();
    return words.every((word) => row.text.includes(word));
  });
  shown.sort((a, b) => {
    const [x, y] = [column.value(a), column.value(b)];
    const missing = x === null || x === undefined || y === null || y === undefined;
    return (missing || sort.up ? compare(x, y) : compare(y, x)) || a.i - b.i;
  });
  for (const head of $('rows').tHead.rows[0].cells) {
    if (head.dataset.key === sort.key) head.setAttribute('aria-sort', sort.up ? 'ascending' : 'descending');
    else head.removeAttribute('aria-sort');
  }
  putAway();
  body.replaceChildren();
  drawn = 0;
  drawMore();
  $('count').textContent = shown.length + ' of ' + rows.length + ' rows';
}

function drawMore() {
  const part = document.createDocumentFragment();
  for (const row of shown.slice(drawn, drawn + PAGE)) part.append(drawRow(row));
  drawn = Math.min(shown.length, drawn + PAGE);
  body.append(part);
}

function drawRow(row) {
  const line = make('tr');
  line.tabIndex = 0;
  line.dataset.row = row.i;
  line.setAttribute('aria-expanded', 'false');
  for (const column of COLUMNS) line.append(make('td', column.number ? 'number' : '', column.show(row)));
  line.addEventListener('click', () => open(row, line));
  return line;
}

async function unpack(at) {
  blocks ??= $('blocks').textContent.trim().split('\\n');
  const bytes = Uint8Array.from(atob(blocks[at]), (character) => character.charCodeAt(0));
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream('gzip'));
  return JSON.parse(await new Response(stream).text());
}

/** The runs of a row stand under it, in a line of their own. */
const holder = make('tr', 'holder');
const cell = make('td');
cell.append(detail);
holder.append(cell);

function putAway() {
  current = null;
  holder.remove();
  for (const line of body.querySelectorAll('tr[aria-expanded=true]')) line.setAttribute('aria-expanded', 'false');
}

async function open(row, line) {
  if (current === row) return close();
  putAway();
  current = row;
  line.setAttribute('aria-expanded', 'true');
  const { values, runs } = await unpack(row.b);
  if (current !== row) return;
  const title = make('h2', '', 'Row ' + row.i);
  title.tabIndex = -1;
  const facts = make('details');
  facts.append(make('summary', '', 'Columns of this row'), make('pre', '', JSON.stringify(values, null, 2)));
  const list = make('div', 'runs');
  list.append(...runs.map(drawRun));
  detail.replaceChildren(title, facts, list);
  cell.colSpan = COLUMNS.length;
  line.after(holder);
  title.focus();
}

function close() {
  if (!current) return;
  const line = body.querySelector('tr[data-row="' + current.i + '"]');
  putAway();
  line?.focus();
}

function step(line, way) {
  let next = line[way];
  if (next === holder) next = next[way];
  next?.focus();
}

function drawRun(run) {
  const article = make('article', 'run');
  const tag = run.model_tag ? ' (' + run.model_tag + ')' : '';
  article.append(make('h3', run.success ? '' : 'bad', 'Run ' + run.run_index + tag + ': ' + (run.success ? run.finish_reason : 'failed')));
  const scores = Object.entries(run.scores).map(([name, value]) => name + ' ' + score(value));
  const facts = [...scores, run.token_usage.total_tokens + ' tokens', Math.round(run.duration_ms) + ' ms'];
  article.append(make('p', 'none', facts.join(' · ')));
  if (run.error) article.append(make('p', 'bad', (run.failure?.class ?? '') + ': ' + run.error));
  for (const [name, why] of Object.entries(run.score_errors)) article.append(make('p', 'bad', name + ': ' + why));
  article.append(...run.messages.map(drawMessage));
  return article;
}

function textOf(content) {
  if (typeof content === 'string') return content;
  if (content === null || content === undefined) return '';
  return JSON.stringify(content, null, 2);
}

function drawMessage(message) {
  const role = String(message.role ?? 'unknown');
  const box = make('div', 'message ' + role.replace(/[^a-z]/g, ''));
  const text = textOf(message.content);
  if (role === 'tool') {
    const fold = make('details');
    fold.append(make('summary', '', 'result: ' + text.slice(0, 80).replace(/\\s+/g, ' ')), make('pre', '', text));
    box.append(fold);
    return box;
  }
  box.append(make('div', 'role', role));
  if (text) box.append(make('div', 'text', text));
  for (const call of Array.isArray(message.tool_calls) ? message.tool_calls : []) {
    const args = textOf(call?.function?.arguments);
    const fold = make('details');
    fold.append(make('summary', '', String(call?.function?.name) + '(' + args.slice(0, 80) + ')'), make('pre', '', pretty(args)));
    box.append(fold);
  }
  return box;
}

function pretty(text) {
  try { return JSON.stringify(JSON.parse(text), null, 2); } catch { return text; }
}

document.addEventListener('keydown', (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  const typing = event.target instanceof HTMLInputElement || event.target instanceof HTMLSelectElement;
  if (event.key === 'Escape') { if (typing) event.target.blur(); else close(); return; }
  if (typing) return;
  if (event.key === '/') { event.preventDefault(); $('search').focus(); return; }
  const line = event.target instanceof Element ? event.target.closest('#rows tbody tr[data-row]') : null;
  if (!line) return;
  if (event.key === 'Enter' || event.key === ' ') { event.preventDefault(); line.click(); }
  if (event.key === 'ArrowDown' || event.key === 'j') { event.preventDefault(); step(line, 'nextElementSibling'); }
  if (event.key === 'ArrowUp' || event.key === 'k') { event.preventDefault(); step(line, 'previousElementSibling'); }
  if (!line.nextElementSibling) drawMore();
});
$('search').addEventListener('input', arrange);
$('kind').addEventListener('change', arrange);
new IntersectionObserver((entries) => {
  if (entries.some(({ isIntersecting }) => isIntersecting) && drawn < shown.length) drawMore();
}, { rootMargin: '600px' }).observe($('end'));
drawHead();
arrange();
document.documentElement.dataset.ready = 'true';
})();
`;
