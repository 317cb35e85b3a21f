import type { ModuleMetadata } from '@nestjs/common';
import { FastifyAdapter, type NestFastifyApplication } from '@nestjs/platform-fastify';
import { Test } from '@nestjs/testing';
import { OsmosisModule, type OsmosisModuleOptions } from '#osmosis';
import {
  createMockTrainerApp,
  driveRollouts,
  FaultPlan,
  RequestRecorder,
  RolloutCallbackTracker,
  RolloutCompletionTracker,
  type DrivenRollout,
  type MockTrainerOptions,
  type RolloutCompletion,
  type RolloutTask,
} from '#testing';
import { PATIENT } from './init.js';
import { RecordingLogger } from './recording.logger.js';

export interface RigOptions {
  readonly providers?: NonNullable<ModuleMetadata['providers']>;
  readonly imports?: NonNullable<ModuleMetadata['imports']>;
  readonly osmosis?: OsmosisModuleOptions;
  readonly trainer?: MockTrainerOptions;
  /** Last changes to the server's application before it starts. */
  readonly configure?: (app: NestFastifyApplication) => void;
}

/** A server under test and a mock trainer, both real applications on real ports. */
export interface Rig {
  readonly app: NestFastifyApplication;
  readonly serverUrl: string;
  readonly trainerApp: NestFastifyApplication;
  readonly trainerUrl: string;
  readonly tracker: RolloutCompletionTracker;
  readonly callbacks: RolloutCallbackTracker;
  readonly recorder: RequestRecorder;
  readonly faults: FaultPlan;
  readonly log: RecordingLogger;
  /** Drives one rollout to its completion. */
  run(task?: Partial<RolloutTask>): Promise<RolloutCompletion>;
  /** Drives one rollout in dialect 0.3 to its grader callback. */
  run03(task?: Partial<RolloutTask>): Promise<DrivenRollout>;
  /** Bodies of the chat requests, in order of arrival. */
  chatRequests(rolloutId?: string): ChatRequestBody[];
  close(): Promise<void>;
}

export interface ChatRequestBody {
  readonly rollout_id: string;
  readonly messages: Record<string, unknown>[];
  readonly [field: string]: unknown;
}

/** Retries that do not make a test wait. */
export const QUICK_RETRIES = { retryBaseDelayMs: 20, retryMaxDelayMs: 50 } as const;

export async function startRig(options: RigOptions): Promise<Rig> {
  const log = new RecordingLogger();
  const tracker = new RolloutCompletionTracker(PATIENT);
  const callbacks = new RolloutCallbackTracker(PATIENT);
  const trainerApp = await createMockTrainerApp({ tracker, callbacks, ...options.trainer, logger: false });
  await trainerApp.listen(0, '127.0.0.1');
  const trainerUrl = await trainerApp.getUrl();
  // A trainer that goes on listening would keep Jest alive after a server that did not start.
  const app = await startServer(options, log).catch(async (error: unknown) => {
    await trainerApp.close();
    throw error;
  });
  const serverUrl = await app.getUrl();
  const recorder = trainerApp.get(RequestRecorder);
  return {
    app,
    serverUrl,
    trainerApp,
    trainerUrl,
    tracker,
    callbacks,
    recorder,
    faults: trainerApp.get(FaultPlan),
    log,
    async run(task = {}) {
      const messages = [{ role: 'user', content: 'Please help' }];
      const [result] = await driveRollouts({
        serverUrl,
        trainerUrl,
        tracker,
        tasks: [{ messages, ...task }],
        ...PATIENT,
      });
      if (!result?.completion) throw new Error(`no completion: ${result?.problem}\n${log.text}`);
      return result.completion;
    },
    async run03(task = {}) {
      const messages = [{ role: 'user', content: 'Please help' }];
      const [result] = await driveRollouts({
        dialect: 'osmosis-v0.3',
        serverUrl,
        trainerUrl,
        callbacks,
        trainerApiKey: options.trainer?.apiKey,
        modelKey: options.trainer?.modelKey,
        tasks: [{ messages, ...task }],
        ...PATIENT,
      });
      if (!result?.outcome) throw new Error(`no grader callback: ${result?.problem}\n${log.text}`);
      return result;
    },
    chatRequests: (rolloutId) =>
      recorder.chats
        .map((request) => request.body as ChatRequestBody)
        .filter((body) => rolloutId === undefined || body.rollout_id === rolloutId),
    async close() {
      await app.close();
      await trainerApp.close();
    },
  };
}

async function startServer(options: RigOptions, log: RecordingLogger): Promise<NestFastifyApplication> {
  const testing = Test.createTestingModule({
    imports: [
      OsmosisModule.forRoot({
        ...options.osmosis,
        trainer: { ...QUICK_RETRIES, ...options.osmosis?.trainer },
        rollouts: {
          shutdownGraceMs: 500,
          delivery: { backoff: { baseDelayMs: 20, maxDelayMs: 50 } },
          ...options.osmosis?.rollouts,
        },
      }),
      ...(options.imports ?? []),
    ],
    providers: [...(options.providers ?? [])],
  }).setLogger(log);
  const module = await testing.compile();
  const app = module.createNestApplication<NestFastifyApplication>(new FastifyAdapter());
  app.useLogger(log);
  options.configure?.(app);
  await app.listen(0, '127.0.0.1');
  return app;
}
