import { Module } from '@nestjs/common';
import { ModuleLoader } from '../../loading/module-loader.js';
import { AgentServer } from '../../serving/agent-server.js';
import { PlatformRegistration } from '../../serving/platform-registration.js';
import { SERVER_REGISTRATION } from '../../serving/server-registration.js';
import { ServerFront } from '../../serving/server-front.js';
import { WorkerServer } from '../../serving/workers/worker-server.js';
import { ValidationService } from '../../validation/validation.service.js';
import { ServeCommand } from './serve.command.js';

/** `osmosis serve`, and what it calls. */
@Module({
  providers: [
    ServeCommand,
    AgentServer,
    ModuleLoader,
    ServerFront,
    ValidationService,
    WorkerServer,
    { provide: SERVER_REGISTRATION, useClass: PlatformRegistration },
  ],
})
export class CommandModule {}
