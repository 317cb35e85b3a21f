import { ChatModels } from '#model/plain';
import { RubricService, RubricSession, TrustService } from '#rubric/plain';
import type { CommandContext } from '../../cli/command-context.js';

export const DEFAULT_CONCURRENCY = 4;

export interface RubricServices {
  readonly session: RubricSession;
  readonly trust: TrustService;
  close(): Promise<void>;
}

/**
 * What `RubricModule` puts together in a Nest application, without one.
 *
 * @param concurrency requests at once; local servers keep their own limit
 */
export function openRubricServices({ env }: CommandContext, concurrency: number): RubricServices {
  const models = new ChatModels({ env, concurrency });
  const service = new RubricService(models);
  return {
    session: new RubricSession(service, models),
    trust: new TrustService(service),
    close: () => models.close(),
  };
}
