import { Injectable } from '@nestjs/common';
import type { Cancellation, DefinitionProblem, RewardComponent } from '#domain';
import { rubricsOf, type RubricMetadata } from './decorators/rubric.decorator.js';
import { judgeFailure, RubricInputError } from './rubric.error.js';
import { RubricService } from './rubric.service.js';
import { checkBounds, type RubricRequest } from './rubric.request.js';

/** What a rollout brings to its judges. */
export interface RubricRewardInput {
  readonly solutionStr: string;
  readonly groundTruth?: string | null;
  readonly originalInput?: string | null;
  readonly metadata?: Readonly<Record<string, unknown>> | null;
  readonly cancellation: Cancellation;
}

/**
 * `@Rubric`s as reward components. Knows neither agents nor the injector: whoever scans the providers asks for the
 * rubrics of a class, reads the property or calls the method, and hands what that gave to {@link score}.
 */
@Injectable()
export class RubricRewards {
  constructor(private readonly service: RubricService) {}

  /** The rubrics of a class, in order of declaration, parents first. */
  rubricsOf(type: object): readonly RubricMetadata[] {
    return rubricsOf(type);
  }

  /** What is wrong with the rubrics of a class; for the report at start-up. */
  problemsOf(type: { readonly name: string }, module?: string): DefinitionProblem[] {
    return rubricsOf(type).flatMap((metadata) => {
      const where = metadata.member === undefined ? type.name : `${type.name}.${metadata.member}`;
      return faultsOf(metadata).map((fault) => ({ where, module, ...fault }));
    });
  }

  /**
   * Scores a solution. Never throws: without a score the value is null and the failure says why, so that a judge's fault
   * is never an agent's zero.
   *
   * @param provided the property's value, or what the method returned; nothing for a class
   */
  score(metadata: RubricMetadata, provided: unknown, input: RubricRewardInput): Promise<RewardComponent> {
    return this.scoreWith(metadata, async () => provided, input);
  }

  /** The same, for what has to be asked for first. */
  async scoreWith(
    metadata: RubricMetadata,
    provide: () => Promise<unknown>,
    input: RubricRewardInput,
  ): Promise<RewardComponent> {
    const { id: name, weight = 1 } = metadata;
    const started = performance.now();
    const duration = (): number => performance.now() - started;
    try {
      const verdict = await this.service.evaluate(requestFor(metadata, await provide(), input));
      return { name, weight, value: verdict.score, reason: verdict.explanation, durationMs: duration() };
    } catch (error) {
      return { name, weight, value: null, durationMs: duration(), failure: judgeFailure(error) };
    }
  }
}

function requestFor(metadata: RubricMetadata, provided: unknown, input: RubricRewardInput): RubricRequest {
  const { id, weight: _weight, agents: _agents, target: _target, member: _member, rubric, ...options } = metadata;
  const given = typeof provided === 'string' ? { rubric: provided } : provided;
  if (given !== undefined && given !== null && typeof given !== 'object') {
    throw new RubricInputError(`Rubric '${id}' must give text or fields of a request, not ${typeof given}.`);
  }
  const text = rubric ?? (given as { rubric?: string } | null | undefined)?.rubric;
  if (text === undefined) {
    throw new RubricInputError(`Rubric '${id}' has no text: set rubric in @Rubric, or let its member give it.`);
  }
  return { ...options, ...input, ...given, rubric: text };
}

type Fault = Omit<DefinitionProblem, 'where' | 'module'>;

function faultsOf(metadata: RubricMetadata): Fault[] {
  const faults: Fault[] = [];
  if (metadata.target === 'class' && !metadata.rubric?.trim()) {
    const cure = "Give it in @Rubric({ rubric: '…' }).";
    faults.push({ code: 'RUBRIC_TEXT_MISSING', what: `rubric '${metadata.id}' on a class has no text`, cure });
  }
  if (metadata.weight !== undefined && !Number.isFinite(metadata.weight)) {
    const what = `the weight of rubric '${metadata.id}' is ${metadata.weight}`;
    faults.push({ code: 'RUBRIC_WEIGHT_INVALID', what, cure: 'A weight is a finite number.' });
  }
  const bounds = boundsFault(metadata);
  if (bounds) {
    const cure = 'Give a scoreMax above scoreMin.';
    faults.push({ code: 'RUBRIC_BOUNDS_INVALID', what: `rubric '${metadata.id}': ${bounds}`, cure });
  }
  return faults;
}

function boundsFault(metadata: RubricMetadata): string | undefined {
  const info = typeof metadata.modelInfo === 'object' ? metadata.modelInfo : undefined;
  try {
    checkBounds(metadata.scoreMin ?? info?.scoreMin ?? 0, metadata.scoreMax ?? info?.scoreMax ?? 1);
    return undefined;
  } catch (error) {
    return error instanceof Error ? error.message.replace(/\.$/, '') : String(error);
  }
}
