import { Injectable } from '@nestjs/common';
import { Cancellation, OsmosisError, systemClock } from '#domain';
import { Dataset } from '../dataset/index.js';
import { AgentHost } from '../run/agent.host.js';
import { countRows } from '../run/batch.js';
import { limitsOf, type RunOptions } from '../run/run.options.js';
import type { InteractiveIo } from './line.input.js';
import { RowSession, type AfterRow, type RowSessionParts } from './row.session.js';

export interface InteractiveOptions extends Pick<
  RunOptions,
  'dataset' | 'agent' | 'model' | 'tools' | 'limits' | 'preflight' | 'cancellation'
> {
  readonly io: InteractiveIo;
  /** Row to begin with, by its number in the file. */
  readonly row?: number;
}

/** Steps through rollouts with a person, or a script on a pipe, who decides after each answer of the model (spec F.7). */
@Injectable()
export class InteractiveRunner {
  constructor(private readonly host: AgentHost) {}

  /**
   * Until the input ends or says so.
   *
   * @throws DatasetError, AgentNotFoundError, OsmosisError USAGE, and ProviderRequestError when the model cannot be asked at
   *   all. What goes wrong in a row is shown
   */
  async run(options: InteractiveOptions): Promise<void> {
    if (options.dataset.path === '-') {
      throw new OsmosisError('USAGE', 'Standard input is where the commands come from; give the dataset as a file.');
    }
    const { model, io, tools = [], cancellation = new Cancellation() } = options;
    const agent = this.host.agent(options.agent);
    const limits = limitsOf(options.limits);
    const dataset = await Dataset.open(options.dataset);
    try {
      const rows = await countRows(dataset);
      if (options.preflight !== false) await model.preflight();
      const parts = { host: this.host, agent, tools, model, limits, io, clock: systemClock, cancellation };
      await stepThrough(dataset, rows, parts, options.row);
    } finally {
      await dataset.close();
    }
  }
}

async function stepThrough(dataset: Dataset, rows: number, parts: RowSessionParts, first?: number): Promise<void> {
  const { io, cancellation } = parts;
  const offset = dataset.spec.offset ?? 0;
  const range = `${offset}-${offset + rows - 1}`;
  let next: AfterRow = first === undefined ? { kind: 'choose' } : { kind: 'row', row: first };
  while (next.kind !== 'end' && cancellation.reason === null) {
    if (next.kind === 'choose') {
      next = readChoice(await io.readLine(`Row (${range}), or q to quit: `), io);
      continue;
    }
    const row = await dataset.row(next.row);
    if (row) next = await new RowSession(parts, row).run();
    else {
      io.write(`There is no row ${next.row}. Rows: ${range}.\n`);
      next = { kind: 'choose' };
    }
  }
}

function readChoice(line: string | null, io: InteractiveIo): AfterRow {
  const text = line?.trim().toLowerCase();
  if (text === undefined || ['q', 'quit', 'exit'].includes(text)) return { kind: 'end' };
  const number = /^(?:r(?:ow)?\s+)?(\d+)$/.exec(text)?.[1];
  if (number !== undefined) return { kind: 'row', row: Number(number) };
  io.write('Give the number of a row, or q.\n');
  return { kind: 'choose' };
}
