import 'reflect-metadata';
import type { DynamicModule, Type } from '@nestjs/common';
import { CommandFactory, CommandRunnerService } from 'nest-commander';
import { OsmosisError } from '#domain';
import { COMMAND_CONTEXT } from './command-context.token.js';
import type { CommandContext } from './command-context.js';
import type { CommandDeclaration } from './declaration.js';
import { ExitStatus } from './declared.command.js';
import type { ParsedLine } from './parse.js';

/** Runs a command that needs a Nest application: boots the command's module, lets nest-commander call the command. */
export async function runNestCommand(
  commandModule: Type,
  declaration: CommandDeclaration,
  context: CommandContext,
  line: ParsedLine,
): Promise<number> {
  const app = await CommandFactory.createWithoutRunning(rootModule(commandModule, context), {
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

/** Around a command's module, what every command needs: where it runs, and a place for its exit code. */
function rootModule(commandModule: Type, context: CommandContext): DynamicModule {
  return {
    module: CliModule,
    global: true,
    imports: [commandModule],
    providers: [ExitStatus, { provide: COMMAND_CONTEXT, useValue: context }],
    exports: [ExitStatus, COMMAND_CONTEXT],
  };
}

class CliModule {}
