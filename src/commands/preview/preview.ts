import { resolve } from 'node:path';
import { formatFileProblem, PreviewService, RubricFileError, type RubricPreview } from '#rubric/preview';
import { warn, writeJson, type CommandContext } from '../../cli/command-context.js';
import type { ParsedLine } from '../../cli/parse.js';

const KINDS = {
  rubrics: { many: 'rubric config(s)', one: 'Rubric config' },
  records: { many: 'JSONL record(s)', one: 'JSONL record' },
} as const;

export async function run(context: CommandContext, line: ParsedLine): Promise<number> {
  const preview = await new PreviewService().load(resolve(context.cwd, line.options.text('path') ?? ''));
  const { path, problems, warnings } = preview;
  for (const warning of warnings) warn(context, formatFileProblem(path, warning));
  // Without a rubric there is nothing wrong either (spec D.6), but hardly anybody means it so (case YM-09).
  if (preview.items.length === 0 && problems.length === 0) warn(context, `${path}: holds no rubric entries.`);
  if (!context.json) context.stdout.write(listing(context, preview));
  if (problems.length > 0) throw new RubricFileError(path, problems);
  if (context.json) writeJson(context, 'preview', preview);
  return 0;
}

/** The form of the reference (spec C.1, C.2, D.6), with the reasons it does not give (weakness H 9). */
function listing({ paint }: CommandContext, { kind, path, items, usable }: RubricPreview): string {
  const { many, one } = KINDS[kind];
  const unusable = items.length - usable;
  const blocks = items.map(({ label, text, problems }, index) =>
    [
      `${paint.stdout('bold', `${one} #${index + 1}`)} (${label})`,
      text.trimEnd(),
      ...problems.map((problem) => paint.stdout('red', `! ${formatFileProblem(path, problem)}`)),
      '',
    ].join('\n'),
  );
  const heading = `Loaded ${items.length} ${many} from ${path}`;
  const note = unusable > 0 ? `${unusable} of them cannot be used as they are; lines with ! say why` : '';
  return `${[heading, note].filter(Boolean).join('\n')}\n${blocks.map((block) => `\n${block}`).join('')}`;
}
