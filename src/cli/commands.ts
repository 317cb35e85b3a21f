import type { Type } from '@nestjs/common';
import { COMPLETION } from '../commands/completion/completion.declaration.js';
import { CONFIG } from '../commands/config/config.declaration.js';
import { DATASET_CHECK } from '../commands/dataset-check/dataset-check.declaration.js';
import { EVAL } from '../commands/eval/eval.declaration.js';
import { EVAL_CURRICULUM, EVAL_REPORT, EVAL_RESCORE } from '../commands/eval/eval-logs.declarations.js';
import { EVAL_RUBRIC } from '../commands/eval-rubric/eval-rubric.declaration.js';
import { PREVIEW } from '../commands/preview/preview.declaration.js';
import {
  ROLLOUTS_CANCEL,
  ROLLOUTS_EXPORT,
  ROLLOUTS_LIST,
  ROLLOUTS_REDELIVER,
  ROLLOUTS_SHOW,
} from '../commands/rollouts/rollouts.declarations.js';
import { RUBRIC_CHECK } from '../commands/rubric-check/rubric-check.declaration.js';
import { LOGIN } from '../commands/login/login.declaration.js';
import { LOGOUT } from '../commands/logout/logout.declaration.js';
import { SERVE } from '../commands/serve/serve.declaration.js';
import { TEST } from '../commands/test/test.declaration.js';
import { VALIDATE } from '../commands/validate/validate.declaration.js';
import { WHOAMI } from '../commands/whoami/whoami.declaration.js';
import { WORKSPACE_CURRENT, WORKSPACE_LIST, WORKSPACE_SWITCH } from '../commands/workspace/workspace.declarations.js';
import type { CommandContext } from './command-context.js';
import type { CommandDeclaration } from './declaration.js';
import type { ParsedLine } from './parse.js';

/** Runs a command and gives its exit code. */
export type CommandRun = (context: CommandContext, line: ParsedLine) => Promise<number>;

export interface ProgramCommand {
  readonly declaration: CommandDeclaration;
  /** Loads what the command runs on; nothing of it is loaded before. */
  load(): Promise<CommandRun>;
}

/** Every command of the program, in the order of the help. */
export const COMMANDS: readonly ProgramCommand[] = [
  { declaration: SERVE, load: () => loadNest(SERVE, '../commands/serve/serve.module.js') },
  { declaration: VALIDATE, load: () => loadNest(VALIDATE, '../commands/validate/validate.module.js') },
  { declaration: TEST, load: () => withNest(() => import('../commands/test/test.js')) },
  { declaration: DATASET_CHECK, load: async () => (await import('../commands/dataset-check/dataset-check.js')).run },
  { declaration: EVAL, load: () => withNest(() => import('../commands/eval/eval.js')) },
  { declaration: EVAL_REPORT, load: async () => (await import('../commands/eval/report.js')).run },
  { declaration: EVAL_RESCORE, load: () => withNest(() => import('../commands/eval/rescore.js')) },
  { declaration: EVAL_CURRICULUM, load: async () => (await import('../commands/eval/curriculum.js')).run },
  { declaration: ROLLOUTS_LIST, load: async () => (await import('../commands/rollouts/list.js')).run },
  { declaration: ROLLOUTS_SHOW, load: async () => (await import('../commands/rollouts/show.js')).run },
  { declaration: ROLLOUTS_CANCEL, load: async () => (await import('../commands/rollouts/cancel.js')).run },
  { declaration: ROLLOUTS_REDELIVER, load: async () => (await import('../commands/rollouts/redeliver.js')).run },
  { declaration: ROLLOUTS_EXPORT, load: async () => (await import('../commands/rollouts/export.js')).run },
  { declaration: PREVIEW, load: async () => (await import('../commands/preview/preview.js')).run },
  { declaration: EVAL_RUBRIC, load: async () => (await import('../commands/eval-rubric/eval-rubric.js')).run },
  { declaration: RUBRIC_CHECK, load: async () => (await import('../commands/rubric-check/rubric-check.js')).run },
  { declaration: LOGIN, load: async () => (await import('../commands/login/login.js')).run },
  { declaration: WHOAMI, load: async () => (await import('../commands/whoami/whoami.js')).run },
  { declaration: LOGOUT, load: async () => (await import('../commands/logout/logout.js')).run },
  { declaration: WORKSPACE_LIST, load: async () => (await import('../commands/workspace/workspace.js')).list },
  { declaration: WORKSPACE_CURRENT, load: async () => (await import('../commands/workspace/workspace.js')).current },
  { declaration: WORKSPACE_SWITCH, load: async () => (await import('../commands/workspace/workspace.js')).switchTo },
  { declaration: CONFIG, load: async () => (await import('../commands/config/config.js')).run },
  { declaration: COMPLETION, load: loadCompletion },
];

async function loadCompletion(): Promise<CommandRun> {
  const { run } = await import('../commands/completion/completion.js');
  const declarations = COMMANDS.map(({ declaration }) => declaration);
  return (context, line) => run(declarations, context, line);
}

/** Commands that need a Nest application go through nest-commander. Each has a `CommandModule` of its own. */
async function loadNest(declaration: CommandDeclaration, path: string): Promise<CommandRun> {
  const file = new URL(path, import.meta.url);
  (await import('./preload.js')).preloadNest(new URL('./nest-command.js', import.meta.url), file);
  const { runNestCommand } = await import('./nest-command.js');
  const { CommandModule } = (await import(file.href)) as { readonly CommandModule: Type };
  return (context, line) => runNestCommand(CommandModule, declaration, context, line);
}

/** Commands that boot the user's application themselves. */
async function withNest(load: () => Promise<{ readonly run: CommandRun }>): Promise<CommandRun> {
  (await import('./preload.js')).preloadNest();
  return (await load()).run;
}
