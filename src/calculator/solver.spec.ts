import { getMessageContent, parseToolArguments, parseToolCalls, type ChatMessage } from '#domain';
import { toAssistantMessage, type CompletionsRequest, type MessageAnswer } from '#testing';
import { parseExpression } from './expression.js';
import { createSolver, type Flaw } from './solver.js';

/** What stands in for the calculator agent: the four operations, and the history of who asked for what. */
const OPERATIONS: Readonly<Record<string, (a: number, b: number) => number | string>> = {
  add: (a, b) => a + b,
  subtract: (a, b) => a - b,
  multiply: (a, b) => a * b,
  divide: (a, b) => (b === 0 ? 'Error: Division by zero' : a / b),
};

async function converse(question: string, flaw?: Flaw): Promise<{ readonly said: string; readonly turns: string[][] }> {
  const solver = createSolver(flaw && new Map([[question, flaw]]));
  const messages: ChatMessage[] = [{ role: 'user', content: question }];
  const turns: string[][] = [];
  for (let turn = 0; turn < 20; turn++) {
    const answer = toAssistantMessage(
      (await solver({ messages } as unknown as CompletionsRequest, turn)) as MessageAnswer,
    );
    messages.push(answer);
    const calls = parseToolCalls(answer);
    if (calls.length === 0) return { said: getMessageContent(answer), turns };
    turns.push(calls.map((call) => call.function?.name ?? ''));
    for (const call of calls) {
      const { a, b } = parseToolArguments(call.function?.arguments) as { a: number; b: number };
      const content = String(OPERATIONS[call.function?.name ?? '']?.(a, b));
      messages.push({ role: 'tool', content, tool_call_id: call.id });
    }
  }
  throw new Error('the solver does not end');
}

describe('the expression reader', () => {
  it.each([
    [
      '1 + 2 * 3',
      {
        operation: 'add',
        left: { value: 1 },
        right: { operation: 'multiply', left: { value: 2 }, right: { value: 3 } },
      },
    ],
    [
      '8 - 4 - 2',
      {
        operation: 'subtract',
        left: { operation: 'subtract', left: { value: 8 }, right: { value: 4 } },
        right: { value: 2 },
      },
    ],
    ['-1.5', { value: -1.5 }],
  ])('%s', (text, expression) => expect(parseExpression(text)).toEqual(expression));

  it.each(['', 'x + 1', '1 +', '(1 + 2', '1 2', ')', '1 + )'])('%j is none', (text) => {
    expect(parseExpression(text)).toBeNull();
  });
});

describe('the solver', () => {
  it('asks for independent operations together, and for the rest when their operands are known', async () => {
    const { said, turns } = await converse('What is (1 + 2) * (9 - 4)?');
    expect(turns).toEqual([['add', 'subtract'], ['multiply']]);
    expect(said).toBe('15');
  });

  it('goes as deep as the question', async () => {
    const { said, turns } = await converse('Evaluate (1 + 2 * (3 + 4 * (5 + 6))) / 5.');
    expect(turns).toEqual([['add'], ['multiply'], ['add'], ['multiply'], ['add'], ['divide']]);
    expect(said).toBe('19');
  });

  it('uses what the tools say, not its own arithmetic', async () => {
    const solver = createSolver();
    const messages = [
      { role: 'user', content: 'What is 1 + 1?' },
      { role: 'tool', content: '7', tool_call_id: 'call_root' },
    ];
    expect(await solver({ messages } as unknown as CompletionsRequest, 1)).toBe('7');
  });

  it('gives up when a tool fails or a quantity is unknown', async () => {
    expect(await converse('What is 5 / (2 - 2)?')).toEqual({ said: 'no answer', turns: [['subtract'], ['divide']] });
    expect(await converse('What is x + 3?')).toEqual({ said: 'no answer', turns: [] });
  });

  it('has the weaknesses it is given', async () => {
    const question = 'Work out 2 * 3 + 4.';
    expect((await converse(question)).said).toBe('10');
    expect((await converse(question, 'off-by-one')).said).toBe('11');
    expect((await converse(question, 'stops-early')).said).toBe('6');
    expect((await converse(question, 'in-words')).said).toBe('The answer is 10.');
  });
});
