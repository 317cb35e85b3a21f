/** Part of the page's script: the list of rows, its columns, order and search. Rows are drawn as they come into view. */
export const PAGE_LIST = `
const $ = (id) => document.getElementById(id);
const { scorers, main, names, rows } = JSON.parse($('index').textContent);
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
  { key: 't', title: 'Truth', className: 'truth', value: (row) => row.t, show: (row) => row.t },
  { key: 'f', title: 'Failed', number: true, value: (row) => row.f, show: (row) => row.f + ' of ' + row.n },
  ...scorers.map((name, at) => ({ key: 's' + at, title: name, number: true, value: (row) => row.s[at], show: (row) => score(row.s[at]) })),
  ...names.slice(1).map((name, at) => ({ key: 'o' + at, title: main + ' by ' + name, number: true,
    value: (row) => row.o[at], show: (row) => score(row.o[at]) })),
  ...(names.length > 1 ? [{ key: 'd', title: 'Change', number: true, value: (row) => row.d ?? 0,
    show: (row) => row.d === 1 ? 'gained' : row.d === -1 ? 'lost' : '' }] : []),
];

function drawHead() {
  const line = $('rows').tHead.rows[0];
  for (const column of COLUMNS) {
    const head = make('th', column.number ? 'number' : column.className);
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
`;
