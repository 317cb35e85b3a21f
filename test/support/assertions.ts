import type { RolloutCompletion } from '#testing';
import { activeRollouts, until } from './init.js';
import type { ChatRequestBody, Rig } from './rig.js';

type Message = Record<string, unknown>;

/** A-PAIR: every tool call is followed by exactly one tool message with its id, in order. */
export function expectPaired(messages: readonly Message[]): void {
  messages.forEach((message, index) => {
    const calls = (message['tool_calls'] ?? []) as ({ id?: unknown } | null)[];
    if (!Array.isArray(calls) || calls.length === 0) return;
    const answers = messages.slice(index + 1, index + 1 + calls.length);
    expect(answers.map((answer) => answer['role'])).toEqual(calls.map(() => 'tool'));
    expect(answers.map((answer) => answer['tool_call_id'])).toEqual(calls.map((call) => call?.id ?? 'unknown'));
  });
}

/** A-APPEND: each chat request extends the one before. */
export function expectAppendOnly(requests: readonly ChatRequestBody[]): void {
  requests.slice(1).forEach((request, index) => {
    const earlier = requests[index]!.messages;
    expect(request.messages.slice(0, earlier.length)).toEqual(earlier);
  });
}

/** The tool messages of a completion. */
export function toolMessages(completion: RolloutCompletion): { content: string; tool_call_id: string }[] {
  return completion.final_messages.filter((message) => message.role === 'tool') as never;
}

/** A-ALIVE and A-SLOT: nothing is left running, and a fresh rollout completes. */
export async function expectAlive(rig: Rig): Promise<void> {
  const health = await fetch(`${rig.serverUrl}/health`);
  expect(health.status).toBe(200);
  await expectIdle(rig);
}

export async function expectIdle(rig: Rig): Promise<void> {
  await until(async () => (await activeRollouts(rig)) === 0, 'no rollout is active');
}

/** A-ONE: one completion a rollout. */
export function expectOneCompletionEach(rig: Rig): void {
  const ids = rig.tracker.responses.map((response) => response.rollout_id);
  expect(ids).toEqual([...new Set(ids)]);
}
