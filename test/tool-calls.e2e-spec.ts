import { completion, toolCall, type MockScript } from '#testing';
import {
  expectAppendOnly,
  expectIdle,
  expectOneCompletionEach,
  expectPaired,
  toolMessages,
} from './support/assertions.js';
import { until } from './support/init.js';
import { QUICK_RETRIES, startRig, type Rig } from './support/rig.js';
import { handled, handledBy, ToolsAgent } from './support/tools.agent.js';

/** Malformed, odd and failing tool calls (cases TC-*, and LC-10, LC-12, LC-15, LC-22 of the lifecycle). */
describe('tool calls', () => {
  let script: MockScript = [];
  let rig: Rig;

  beforeAll(async () => {
    rig = await startRig({
      providers: [ToolsAgent],
      osmosis: { trainer: QUICK_RETRIES },
      trainer: { script: (request, turn) => (typeof script === 'function' ? script(request, turn) : script[turn]!) },
    });
  });
  afterAll(() => rig.close());
  beforeEach(() => {
    handled.length = 0;
    rig.recorder.clear();
    rig.tracker.clear();
  });
  afterEach(async () => {
    expectOneCompletionEach(rig);
    expectAppendOnly(rig.chatRequests());
    for (const request of rig.chatRequests()) expectPaired(request.messages);
    await expectIdle(rig);
  });

  /** One turn of tool calls, then a final text. */
  async function answerTo(...calls: ReturnType<typeof toolCall>[]) {
    script = [calls, 'done'];
    const result = await rig.run();
    expect(result.status).toBe('COMPLETED');
    return { result, contents: toolMessages(result).map((message) => message.content) };
  }

  it('TC-01: one unparseable call does not stop its siblings', async () => {
    const { result, contents } = await answerTo(
      toolCall('add', { a: 1, b: 2 }, 'c1'),
      toolCall('lookup', '{"q": "Oslo",', 'c2'),
      toolCall('add', { a: 3, b: 4 }, 'c3'),
    );
    expect(contents[0]).toBe('3');
    expect(contents[1]).toMatch(/^Error: .*JSON.*position 13/);
    expect(contents[2]).toBe('7');
    expect(toolMessages(result).map((message) => message.tool_call_id)).toEqual(['c1', 'c2', 'c3']);
    expect(result.metrics?.num_tool_calls).toBe(3);
  });

  it('TC-03: Python literals and trailing commas are refused, and the history keeps them as they came', async () => {
    const python = "{'q': 'x', 'flag': True, 'n': None}";
    const { result, contents } = await answerTo(toolCall('lookup', python), toolCall('add', '{"a":1,"b":2,}'));
    expect(contents).toEqual([
      expect.stringMatching(/^Error: Invalid JSON/),
      expect.stringMatching(/^Error: Invalid JSON/),
    ]);
    expect(handled).toEqual([]);
    expect(JSON.stringify(result.final_messages)).toContain(JSON.stringify(python));
  });

  it('TC-04: valid JSON is never touched', async () => {
    await answerTo(
      toolCall('lookup', `{"q":"what's O'Neil's tariff"}`),
      toolCall('lookup', `{"q":"rock 'n' roll","n":2}`),
    );
    expect(handledBy('lookup')).toEqual([{ q: "what's O'Neil's tariff" }, { q: "rock 'n' roll", n: 2 }]);
  });

  it('TC-05: an object is taken, JSON within JSON is refused', async () => {
    const asObject = { ...toolCall('add'), function: { name: 'add', arguments: { a: 1, b: 2 } } };
    const { contents } = await answerTo(toolCall('add', '"{\\"a\\":1,\\"b\\":2}"'), asObject);
    expect(contents).toEqual([expect.stringContaining('Expected dict from JSON, got str'), '3']);
    expect(handledBy('add')).toEqual([{ a: 1, b: 2 }]);
  });

  it('TC-06: JSON that is no object is refused by its type; null is no arguments', async () => {
    const { contents } = await answerTo(...['null', '[]', '7', '"x"', 'true'].map((text) => toolCall('lookup', text)));
    expect(contents[0]).toContain('q: is required');
    expect(contents.slice(1)).toEqual(
      ['list', 'int', 'str', 'bool'].map((type) => expect.stringContaining(`Expected dict from JSON, got ${type}`)),
    );
    expect(handled).toEqual([]);
  });

  it('TC-07: blank and missing arguments are no arguments', async () => {
    const missing = { ...toolCall('noop'), function: { name: 'noop' } };
    const { contents } = await answerTo(toolCall('noop', ''), toolCall('noop', '   '), missing, toolCall('add', ''));
    expect(handledBy('noop')).toHaveLength(3);
    expect(contents[3]).toMatch(/a: is required; b: is required/);
    expect(contents[3]).not.toContain('JSON');
  });

  it('TC-09: NaN and Infinity are no arguments', async () => {
    const { contents } = await answerTo(toolCall('add', '{"a": NaN, "b": -Infinity}'));
    expect(contents[0]).toMatch(/Invalid JSON arguments: Expecting value: position 6/);
    expect(handled).toEqual([]);
  });

  it('TC-10: two calls of one id both run, and keep their id', async () => {
    const { result, contents } = await answerTo(
      toolCall('add', { a: 1, b: 2 }, 'call_0'),
      toolCall('add', { a: 10, b: 20 }, 'call_0'),
    );
    expect(contents).toEqual(['3', '30']);
    expect(toolMessages(result).map((message) => message.tool_call_id)).toEqual(['call_0', 'call_0']);
  });

  it('TC-12: the same tool twice gives two results, not swapped when the first is slower', async () => {
    const { result } = await answerTo(toolCall('lookup', { q: 'X' }, 'a'), toolCall('lookup', { q: 'Y' }, 'b'));
    expect(toolMessages(result)).toEqual([
      { role: 'tool', content: 'found X', tool_call_id: 'a' },
      { role: 'tool', content: 'found Y', tool_call_id: 'b' },
    ]);
  });

  it('TC-13: an unknown name is answered with the names there are', async () => {
    const names = ['Lookup', 'lookup ', 'functions.lookup', 'nope'];
    const { result, contents } = await answerTo(...names.map((name) => toolCall(name, { q: 'x' })));
    for (const [index, name] of names.entries()) {
      expect(contents[index]).toContain(`no tool ${JSON.stringify(name)}`);
      expect(contents[index]).toContain('add, lookup, noop');
    }
    expect(result.metrics?.num_tool_calls).toBe(4);
  });

  it('TC-16: a model that repeats a malformed call is stopped by max_turns', async () => {
    script = () => [toolCall('add', '{bad')];
    const result = await rig.run({ maxTurns: 5 });
    expect(rig.chatRequests()).toHaveLength(5);
    expect(result).toMatchObject({ status: 'COMPLETED', finish_reason: 'max_turns' });
  });

  it('TC-17: whatever a tool returns becomes text', async () => {
    const kinds = ['undefined', 'null', 'circle', 'bigint', 'buffer', 'map', 'nested'];
    const { contents } = await answerTo(...kinds.map((q) => toolCall('give', { q })));
    expect(contents.slice(0, 2)).toEqual(['null', 'null']);
    expect(contents[2]).toMatch(/^Error: Tool give returned something that cannot be sent: the value contains itself/);
    expect(contents[3]).toBe('10');
    expect(contents[4]).toMatch(/^Error: Tool give .* a Buffer has no JSON form/);
    expect(contents[5]).toMatch(/^Error: Tool give .* a Map has no JSON form/);
    expect(contents[6]).toMatch(/^Error: Tool give .* a Map has no JSON form/);
    expect(contents.join()).not.toContain('[object');
  });

  it('TC-19: glued objects and trailing commentary are refused', async () => {
    const { contents } = await answerTo(
      toolCall('add', '{"a":1,"b":1}{"a":5,"b":5}'),
      toolCall('add', '{"a":1,"b":1} // done'),
    );
    expect(contents).toEqual([expect.stringContaining('Extra data'), expect.stringContaining('Extra data')]);
    expect(handled).toEqual([]);
  });

  it('TC-20: malformed arguments are not called truncated', async () => {
    const { contents } = await answerTo(toolCall('lookup', '{"q": list_x"}'));
    expect(contents[0]).toContain('Invalid JSON');
    expect(contents[0] + rig.log.text).not.toMatch(/truncat/i);
  });

  it('TC-22: unknown keys are refused with their path, at every depth', async () => {
    const { contents } = await answerTo(
      toolCall('lookup', { q: 'x', limt: 3 }),
      toolCall('save', { items: [{ sku: 'a', qtty: 2 }] }),
    );
    expect(contents[0]).toContain('limt');
    expect(contents[1]).toContain('items[0].qtty');
    expect(handled).toEqual([]);
  });

  it('LC-10: a tool that never ends is answered for at its limit, and its sibling keeps its result', async () => {
    const { contents } = await answerTo(toolCall('hang'), toolCall('add', { a: 1, b: 2 }));
    expect(contents).toEqual([expect.stringMatching(/Tool hang .*300 ms/), '3']);
  });

  it('LC-12: the signal reaches the tool at its limit', async () => {
    await answerTo(toolCall('count'));
    await until(() => handledBy('count-stopped').length === 1);
    const counted = handledBy('count').length;
    await new Promise((resolve) => setTimeout(resolve, 60));
    expect(handledBy('count')).toHaveLength(counted);
  });

  it('LC-15: whatever a tool throws becomes a text', async () => {
    const kinds = ['string', 'undefined', 'null', 'object', 'getter'];
    const { contents } = await answerTo(...kinds.map((q) => toolCall('fail', { q })), toolCall('reject'));
    expect(contents).toEqual([
      'Error: boom',
      'Error: undefined was thrown',
      'Error: null was thrown',
      'Error: {"code":7}',
      'Error: an error that cannot be read was thrown',
      'Error: undefined was thrown',
    ]);
  });

  it('LC-22: at max_turns the tools of the last turn have run, so the conversation is well-formed', async () => {
    script = [[toolCall('add', { a: 1, b: 2 }), toolCall('noop')], 'never asked'];
    const result = await rig.run({ maxTurns: 1 });
    expect(result).toMatchObject({ status: 'COMPLETED', finish_reason: 'max_turns' });
    expectPaired(result.final_messages);
    expect(toolMessages(result)).toHaveLength(2);
    expect(rig.chatRequests()).toHaveLength(1);
  });

  it('max_tokens_total ends the loop with its own finish reason', async () => {
    script = () =>
      completion([toolCall('noop')], { usage: { prompt_tokens: 90, completion_tokens: 10, total_tokens: 100 } });
    const result = await rig.run({ maxTokensTotal: 100 });
    expect(result).toMatchObject({ status: 'COMPLETED', finish_reason: 'max_tokens' });
    expect(result.metrics).toMatchObject({ num_llm_calls: 1, num_tool_calls: 1, max_context_tokens: 100 });
  });

  it('odd elements in tool_calls are answered like any other fault', async () => {
    script = [{ tool_calls: [1, null, { id: 'x' }] as never }, 'done'];
    const result = await rig.run();
    expect(toolMessages(result).map((message) => message.content)).toEqual(
      [1, 2, 3].map(() => expect.stringContaining('names no function')),
    );
  });
});
