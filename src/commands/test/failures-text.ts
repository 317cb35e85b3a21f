import type { RunSummary } from '#evaluation';
import { counted } from '../../cli/counted.js';
import type { Paint } from '../../cli/paint.js';
import { printable } from '../../cli/printable.js';

/** Different errors that are shown of one class. */
const MOST_ERRORS = 3;

/** The failed rows by class, the most frequent first, and within a class by what was said, unabridged. */
export function failuresText(runs: readonly RunSummary[], paint: Paint): string {
  const failed = runs.filter(({ success }) => !success);
  const classes = groupBy(failed, ({ failure }) => failure?.class ?? 'agent');
  const blocks = classes.map(([name, group]) => {
    const errors = groupBy(group, ({ error }) => error ?? 'no reason given');
    const lines = errors.slice(0, MOST_ERRORS).map(([error, rows]) => `${rowsOf(rows)}: ${error}`);
    const left = errors.length > MOST_ERRORS ? [`… and ${counted(errors.length - MOST_ERRORS, 'further error')}`] : [];
    return `${paint('red', `${group.length} ×`)} ${name}\n${[...lines, ...left].map(indented).join('')}`;
  });
  return `${paint('bold', 'Failures')}\n${blocks.join('')}`;
}

/** `row 2`, `row 2 and 1 more`. */
function rowsOf([first, ...others]: readonly RunSummary[]): string {
  return `row ${first?.row_index}${others.length > 0 ? ` and ${others.length} more` : ''}`;
}

function indented(text: string): string {
  return `${printable(text).replace(/^/gm, '    ')}\n`;
}

/** The largest group first. */
function groupBy<Item>(items: readonly Item[], key: (item: Item) => string): [string, Item[]][] {
  const groups = new Map<string, Item[]>();
  for (const item of items) {
    const group = groups.get(key(item));
    if (group) group.push(item);
    else groups.set(key(item), [item]);
  }
  return [...groups].sort(([, a], [, b]) => b.length - a.length);
}
