import type { ChatModel } from '#domain';

/** A model that an evaluation can ask, by whichever way it is reached. */
export interface EvaluationModel {
  /** As the user named it. */
  readonly name: string;
  /** What a resumed run knows the model by: name, address, whatever makes it another one. Holds no secrets. */
  readonly identity: Readonly<Record<string, unknown>>;
  /**
   * Finds out whether it answers at all, before anything is paid for.
   *
   * @throws ProviderRequestError when no call can succeed: key, quota, model name, address
   */
  preflight(): Promise<void>;
  /** For one rollout. */
  open(): ChatModel;
}
