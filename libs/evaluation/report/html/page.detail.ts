/** Part of the page's script: opens a row. Its runs stand under it, side by side, and are unpacked only then. */
export const PAGE_DETAIL = `
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
  const tag = names.length > 1 ? ' by ' + names[run.by] : '';
  article.append(make('h3', run.success ? '' : 'bad', 'Run ' + run.run_index + tag + ': ' + (run.success ? run.finish_reason : 'failed')));
  const scores = Object.entries(run.scores).map(([name, value]) => name + ' ' + score(value));
  const facts = [...scores, run.token_usage.total_tokens + ' tokens', Math.round(run.duration_ms) + ' ms'];
  article.append(make('p', 'none', facts.join(' · ')));
  if (run.error) article.append(make('p', 'bad', (run.failure?.class ?? '') + ': ' + run.error));
  for (const [name, why] of Object.entries(run.score_errors)) article.append(make('p', 'bad', name + ': ' + why));
  for (const [name, why] of Object.entries(run.score_reasons ?? {})) article.append(make('p', 'reason', name + ': ' + why));
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
`;
