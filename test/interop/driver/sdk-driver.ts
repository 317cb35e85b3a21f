import type { ChatMessage } from '#domain';
import { PythonProcess } from '../support/python.js';

/** A request for one rollout, as the SDK's driver takes it. */
export interface RunRequest {
  readonly rollout_id: string;
  readonly messages: readonly ChatMessage[];
  readonly label?: string | null;
  readonly metadata?: Readonly<Record<string, unknown>> | null;
  readonly agent_timeout_sec?: number;
  readonly grader_timeout_sec?: number;
  readonly extra_fields?: Readonly<Record<string, unknown>>;
}

/** See `peer/v03_driver.py`. */
export interface RunCircumstances {
  readonly callback_timeout_sec?: number;
  readonly cancel_once_running?: boolean;
  readonly cancel_fails?: boolean;
  readonly key?: string;
  readonly commit?: 'fails once' | 'slow';
  readonly lose?: 'completion' | 'grader';
}

export interface Callback {
  readonly route: 'completion' | 'grader';
  readonly body: Readonly<Record<string, unknown>>;
  /** What the store answered; missing when it threw `error`. */
  readonly ack?: Readonly<Record<string, unknown>>;
  readonly error?: string;
}

export interface Told {
  readonly callbacks: readonly Callback[];
  /** Sources of the results that the store committed. */
  readonly commits: readonly string[];
  /** Payloads that contradict each other, as the SDK logs them. */
  readonly conflicts: readonly string[];
}

/** The outcome of a run, or what was raised instead. */
export interface RunAnswer extends Told {
  readonly status?: string;
  readonly error?: string | null;
  readonly sample?: Readonly<Record<string, unknown>> | null;
  readonly raised?: string;
  readonly status_code?: number | null;
}

/** The official SDK's driver with its callback listener and store, as a process. */
export class SdkDriver {
  private constructor(private readonly process: PythonProcess) {}

  static start(serverUrl: string, modelUrl: string): SdkDriver {
    return new SdkDriver(PythonProcess.start('peer.v03_driver', [serverUrl, modelUrl]));
  }

  async run(request: RunRequest, circumstances: RunCircumstances = {}): Promise<RunAnswer> {
    return JSON.parse(await this.process.ask(JSON.stringify({ run: request, ...circumstances }))) as RunAnswer;
  }

  /** What has come for a rollout by now. */
  async told(rolloutId: string): Promise<Told> {
    return JSON.parse(await this.process.ask(JSON.stringify({ callbacks: rolloutId }))) as Told;
  }

  stop(): Promise<void> {
    return this.process.stop();
  }
}
