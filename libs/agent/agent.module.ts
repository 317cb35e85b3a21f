import { ConfigurableModuleBuilder, Module } from '@nestjs/common';
import { OsmosisDiscoveryModule } from '#discovery';
import { AgentExplorer } from './agent.explorer.js';
import { AGENT_OPTIONS, agentOptions, type AgentModuleInput } from './agent.options.js';
import { AgentRegistry } from './agent.registry.js';
import { IsolatedMethods, LagWatchdog, THREAD_FILE } from './isolation/index.js';
import { threadFile, ThreadPool } from './isolation/thread.pool.js';
import { ToolExecutor } from './tool.executor.js';
import { ToolFactory } from './tool.factory.js';
import { ToolSelection } from './tool.selection.js';
import { ToolSources } from './tool.sources.js';

const { ConfigurableModuleClass, MODULE_OPTIONS_TOKEN } = new ConfigurableModuleBuilder<AgentModuleInput>()
  .setClassMethodName('forRoot')
  .setExtras({}, (definition) => ({ ...definition, global: true }))
  .build();

/** Agents and tools: finds them, describes them, runs the tools. Import once, with `forRoot`; global. */
@Module({
  imports: [OsmosisDiscoveryModule],
  providers: [
    { provide: AGENT_OPTIONS, useFactory: agentOptions, inject: [MODULE_OPTIONS_TOKEN] },
    AgentExplorer,
    AgentRegistry,
    { provide: THREAD_FILE, useValue: threadFile },
    IsolatedMethods,
    LagWatchdog,
    ThreadPool,
    ToolExecutor,
    ToolFactory,
    ToolSelection,
    ToolSources,
  ],
  exports: [AGENT_OPTIONS, AgentRegistry, IsolatedMethods, LagWatchdog, ToolExecutor, ToolSelection, ToolSources],
})
export class AgentModule extends ConfigurableModuleClass {}
