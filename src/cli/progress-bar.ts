import type { CommandContext } from './command-context.js';

const CELLS = 24;
/** A terminal over a slow line is not drowned. */
const INTERVAL_MS = 100;
const CLEAR_LINE = '\r\u001b[2K';

/**
 * One line on stderr that is written over and over. Writes nothing where no terminal listens, with `--quiet` and with
 * `--json`, and for a single step.
 */
export class ProgressBar {
  readonly #enabled: boolean;
  readonly #startedAt = performance.now();
  #drawnAt = -Infinity;

  constructor(
    private readonly context: CommandContext,
    private readonly label: string,
  ) {
    const { terminal, quiet, json, env } = context;
    this.#enabled = terminal.stderr && !quiet && !json && env['TERM'] !== 'dumb';
  }

  /** @param note said behind the figures, in a few words */
  update(done: number, total: number, note = ''): void {
    const now = performance.now();
    if (!this.#enabled || total < 2 || (done < total && now - this.#drawnAt < INTERVAL_MS)) return;
    this.#drawnAt = now;
    const cells = Math.floor((done / total) * CELLS);
    const bar = `${this.context.paint.stderr('green', '#'.repeat(cells))}${'-'.repeat(CELLS - cells)}`;
    const left = done === 0 ? '' : `, ${remaining((now - this.#startedAt) * (total / done - 1))} left`;
    const figures = [`${done}/${total}${left}`, note].filter(Boolean).join(', ');
    this.context.stderr.write(`${CLEAR_LINE}${this.label} [${bar}] ${figures.slice(0, this.room)}`);
  }

  /** Characters behind the bar: a line that wraps could not be taken away. */
  private get room(): number {
    // A terminal that does not know its width says 0.
    const columns = this.context.stderr.columns || 80;
    return Math.max(0, columns - this.label.length - CELLS - ' [] '.length - 1);
  }

  /** Takes the line away, so that other output stands alone. */
  clear(): void {
    if (this.#drawnAt === -Infinity) return;
    this.#drawnAt = -Infinity;
    this.context.stderr.write(CLEAR_LINE);
  }
}

function remaining(ms: number): string {
  const seconds = Math.ceil(ms / 1000);
  if (seconds < 60) return `${seconds} s`;
  const minutes = Math.ceil(seconds / 60);
  return minutes < 60 ? `${minutes} min` : `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}
