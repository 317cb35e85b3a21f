const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

/** `expires in 3 days`, `expired 2 hours ago`; whole units, rounded down. */
export function expiryInWords(expiresAt: Date, nowMs: number): string {
  const leftMs = expiresAt.getTime() - nowMs;
  return leftMs > 0 ? `expires in ${duration(leftMs)}` : `expired ${duration(-leftMs)} ago`;
}

function duration(ms: number): string {
  if (ms < MINUTE) return 'less than a minute';
  if (ms < HOUR) return count(ms / MINUTE, 'minute');
  if (ms < DAY) return count(ms / HOUR, 'hour');
  return count(ms / DAY, 'day');
}

function count(amount: number, unit: string): string {
  const whole = Math.floor(amount);
  return `${whole} ${unit}${whole === 1 ? '' : 's'}`;
}
