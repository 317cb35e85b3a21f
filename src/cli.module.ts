import { Module, type DynamicModule } from '@nestjs/common';
import type { CommandContext } from './cli/command-context.js';
import { COMMAND_CONTEXT } from './cli/command-context.token.js';
import { ExitStatus } from './cli/declared.command.js';
import { ServeCommand } from './commands/serve/serve.command.js';
import { ValidateCommand } from './commands/validate/validate.command.js';
import { ModuleLoader } from './loading/module-loader.js';
import { AgentServer } from './serving/agent-server.js';
import { PlatformRegistration } from './serving/platform-registration.js';
import { SERVER_REGISTRATION } from './serving/server-registration.js';
import { ServerFront } from './serving/server-front.js';
import { WorkerServer } from './serving/workers/worker-server.js';
import { ValidationService } from './validation/validation.service.js';

/** The commands that need a Nest application, and what they call. */
@Module({
  providers: [
    ServeCommand,
    ValidateCommand,
    AgentServer,
    ExitStatus,
    ModuleLoader,
    ServerFront,
    ValidationService,
    WorkerServer,
    { provide: SERVER_REGISTRATION, useClass: PlatformRegistration },
  ],
  exports: [ExitStatus],
})
export class CliModule {
  static forContext(context: CommandContext): DynamicModule {
    return { module: CliModule, providers: [{ provide: COMMAND_CONTEXT, useValue: context }] };
  }
}
