import { Injectable, Logger, type OnApplicationBootstrap } from '@nestjs/common';
import { ApplicationConfig, HttpAdapterHost } from '@nestjs/core';
import { AgentRegistry, type AgentDescriptor } from '#agent';
import { DefinitionProblems } from '#discovery';
import { OsmosisError, type JsonSchema } from '#domain';
import { RewardRegistry } from '#reward';

/** Says at the start what the server offers, so that a missing tool is seen before a trainer misses it. */
@Injectable()
export class StartReport implements OnApplicationBootstrap {
  private readonly logger = new Logger('Osmosis');

  constructor(
    private readonly agents: AgentRegistry,
    private readonly rewards: RewardRegistry,
    private readonly problems: DefinitionProblems,
    private readonly host: HttpAdapterHost,
    private readonly config: ApplicationConfig,
  ) {}

  onApplicationBootstrap(): void {
    if (this.problems.all.length > 0) return;
    const agents = this.agents.list();
    if (agents.length === 0) {
      this.logger.warn('There is no agent to serve. Add a class with @Agent to the providers of a module.');
    }
    for (const agent of agents) this.reportAgent(agent);
    if (this.host.httpAdapter) this.reportRoutes(agents);
  }

  private reportAgent(agent: AgentDescriptor): void {
    const loop = agent.loop ? 'own loop' : 'built-in loop';
    this.logger.log(`Agent ${agent.name} (${agent.provider.type.name}, ${loop})`);
    for (const { name, definition } of agent.tools) {
      this.logger.log(`  tool ${name}(${parameters(definition.function.parameters)})`);
    }
    for (const { name, weight } of this.rewards.rewardsOf(agent)) {
      this.logger.log(`  reward ${name} (weight ${weight})`);
    }
  }

  private reportRoutes(agents: readonly AgentDescriptor[]): void {
    const prefix = this.config.getGlobalPrefix().replace(/^\/*(.+?)\/*$/, '/$1');
    const served = this.defaultName();
    if (served !== undefined) {
      this.logger.log(`POST ${prefix}/v1/rollout/init runs ${served}`);
      this.logger.log(`POST ${prefix}/rollout runs ${served} (dialect 0.3)`);
    }
    for (const { name } of agents) {
      this.logger.log(`POST ${prefix}/agents/${encodeURIComponent(name)}/v1/rollout/init runs ${name}`);
      this.logger.log(`POST ${prefix}/agents/${encodeURIComponent(name)}/rollout runs ${name} (dialect 0.3)`);
    }
    this.logger.log(`GET ${prefix}/health, GET ${prefix}/platform/health`);
  }

  private defaultName(): string | undefined {
    try {
      return this.agents.default().name;
    } catch (error) {
      if (OsmosisError.is(error)) return undefined;
      throw error;
    }
  }
}

function parameters(schema: JsonSchema): string {
  const properties = (schema['properties'] ?? {}) as Record<string, { type?: unknown }>;
  const required = new Set(Array.isArray(schema['required']) ? (schema['required'] as unknown[]) : []);
  return Object.entries(properties)
    .map(([name, { type }]) => `${name}${required.has(name) ? '' : '?'}: ${typeName(type)}`)
    .join(', ');
}

function typeName(type: unknown): string {
  if (typeof type === 'string') return type;
  return Array.isArray(type) ? type.join(' | ') : 'any';
}
