import fc from 'fast-check';
import type { ChatMessage, ToolCall } from '#domain';
import { getMessageContent } from '#domain';

/** One rollout to ask both servers for. */
export interface Sum {
  readonly messages: readonly ChatMessage[];
  readonly completion_params: Readonly<Record<string, unknown>>;
  readonly metadata?: Readonly<Record<string, unknown>>;
}

const SEED = 5_005;

const operand = fc.oneof(
  { weight: 4, arbitrary: fc.integer({ min: -99, max: 999 }).map(String) },
  { weight: 1, arbitrary: fc.integer({ min: 1, max: 9999 }).map((cents) => String(cents / 100)) },
);
const step = fc.tuple(fc.constantFrom('+', '-', '*', '/'), operand).map((parts) => parts.join(' '));
const part = fc
  .tuple(operand, fc.array(step, { minLength: 1, maxLength: 4 }))
  .map(([first, steps]) => [first, ...steps].join(' '));
const question = fc.oneof(
  {
    weight: 8,
    arbitrary: fc.array(part, { minLength: 1, maxLength: 3 }).map((parts) => `Compute ${parts.join('; ')}.`),
  },
  {
    weight: 1,
    arbitrary: fc.constantFrom(
      'Compute 144 / 9 * 2; 12.5 * 8; 8 / 2.',
      'Compute 5 / 0.',
      'Compute 7 - 7 / 0 + 1.',
      'Compute 1 / 3 * 3; 2 / 0; 4 / 2.',
    ),
  },
  { weight: 1, arbitrary: fc.constantFrom('Hello!', 'ありがとう 😀', '') },
);
const params = fc.constantFrom(
  {},
  { temperature: 0.5 },
  { temperature: 0, top_p: 0.9, max_tokens: 64 },
  { stop: 'END' },
  { stop: ['a', 'b'], logprobs: false },
);
const metadata = fc.constantFrom(
  undefined,
  {},
  { ground_truth: 'The calculation is complete.' },
  { ground_truth: '42' },
  { ground_truth: 'OK.' },
);

const sum: fc.Arbitrary<Sum> = fc
  .tuple(question, params, metadata, fc.boolean())
  .map(([content, completion_params, about, hasSystem]) => ({
    messages: [
      ...(hasSystem ? [{ role: 'system', content: 'Use the tools.' }] : []),
      { role: 'user', content, name: 'né' },
    ],
    completion_params,
    ...(about && { metadata: about }),
  }));

/** The problems of the suite, always the same. */
export const SUMS: readonly Sum[] = fc.sample(sum, { seed: SEED, numRuns: 50 });

const OPERATIONS: Readonly<Record<string, string>> = { '+': 'add', '-': 'subtract', '*': 'multiply', '/': 'divide' };

/** The model of `peer/v02_trainer.py`, word for word: what is left of a part travels in the id of its call. */
export function callsFor(last: ChatMessage): ToolCall[] {
  const content = getMessageContent(last);
  if (last.role === 'user') {
    const parts = /^Compute (.+)\.$/.exec(content)?.[1]?.split('; ') ?? [];
    return parts.flatMap((text, index) => nextCall(`p${index}`, ...(text.split(' ') as [string, ...string[]])));
  }
  if (last.role !== 'tool') return [];
  const [name = '', ...rest] = (last.tool_call_id ?? '').split(' ');
  return nextCall(name, content, ...rest);
}

function nextCall(name: string, left: string, ...rest: string[]): ToolCall[] {
  const [sign, right, ...later] = rest;
  if (sign === undefined || left.startsWith('Error')) return [];
  const call = { name: OPERATIONS[sign] ?? '', arguments: `{"a": ${left}, "b": ${right}}` };
  return [{ id: [name, ...later].join(' '), type: 'function', function: call }];
}
