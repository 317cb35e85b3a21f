/** The page's style sheet. Colours follow the reader's system; contrast is at least 4.5 to 1 in both. */
export const PAGE_STYLE = `
:root { color-scheme: light dark; --fg: #1b1f24; --bg: #fff; --soft: #f3f4f6; --line: #d0d7de; --dim: #57606a;
  --accent: #0550ae; --good: #116329; --bad: #a40e26; --warn: #6f4400; }
@media (prefers-color-scheme: dark) { :root { --fg: #e6edf3; --bg: #0d1117; --soft: #161b22; --line: #30363d;
  --dim: #9198a1; --accent: #79c0ff; --good: #56d364; --bad: #ff7b72; --warn: #e3b341; } }
* { box-sizing: border-box; }
body { margin: 0 auto; max-width: 90rem; padding: 1rem; color: var(--fg); background: var(--bg);
  font: 15px/1.45 system-ui, sans-serif; }
h1 { font-size: 1.4rem; margin: 0; } h2 { font-size: 1rem; margin: 1.2rem 0 .4rem; }
header p, small { color: var(--dim); } small { display: block; font-size: .8rem; }
:focus-visible { outline: 2px solid var(--accent); outline-offset: 1px; }
.facts { display: flex; flex-wrap: wrap; gap: .8rem; }
.facts > div { background: var(--soft); border-radius: .4rem; padding: .6rem .9rem; min-width: 9rem; }
dt { color: var(--dim); font-size: .8rem; } dd { margin: 0; font-size: 1.3rem; }
.warning { color: var(--warn); border-left: 3px solid; padding-left: .6rem; }
.good { color: var(--good); } .bad { color: var(--bad); } .none { color: var(--dim); }
.scroll { overflow-x: auto; }
table { border-collapse: collapse; } #rows { width: 100%; table-layout: fixed; }
th, td { text-align: left; padding: .25rem .6rem; border-bottom: 1px solid var(--line); vertical-align: top; }
td { font-variant-numeric: tabular-nums; }
#rows td { overflow: hidden; text-overflow: ellipsis; white-space: nowrap; }
#rows thead th { position: sticky; top: 0; background: var(--bg); overflow-wrap: anywhere; vertical-align: bottom; }
#rows .truth { width: 22%; } #detail > details { margin-bottom: .8rem; }
#rows th.number, #rows td.number { width: 7rem; text-align: right; }
#rows tbody tr { cursor: pointer; } #rows tbody tr:hover { background: var(--soft); }
#rows tbody tr[aria-expanded=true] { background: var(--soft); font-weight: 600; }
button { font: inherit; color: inherit; background: none; border: 0; padding: 0; cursor: pointer; }
th button::after { content: ''; } th[aria-sort=ascending] button::after { content: ' ▲'; }
th[aria-sort=descending] button::after { content: ' ▼'; }
input, select { font: inherit; color: inherit; background: var(--bg); border: 1px solid var(--line);
  border-radius: .3rem; padding: .3rem .5rem; }
.tools { display: flex; flex-wrap: wrap; gap: .6rem; align-items: center; margin: .6rem 0; }
.charts { display: flex; flex-wrap: wrap; gap: 1rem; margin-top: 1.5rem; } figure { margin: 0; width: 20rem; }
figcaption { font-size: .85rem; overflow-wrap: anywhere; } svg text { font-size: 10px; fill: var(--dim); }
.bar { fill: var(--accent); } .axis, .range { stroke: var(--dim); } .range { stroke-width: 2; }
.curve { fill: none; stroke: var(--accent); stroke-width: 1.5; } .point { fill: var(--accent); }
#rows .holder, #rows .holder:hover { cursor: auto; background: none; }
#rows .holder > td { white-space: normal; border-left: 3px solid var(--accent); padding: .2rem 1rem 1rem; }
.runs { display: grid; grid-auto-flow: column; grid-auto-columns: minmax(22rem, 1fr); gap: 1rem; overflow-x: auto; }
.run { min-width: 0; } .run h3 { font-size: .95rem; margin: 0 0 .3rem; }
.message { border-left: 3px solid var(--line); margin: .4rem 0; padding: .2rem .6rem; }
.message.assistant { border-color: var(--accent); } .message.tool { border-color: var(--dim); }
.role { color: var(--dim); font-size: .8rem; }
pre, .text { white-space: pre-wrap; overflow-wrap: anywhere; margin: .2rem 0; font: 13px/1.4 ui-monospace, monospace; }
.text { font: inherit; }
.reason { color: var(--dim); font-style: italic; margin: .2rem 0; }
`;
