import { resolve } from 'node:path';
import { note, warn, writeJson, type CommandContext } from '../../cli/command-context.js';
import type { ParsedLine } from '../../cli/parse.js';
import { reportError } from '../../cli/report-error.js';
import { Interruption } from '../../cli/interruption.js';
import { FileOutput, StreamOutput, type LineOutput } from './line-output.js';
import { filterOf, openSource } from './open-source.js';
import type { RolloutJson } from './rollout-json.js';
import { rolloutPages, type ListFilter, type RolloutContents, type RolloutSource } from './rollout-source.js';
import { ROLLOUTS_EXPORT } from './rollouts.declarations.js';

export async function run(context: CommandContext, line: ParsedLine): Promise<number> {
  const { options } = line;
  const given = options.text('output');
  const path = given === undefined ? null : resolve(context.cwd, given);
  const interruption = new Interruption();
  const { signal } = interruption.cancellation;
  let source: RolloutSource | null = null;
  let output: LineOutput | null = null;
  let count = 0;
  try {
    source = await openSource(context, options, signal);
    output = path === null ? new StreamOutput(context.stdout) : await FileOutput.create(path);
    if (source.contents === null) {
      warn(context, 'A server hands out neither messages nor requests: they are null. --data-dir has them.');
    }
    const most = options.integer('limit') ?? Infinity;
    for await (const text of exportLines(source, filterOf(options), most)) {
      signal.throwIfAborted();
      await output.write(text);
      count++;
    }
    await output.finish();
  } catch (error) {
    if (interruption.exitCode === null) throw error;
    const kept = path === null ? `${rollouts(count)} were written.` : `${path} is as it was.`;
    const { exitCode } = interruption;
    return reportError(context, ROLLOUTS_EXPORT.name, { code: 'CANCELLED', message: `Interrupted. ${kept}`, exitCode });
  } finally {
    await output?.close();
    source?.close();
    interruption.dispose();
  }
  if (path !== null && context.json) writeJson(context, ROLLOUTS_EXPORT.name, { path, count });
  else note(context, path === null ? `${rollouts(count)}.` : `${rollouts(count)} written to ${path}`);
  return 0;
}

async function* exportLines(source: RolloutSource, filter: ListFilter, most: number): AsyncGenerator<string, void> {
  let left = most;
  for await (const page of rolloutPages(source, filter)) {
    for (const rollout of page) {
      if (rollout.status === null) continue;
      yield JSON.stringify(exportedRollout(rollout, source.contents));
      if (--left <= 0) return;
    }
  }
}

function exportedRollout(rollout: RolloutJson, contents: RolloutContents | null): object {
  const { rollout_id: id, agent, status, finish_reason, reward, rewards, metrics, failure } = rollout;
  return {
    rollout_id: id,
    agent,
    status,
    finish_reason,
    reward,
    rewards,
    metrics,
    failure,
    messages: contents?.messages(id) ?? null,
    request: contents?.request(id) ?? null,
  };
}

function rollouts(count: number): string {
  return count === 1 ? '1 rollout' : `${count} rollouts`;
}
