import { resolve } from 'node:path';
import { curriculumLines, logNamedBy, selectCurriculum, writeAtomically } from '#evaluation/plain';
import { note, writeJson, type CommandContext } from '../../cli/command-context.js';
import type { ParsedLine } from '../../cli/parse.js';
import { EVAL_CURRICULUM } from './eval-logs.declarations.js';

export async function run(context: CommandContext, { options, arguments: [file = ''] }: ParsedLine): Promise<number> {
  const log = logNamedBy(resolve(context.cwd, file));
  const given = options.text('output');
  const path = given === undefined ? null : resolve(context.cwd, given);
  const selected = await selectCurriculum({
    log,
    keep: options.text('keep') ?? '',
    scorer: options.text('scorer'),
    threshold: options.number('passThreshold'),
  });
  const lines = await curriculumLines(log, selected);
  if (path !== null) await writeAtomically(path, lines);
  else if (!context.json) for (const line of lines) context.stdout.write(line);
  if (context.json) writeJson(context, EVAL_CURRICULUM.name, { path, ...selected });
  const { kept, rows, scorer } = selected;
  const target = path === null ? '' : `, written to ${path}`;
  note(context, `${kept.length} of ${rows} rows kept${scorer === undefined ? '' : `, by ${scorer}`}${target}.`);
  return 0;
}
