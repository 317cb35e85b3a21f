import { Cancellation } from '#domain';
import type { ChatModels } from '#model/plain';
import type { RubricVerdict } from './judge/panel.js';
import { asModelInfo, toModelSpec, type ModelInfo } from './model.info.js';
import type { RubricModuleOptions } from './rubric.options.js';
import { checkRequest, type JudgeCase, type RubricRequest } from './rubric.request.js';
import type { BlockOrder } from './prompt/judge.prompt.js';

/** Scores texts by rubrics. */
export class RubricService {
  constructor(
    private readonly models: ChatModels,
    private readonly options: RubricModuleOptions = {},
  ) {}

  /**
   * Asks the judge for a score within the bounds.
   *
   * @throws RubricInputError, ModelConfigError or MissingApiKeyError before anything is sent; ProviderRequestError
   *   (ModelNotFoundError, UnreadableVerdictError) or JudgeFailedError when no score came; the cancellation's reason
   */
  async evaluate(request: RubricRequest): Promise<RubricVerdict> {
    const whole = withDefaults(request, this.options.defaults);
    return this.judge(checkRequest(whole), whole);
  }

  /** As {@link evaluate}, for whoever needs the number alone. */
  async score(request: RubricRequest): Promise<number> {
    return (await this.evaluate(request)).score;
  }

  /**
   * Judges a case that was checked, or made up: the trust report also judges empty texts and turns the blocks round.
   */
  async judge(
    judged: JudgeCase,
    how: Pick<RubricRequest, 'modelInfo' | 'fallback' | 'timeout' | 'votes' | 'temperature' | 'cancellation'>,
    order: BlockOrder = 'usual',
  ): Promise<RubricVerdict> {
    const { timeout, votes = 1, temperature, cancellation = new Cancellation() } = how;
    // Loaded when first asked: most servers have no rubrics.
    const [{ Judge }, { askPanel }] = await Promise.all([import('./judge/judge.js'), import('./judge/panel.js')]);
    // All of them first: a key that is missing should be told now, not when the first judge fails one night.
    const judges = [how.modelInfo ?? '', ...(how.fallback ?? [])].map((model) => {
      return new Judge(this.models.open(toModelSpec(asModelInfo(model), timeout)));
    });
    return askPanel(judges, judged, votes, { temperature, cancellation, order });
  }

  /** Finds out, without asking the model, whether it could be asked. @throws ModelConfigError, MissingApiKeyError */
  ensureReady(model: ModelInfo | string): void {
    this.models.resolve(toModelSpec(asModelInfo(model), undefined));
  }
}

/** A field that is there but undefined says nothing, and hides no default. */
function withDefaults(request: RubricRequest, defaults: RubricModuleOptions['defaults']): RubricRequest {
  const said = Object.entries(request).filter(([, value]) => value !== undefined);
  return { ...request, ...defaults, ...(Object.fromEntries(said) as Partial<RubricRequest>) };
}
