import type { Estimate } from '../statistics/index.js';

/** `123ms` below a second, `1.5s` below a minute, `2m5.5s` from there on (spec F.4). */
export function formatDuration(milliseconds: number): string {
  if (Math.round(milliseconds) < 1_000) return `${Math.round(milliseconds)}ms`;
  // What would show as 60.0s is a minute.
  const tenths = Math.round(milliseconds / 100);
  if (tenths < 600) return `${(tenths / 10).toFixed(1)}s`;
  return `${Math.floor(tenths / 600)}m${((tenths % 600) / 10).toFixed(1)}s`;
}

/** With commas between thousands (spec F.4). */
export function formatTokens(tokens: number): string {
  return tokens.toLocaleString('en-US');
}

/** Integers without decimals, everything else with three; `N/A` for what there is not (spec F.8). */
export function formatScore(value: number | null): string {
  if (value === null) return 'N/A';
  return Number.isInteger(value) ? String(value) : value.toFixed(3);
}

export function formatPercent(value: number | null): string {
  return value === null ? 'N/A' : `${(value * 100).toFixed(1)}%`;
}

/** `0.812 [0.701, 0.893]`. */
export function formatEstimate({ value, interval }: Estimate, format = formatScore): string {
  return interval ? `${format(value)} [${format(interval.low)}, ${format(interval.high)}]` : format(value);
}

/**
 * A value that is held against a limit, with as many digits as it takes to tell them apart: 0.7966 does not show as 0.80
 * beside a limit of 0.8 that it misses (case ST-06).
 */
export function formatBeside(value: number | null, limit: number): string {
  if (value === null) return 'N/A';
  if (value === limit) return formatScore(value);
  for (let digits = 3; digits < 12; digits++) {
    if (value.toFixed(digits) !== limit.toFixed(digits)) return value.toFixed(digits);
  }
  return String(value);
}

/** One line of at most so many characters: line breaks become spaces, what is too long ends in `...` (spec F.6). */
export function oneLine(text: string, length = 50): string {
  const line = text.replace(/\s*\n\s*/g, ' ');
  return line.length > length ? `${line.slice(0, length - 3)}...` : line;
}

/** US dollars, with enough digits for a fraction of a cent. */
export function formatCost(dollars: number): string {
  return `$${dollars.toFixed(dollars < 1 ? 4 : 2)}`;
}
