import type { Estimate } from '../../statistics/index.js';
import { formatPercent, formatScore } from '../formats.js';
import { markup, type Markup } from './markup.js';

const WIDTH = 320;
const HEIGHT = 140;
const [LEFT, RIGHT, TOP, BOTTOM] = [36, 8, 10, 22];
const PLOT_WIDTH = WIDTH - LEFT - RIGHT;
const PLOT_HEIGHT = HEIGHT - TOP - BOTTOM;
const MOST_BINS = 10;
const WIDEST_BAR = 48;

interface Bin {
  readonly from: number;
  readonly to: number;
  readonly count: number;
}

/** How often which score was given. One bar for each value while there are few, else ten equal ranges. */
export function histogram(title: string, scores: readonly number[]): Markup {
  if (scores.length === 0) return markup`<p class="none">${title}: no scores</p>`;
  const bins = binsOf(scores);
  const most = bins.reduce((highest, { count }) => Math.max(highest, count), 0);
  const width = PLOT_WIDTH / bins.length;
  const bars = bins.map(({ from, to, count }, index) => {
    const height = (count / most) * PLOT_HEIGHT;
    const range = from === to ? formatScore(from) : `${formatScore(from)} to ${formatScore(to)}`;
    const barWidth = Math.min(WIDEST_BAR, Math.max(1, width - 2));
    const [x, y] = [round(LEFT + (index + 0.5) * width - barWidth / 2), round(TOP + PLOT_HEIGHT - height)];
    const size = markup`width="${round(barWidth)}" height="${round(height)}"`;
    return markup`<rect class="bar" x="${x}" y="${y}" ${size}><title>${range}: ${count} runs</title></rect>`;
  });
  const [first, last] = [formatScore(bins[0]?.from ?? 0), formatScore(bins.at(-1)?.to ?? 0)];
  const description = `${title}: ${scores.length} scores from ${first} to ${last}`;
  return chart(title, description, markup`${bars}${axis(first, last)}${scale(String(most))}`);
}

function binsOf(scores: readonly number[]): Bin[] {
  const counts = new Map<number, number>();
  for (const score of scores) counts.set(score, (counts.get(score) ?? 0) + 1);
  const values = [...counts].sort(([a], [b]) => a - b);
  if (values.length <= MOST_BINS) return values.map(([value, count]) => ({ from: value, to: value, count }));
  const low = values[0]?.[0] ?? 0;
  const size = ((values.at(-1)?.[0] ?? 0) - low) / MOST_BINS;
  const bins = Array.from({ length: MOST_BINS }, (_, at) => ({
    from: low + at * size,
    to: low + (at + 1) * size,
    count: 0,
  }));
  for (const [value, count] of values) {
    const bin = bins[Math.min(MOST_BINS - 1, Math.floor((value - low) / size))];
    if (bin) bin.count += count;
  }
  return bins;
}

/** pass@k over k, with the intervals as bars. */
export function passCurve(title: string, estimates: ReadonlyMap<number, Estimate>): Markup {
  const points = [...estimates].flatMap(([k, { value, interval }]) => (value === null ? [] : [{ k, value, interval }]));
  if (points.length < 2) return markup``;
  const [first, last] = [points[0]?.k ?? 1, points.at(-1)?.k ?? 1];
  const x = (k: number): number => round(LEFT + 8 + ((k - first) / (last - first)) * (PLOT_WIDTH - 16));
  const y = (value: number): number => round(TOP + (1 - value) * PLOT_HEIGHT);
  const line = points.map(({ k, value }) => `${x(k)},${y(value)}`).join(' ');
  const marks = points.map(({ k, value, interval }) => {
    const told = `pass@${k}: ${formatPercent(value)}`;
    const whole = interval ? `${told}, ${formatPercent(interval.low)} to ${formatPercent(interval.high)}` : told;
    const bar = interval && verticalLine('range', x(k), y(interval.low), y(interval.high));
    return markup`${bar}<circle class="point" cx="${x(k)}" cy="${y(value)}" r="3"><title>${whole}</title></circle>`;
  });
  const description = `${title}: ${points.map(({ k, value }) => `pass@${k} ${formatPercent(value)}`).join(', ')}`;
  const axes = markup`${axis(`k=${first}`, `k=${last}`)}${scale('100%')}`;
  return chart(title, description, markup`<polyline class="curve" points="${line}"/>${marks}${axes}`);
}

function chart(title: string, description: string, content: Markup): Markup {
  const svg = markup`<svg role="img" aria-label="${description}" viewBox="0 0 ${WIDTH} ${HEIGHT}">${content}</svg>`;
  return markup`<figure><figcaption>${title}</figcaption>${svg}</figure>`;
}

function axis(from: string, to: string): Markup {
  const [y, below] = [TOP + PLOT_HEIGHT, HEIGHT - 6];
  const line = markup`<line class="axis" x1="${LEFT}" x2="${WIDTH - RIGHT}" y1="${y}" y2="${y}"/>`;
  return markup`${line}${label(from, LEFT, below, 'start')}${label(to, WIDTH - RIGHT, below, 'end')}`;
}

function scale(top: string): Markup {
  return markup`${label(top, LEFT - 4, TOP + 8, 'end')}${label('0', LEFT - 4, TOP + PLOT_HEIGHT, 'end')}`;
}

function verticalLine(className: string, x: number, from: number, to: number): Markup {
  return markup`<line class="${className}" x1="${x}" x2="${x}" y1="${from}" y2="${to}"/>`;
}

function label(text: string, x: number, y: number, anchor: 'start' | 'end'): Markup {
  return markup`<text x="${x}" y="${y}" text-anchor="${anchor}">${text}</text>`;
}

function round(value: number): number {
  return Math.round(value * 100) / 100;
}
