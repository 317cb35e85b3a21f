import { note, warn, writeJson, type CommandContext } from '../../cli/command-context.js';
import type { ParsedLine } from '../../cli/parse.js';
import { reportError } from '../../cli/report-error.js';
import { Interruption } from '../../cli/interruption.js';
import { openSink, type ExportSink } from './export-sink.js';
import { filterOf, openSource } from './open-source.js';
import type { RolloutJson } from './rollout-json.js';
import { rolloutPages, type ListFilter, type RolloutSource } from './rollout-source.js';
import { ROLLOUTS_EXPORT } from './rollouts.declarations.js';

export async function run(context: CommandContext, line: ParsedLine): Promise<number> {
  const { options } = line;
  const interruption = new Interruption();
  const { signal } = interruption.cancellation;
  let source: RolloutSource | null = null;
  let sink: ExportSink | null = null;
  let count = 0;
  let empty = 0;
  try {
    source = await openSource(context, options, signal);
    sink = await openSink(context, options, source.contents);
    if (source.contents === null) {
      warn(context, 'A server hands out neither messages nor requests: they are null. --data-dir has them.');
    }
    const most = options.integer('limit') ?? Infinity;
    for await (const rollout of finished(source, filterOf(options), most)) {
      signal.throwIfAborted();
      if (await sink.write(rollout)) count++;
      else empty++;
    }
    await sink.finish();
  } catch (error) {
    if (interruption.exitCode === null) throw error;
    const kept = sink?.isAtomic ? `${sink.path} is as it was.` : `${rollouts(count)} were written.`;
    const { exitCode } = interruption;
    return reportError(context, ROLLOUTS_EXPORT.name, { code: 'CANCELLED', message: `Interrupted. ${kept}`, exitCode });
  } finally {
    await sink?.close();
    source?.close();
    interruption.dispose();
  }
  const { path } = sink;
  if (empty > 0) note(context, `${rollouts(empty)} without any message left out.`);
  if (path !== null && context.json) writeJson(context, ROLLOUTS_EXPORT.name, { path, count });
  else note(context, path === null ? `${rollouts(count)}.` : `${rollouts(count)} written to ${path}`);
  return 0;
}

async function* finished(source: RolloutSource, filter: ListFilter, most: number): AsyncGenerator<RolloutJson, void> {
  let left = most;
  for await (const page of rolloutPages(source, filter)) {
    for (const rollout of page) {
      if (rollout.status === null) continue;
      yield rollout;
      if (--left <= 0) return;
    }
  }
}

function rollouts(count: number): string {
  return count === 1 ? '1 rollout' : `${count} rollouts`;
}
