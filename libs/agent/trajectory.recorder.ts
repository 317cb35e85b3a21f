import type { ChatCompletion, Clock, RecordedChat, RecordedTool, ToolMessage, TrajectoryRecord } from '#domain';

/** Notes what the messages of a rollout do not say: what each turn cost and how long it took. Copies nothing. */
export class TrajectoryRecorder implements TrajectoryRecord {
  readonly chats: RecordedChat[] = [];
  readonly tools: RecordedTool[] = [];

  constructor(private readonly clock: Clock) {}

  chatAnswered(completion: ChatCompletion, latencyMs: number): void {
    this.chats.push({ completion, latencyMs, answeredAt: this.clock.now() });
  }

  toolAnswered(message: ToolMessage, durationMs: number, failed: boolean): void {
    this.tools.push({ message, durationMs, failed, answeredAt: this.clock.now() });
  }
}
