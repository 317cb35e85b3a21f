/** `12 ms`, `1.5 s`, `3 min 20 s`, `5 h 3 min`, `2 d 4 h`. */
export function durationText(ms: number): string {
  const whole = Math.max(0, Math.round(ms));
  if (whole < 1_000) return `${whole} ms`;
  if (whole < 59_950) return `${(whole / 1_000).toFixed(1)} s`;
  const seconds = Math.round(whole / 1_000);
  if (seconds < 3_600) return units([Math.floor(seconds / 60), 'min'], [seconds % 60, 's']);
  const minutes = Math.round(seconds / 60);
  if (minutes < 48 * 60) return units([Math.floor(minutes / 60), 'h'], [minutes % 60, 'min']);
  const hours = Math.round(minutes / 60);
  return units([Math.floor(hours / 24), 'd'], [hours % 24, 'h']);
}

function units(...parts: readonly (readonly [number, string])[]): string {
  return parts
    .filter(([count]) => count > 0)
    .map(([count, unit]) => `${count} ${unit}`)
    .join(' ');
}

/** Milliseconds between two ISO 8601 times. */
export function millisecondsBetween(from: string, to: string): number {
  return Date.parse(to) - Date.parse(from);
}
