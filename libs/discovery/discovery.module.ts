import { Module } from '@nestjs/common';
import { DefinitionProblems } from './definition.problems.js';
import { MethodInvoker } from './method.invoker.js';
import { ProviderExplorer } from './provider.explorer.js';

@Module({
  providers: [ProviderExplorer, MethodInvoker, DefinitionProblems],
  exports: [ProviderExplorer, MethodInvoker, DefinitionProblems],
})
export class OsmosisDiscoveryModule {}
