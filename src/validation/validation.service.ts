import { Injectable } from '@nestjs/common';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import type { AgentDescriptor } from '#agent';
import { InvocationScope } from '#discovery';
import { describeThrown, type RolloutRequest } from '#domain';
import { AgentRegistry, type OsmosisModuleOptions } from '#osmosis';
import { RewardRegistry } from '#reward';
import type { LoadedModule } from '../loading/loaded-module.js';
import { createAgentApplication } from '../serving/agent-application.js';
import { checkAgentClass, checkAgentInstance } from './class-checks.js';
import { issuesOfStartFailure } from './problem-issues.js';
import { checkGivenTools } from './tool-checks.js';
import { reportOf, ValidationIssue, type AgentSummary, type ValidationReport } from './validation.report.js';

/** Finds what is wrong with agents before a trainer does. Every check runs, whatever the others find. */
@Injectable()
export class ValidationService {
  /** Everything, with an application of its own: definitions, the start, what the agents give, one rollout each. */
  async validate(loaded: LoadedModule, { dryRun }: { readonly dryRun: boolean }): Promise<ValidationReport> {
    const issues = loaded.agents.flatMap(checkAgentClass);
    let app: NestFastifyApplication;
    try {
      app = await createAgentApplication(loaded, { adjust: forValidation, logger: false });
    } catch (thrown) {
      const found = issuesOfStartFailure(thrown, issues);
      if (!found) throw thrown;
      return reportOf([...issues, ...found], []);
    }
    try {
      const report = await this.inspect(loaded, app);
      if (!dryRun || report.agents.length === 0) return report;
      const { dryRun: run } = await import('./dry-run.js');
      const more = await run(
        app,
        report.agents.map(({ name }) => name),
      );
      return reportOf([...report.issues, ...more], report.agents);
    } finally {
      await app.close();
    }
  }

  /** What can be told of a started application without running a rollout. */
  async inspect(loaded: LoadedModule, app: NestFastifyApplication): Promise<ValidationReport> {
    const agents = app.get(AgentRegistry).list();
    const rewards = app.get(RewardRegistry);
    const classes = new Set([...loaded.agents, ...agents.map(({ provider }) => provider.type)]);
    const issues = [...classes].flatMap((type) => checkAgentClass(type as LoadedModule['agents'][number]));
    if (agents.length === 0) issues.push(noAgent(loaded));
    for (const agent of agents) {
      const { instance, type } = agent.provider;
      if (instance) issues.push(...checkAgentInstance(instance, type));
      issues.push(...(await this.checkTools(agent)));
    }
    const summaries = agents.map((agent): AgentSummary => ({
      name: agent.name,
      tools: agent.tools.names,
      rewards: rewards.rewardsOf(agent).map(({ name }) => name),
    }));
    return reportOf(issues, summaries);
  }

  /** Decorated tools were checked at the start; what `getTools` gives can only be seen by asking. */
  private async checkTools(agent: AgentDescriptor): Promise<ValidationIssue[]> {
    if (!agent.getTools) return [];
    const request = sampleRequest(agent.name);
    try {
      return checkGivenTools(agent, await agent.getTools(new InvocationScope(request), request));
    } catch (thrown) {
      const type = thrown instanceof Error ? thrown.name : typeof thrown;
      const text = describeThrown(thrown);
      const details = { exception_type: type, exception_message: text };
      const where = `${agent.provider.type.name}.getTools`;
      return [
        new ValidationIssue('error', 'GET_TOOLS_EXCEPTION', `threw ${type}: ${text}`, 'getTools', where, details),
      ];
    }
  }
}

/** The default request of spec 6. */
function sampleRequest(agent: string): RolloutRequest {
  return {
    rolloutId: 'validation-test-rollout',
    agent,
    trainer: { dialect: 'osmosis-v0.2', url: 'http://localhost:8080', apiKey: null },
    messages: [{ role: 'user', content: 'Hello' }],
    completionParams: { temperature: 1, max_tokens: 512 },
    toolServerUrl: null,
    maxTurns: 10,
    maxTokensTotal: 8192,
    metadata: { _validation: true },
    idempotencyKey: null,
  };
}

/** Nobody outside reaches the application; its one rollout leaves no trace, and its end is not waited for. */
function forValidation(options: OsmosisModuleOptions): OsmosisModuleOptions {
  return {
    ...options,
    apiKeys: [],
    rollouts: { ...options.rollouts, store: 'memory', traceDir: undefined, shutdownGraceMs: 0 },
  };
}

function noAgent({ label }: LoadedModule): ValidationIssue {
  const message = `${label} has no agent. Add a class with @Agent to the providers of the module, or of one it imports.`;
  return new ValidationIssue('error', 'AGENT_MISSING', message);
}
