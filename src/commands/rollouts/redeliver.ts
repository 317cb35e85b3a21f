import { writeJson, type CommandContext } from '../../cli/command-context.js';
import type { ParsedLine } from '../../cli/parse.js';
import { forEachId } from './for-each-id.js';
import { openServer } from './open-source.js';
import type { RolloutJson } from './rollout-json.js';
import { ROLLOUTS_REDELIVER } from './rollouts.declarations.js';
import { idText } from './safe-text.js';

/** The delivery itself goes on in the server: `rollouts show` tells how it ended. */
export async function run(context: CommandContext, { options, arguments: ids }: ParsedLine): Promise<number> {
  const server = openServer(context, options, ROLLOUTS_REDELIVER.name);
  const rollouts: RolloutJson[] = [];
  await forEachId(ids, async (id) => {
    rollouts.push(await server.redeliver(id));
    if (!context.json) context.stdout.write(`${idText(id)}: on its way again\n`);
  });
  if (context.json) writeJson(context, ROLLOUTS_REDELIVER.name, { rollouts });
  return 0;
}
