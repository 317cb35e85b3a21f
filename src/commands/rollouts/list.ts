import { note, writeJson, type CommandContext } from '../../cli/command-context.js';
import type { ParsedLine } from '../../cli/parse.js';
import { listTable } from './list-table.js';
import { filterOf, openSource } from './open-source.js';
import type { RolloutJson } from './rollout-json.js';
import { rolloutPages } from './rollout-source.js';
import { DEFAULT_LIMIT, ROLLOUTS_LIST } from './rollouts.declarations.js';
import { idText } from './safe-text.js';

export async function run(context: CommandContext, { options }: ParsedLine): Promise<number> {
  const source = await openSource(context, options);
  const limit = options.flag('allPages') ? Infinity : (options.integer('limit') ?? DEFAULT_LIMIT);
  const all: RolloutJson[] = [];
  let count = 0;
  let last: RolloutJson | undefined;
  try {
    for await (const page of rolloutPages(source, filterOf(options), limit)) {
      if (context.json) all.push(...page);
      else context.stdout.write(listTable(page, Date.now(), context.paint.stdout, count === 0));
      count += page.length;
      last = page.at(-1);
    }
  } finally {
    source.close();
  }
  const next = last && count >= limit ? last.rollout_id : null;
  if (context.json) writeJson(context, ROLLOUTS_LIST.name, { rollouts: all, next });
  else if (count === 0) note(context, 'No rollouts.');
  else if (next !== null) note(context, `There may be more: --after ${idText(next)}, or --all-pages.`);
  return 0;
}
