import 'reflect-metadata';
import { CommandFactory, CommandRunnerService } from 'nest-commander';
import { OsmosisError } from '#domain';
import { CliModule } from '../cli.module.js';
import type { CommandContext } from './command-context.js';
import type { CommandDeclaration } from './declaration.js';
import { ExitStatus } from './declared.command.js';
import type { ParsedLine } from './parse.js';

/** Runs a command that needs a Nest application: boots the program's module, lets nest-commander call the command. */
export async function runNestCommand(
  declaration: CommandDeclaration,
  context: CommandContext,
  line: ParsedLine,
): Promise<number> {
  const app = await CommandFactory.createWithoutRunning(CliModule.forContext(context), {
    logger: false,
    abortOnError: false,
    // Without these two, commander ends the process by itself and nest-commander prints errors and exits with 0 (CL-17).
    errorHandler: (error) => {
      throw new OsmosisError('USAGE', error.message, { cause: error });
    },
    serviceErrorHandler: (error) => {
      throw error;
    },
  });
  try {
    const runner = app.get(CommandRunnerService);
    await runner.run(['node', 'osmosis', declaration.name, ...line.canonical]);
    return app.get(ExitStatus).code;
  } finally {
    await app.close();
  }
}
