import { OsmosisError } from '#domain';
import { writeJson, type CommandContext } from '../../cli/command-context.js';
import type { ParsedLine } from '../../cli/parse.js';
import { conversationText } from './conversation-text.js';
import { openSource } from './open-source.js';
import { ROLLOUTS_SHOW } from './rollouts.declarations.js';
import { showText } from './show-text.js';

export async function run(context: CommandContext, line: ParsedLine): Promise<number> {
  const { options } = line;
  const rolloutId = line.arguments[0] ?? '';
  const source = await openSource(context, options);
  try {
    const { contents } = source;
    const wanted = options.flag('messages');
    if (wanted && contents === null) {
      const cure = 'Add --data-dir with the directory that the server keeps its rollouts in.';
      throw new OsmosisError('USAGE', `--messages needs the stored files: a server hands no messages out. ${cure}`);
    }
    const rollout = await source.get(rolloutId);
    const messages = wanted ? contents?.messages(rolloutId) : undefined;
    if (context.json) {
      writeJson(context, ROLLOUTS_SHOW.name, messages ? { ...rollout, messages } : rollout);
      return 0;
    }
    const paint = context.paint.stdout;
    context.stdout.write(showText(rollout, Date.now(), paint));
    if (messages) context.stdout.write(conversationText(messages, paint));
    return 0;
  } finally {
    source.close();
  }
}
