import { OsmosisError } from '#domain';
import { note, writeJson, type CommandContext } from '../../cli/command-context.js';
import type { ParsedLine } from '../../cli/parse.js';
import type { ParsedOptions } from '../../cli/parsed-options.js';
import { openServer } from './open-source.js';
import { forEachId } from './for-each-id.js';
import type { RolloutJson } from './rollout-json.js';
import type { RolloutServer } from './rollout-server.js';
import { ROLLOUTS_CANCEL } from './rollouts.declarations.js';
import { idText } from './safe-text.js';

const COMMAND = ROLLOUTS_CANCEL.name;

export async function run(context: CommandContext, { options, arguments: ids }: ParsedLine): Promise<number> {
  const server = openServer(context, options, COMMAND);
  const several = readSeveral(options, ids.length);
  return several ? cancelSeveral(context, server, several) : cancelNamed(context, server, ids);
}

async function cancelSeveral(
  context: CommandContext,
  server: RolloutServer,
  which: { readonly prefix: string } | { readonly all: true },
): Promise<number> {
  const cancelled = await server.cancelSeveral(which);
  if (context.json) writeJson(context, COMMAND, { cancelled, kept: [] });
  else if (cancelled.length === 0) note(context, 'There was nothing to cancel.');
  else for (const id of cancelled) context.stdout.write(`${idText(id)}: cancelled\n`);
  return 0;
}

async function cancelNamed(context: CommandContext, server: RolloutServer, ids: readonly string[]): Promise<number> {
  const cancelled: string[] = [];
  const kept: RolloutJson[] = [];
  await forEachId(ids, async (id) => {
    const rollout = await server.cancel(id);
    const ends = isCancelled(rollout);
    if (ends) cancelled.push(id);
    else kept.push(rollout);
    if (!context.json)
      context.stdout.write(`${idText(id)}: ${ends ? 'cancelled' : `ended before, ${rollout.status}`}\n`);
  });
  if (context.json) writeJson(context, COMMAND, { cancelled, kept: kept.map(({ rollout_id: id }) => id) });
  return 0;
}

/** An outcome stays what it is. One that is not sealed yet will be, within a moment, as cancelled. */
function isCancelled({ sealed_at: sealedAt, failure }: RolloutJson): boolean {
  return sealedAt === null || failure?.class === 'cancelled';
}

/** Null when ids are named. Exactly one way to say which: nobody is to end everything by a slip. */
function readSeveral(
  options: ParsedOptions,
  idCount: number,
): { readonly prefix: string } | { readonly all: true } | null {
  const prefix = options.text('prefix');
  const all = options.flag('all');
  const ways = Number(idCount > 0) + Number(prefix !== undefined) + Number(all);
  if (ways !== 1) throw new OsmosisError('USAGE', 'Name what to cancel: either ids, or --prefix, or --all.');
  if (prefix === '') throw new OsmosisError('USAGE', '--prefix is empty. To cancel everything, write --all.');
  return prefix !== undefined ? { prefix } : all ? { all: true } : null;
}
