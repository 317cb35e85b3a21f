import type { Colour, Paint } from '../../cli/paint.js';
import { durationText } from './duration-text.js';
import type { RolloutJson } from './rollout-json.js';
import { idText, oneLine } from './safe-text.js';

type Cell = readonly [text: string, colour?: Colour];

const HEAD: readonly Cell[] = ['id', 'agent', 'state', 'status', 'reward', 'turns', 'age', 'delivery'].map((name) => [
  name,
  'bold',
]);
/** Figures stand to the right. */
const RIGHT: ReadonlySet<number> = new Set([4, 5, 6]);
/** A longer name pushes its own row only. Ids are never cut: they are copied from here. */
const WIDEST = 48;

/** One page of the list. Pages are laid out each by itself: nobody waits for the last one to see the first. */
export function listTable(rollouts: readonly RolloutJson[], nowMs: number, paint: Paint, withHead: boolean): string {
  const rows = rollouts.map((rollout) => cellsOf(rollout, nowMs));
  const widths = HEAD.map(([name], column) =>
    Math.min(WIDEST, Math.max(name.length, ...rows.map((row) => row[column]?.[0].length ?? 0))),
  );
  return [...(withHead ? [HEAD] : []), ...rows].map((row) => `${rowText(row, widths, paint)}\n`).join('');
}

function rowText(row: readonly Cell[], widths: readonly number[], paint: Paint): string {
  return row
    .map(([text, colour], column) => {
      const blanks = ' '.repeat(Math.max(0, (widths[column] ?? 0) - text.length));
      const shown = colour ? paint(colour, text) : text;
      if (RIGHT.has(column)) return blanks + shown;
      return column === row.length - 1 ? shown : shown + blanks;
    })
    .join('  ');
}

function cellsOf(rollout: RolloutJson, nowMs: number): readonly Cell[] {
  const { rollout_id: id, agent, reward, metrics, turns, accepted_at: acceptedAt } = rollout;
  return [
    [idText(id)],
    [oneLine(agent)],
    [oneLine(stateText(rollout))],
    statusCell(rollout),
    [reward === null ? '-' : rewardText(reward)],
    [metrics === null ? '-' : String(turns)],
    [durationText(nowMs - Date.parse(acceptedAt))],
    deliveryCell(rollout),
  ];
}

/** `running (tools)`; elsewhere the phase says nothing new. */
export function stateText({ state, phase }: RolloutJson): string {
  return phase !== null && (state === 'running' || state === 'scoring') ? `${state} (${phase})` : state;
}

function statusCell({ status, failure }: RolloutJson): Cell {
  if (status === null) return ['-'];
  const text = oneLine(failure ? `${status} (${failure.class})` : status);
  return [text, statusColour(status)];
}

export function statusColour(status: string): Colour {
  return status === 'COMPLETED' ? 'green' : 'red';
}

function deliveryCell({ delivery }: RolloutJson): Cell {
  if (delivery === null) return ['-'];
  const { state, attempts } = delivery;
  const text = oneLine(attempts > 1 || state === 'dead' ? `${state} (${attempts})` : state);
  return state === 'dead' ? [text, 'red'] : state === 'pending' ? [text, 'yellow'] : [text];
}

/** As many digits as it has, four behind the point at most. */
export function rewardText(value: number): string {
  return String(Number(value.toFixed(4)));
}
