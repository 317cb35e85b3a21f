import { ToolArgumentError, ToolExecutionError } from './errors.js';
import {
  createToolErrorResult,
  createToolResult,
  executeToolCalls,
  getToolCallInfo,
  parseToolArguments,
  serializeToolResult,
} from './tool-calls.js';
import type { ToolCall } from './message.js';

describe('createToolResult and createToolErrorResult', () => {
  it('12.13: have exactly three keys, in the order of the wire', () => {
    expect(JSON.stringify(createToolResult('call_123', '42'))).toBe(
      '{"role":"tool","content":"42","tool_call_id":"call_123"}',
    );
  });

  it.each(['', 'line 1\nline 2\n\ttabbed'])('12.13: keep the content %j', (content) => {
    expect(createToolResult('call_123', content).content).toBe(content);
  });

  it('12.13: an error result starts with "Error: "', () => {
    expect(createToolErrorResult('call_123', 'Division by zero')).toEqual({
      role: 'tool',
      content: 'Error: Division by zero',
      tool_call_id: 'call_123',
    });
  });
});

describe('serializeToolResult', () => {
  it.each<[unknown, string]>([
    [42, '42'],
    [0, '0'],
    [-1, '-1'],
    [3.14, '3.14'],
    [-1.5, '-1.5'],
    ['', ''],
    ['plain text', 'plain text'],
    ['  kept  ', '  kept  '],
    [{ a: 1, b: 2 }, '{"a": 1, "b": 2}'],
    [[1, 2, 3], '[1, 2, 3]'],
    [null, 'null'],
    [true, 'true'],
    [false, 'false'],
  ])('12.13: %j becomes %j', (value, text) => {
    expect(serializeToolResult(value)).toBe(text);
  });

  it('12.13, deliberate difference integral-floats: 0.0 is 0 in JavaScript, so its text is "0" and not "0.0"', () => {
    expect(serializeToolResult(0.0)).toBe('0');
  });

  it('TC-17: a tool that returns nothing says null, a bigint its digits', () => {
    expect(serializeToolResult(undefined)).toBe('null');
    expect(serializeToolResult(10n)).toBe('10');
  });

  it.each([
    ['a Map', new Map([[1, 2]]), 'a Map has no JSON form'],
    ['a Set', new Set([1]), 'a Set has no JSON form'],
    ['a Buffer', Buffer.from('hi'), 'a Buffer has no JSON form'],
    ['an ArrayBuffer', new ArrayBuffer(2), 'a ArrayBuffer has no JSON form'],
    ['a function', () => 1, 'a function has no JSON form'],
    ['a symbol', Symbol('s'), 'a symbol has no JSON form'],
    ['a Map inside an object', { found: new Map() }, 'a Map has no JSON form'],
  ])('TC-17: refuses %s by name, never "[object Object]"', (_, value, reason) => {
    expect(() => serializeToolResult(value)).toThrow(new TypeError(reason));
  });

  it('TC-17: refuses a value that contains itself', () => {
    const circle: { self?: unknown } = {};
    circle.self = circle;
    expect(() => serializeToolResult(circle)).toThrow(new TypeError('the value contains itself'));
  });
});

describe('parseToolArguments', () => {
  it('12.13, TC-05: hands an object through as it is', () => {
    const args = { a: 1 };
    expect(parseToolArguments(args)).toBe(args);
  });

  it.each([
    ['{"a": 5, "b": 3}', { a: 5, b: 3 }],
    ['{}', {}],
    ['{"outer": {"inner": [1, {"deep": null}]}}', { outer: { inner: [1, { deep: null }] } }],
  ])('12.13: reads %s', (text, expected) => {
    expect(parseToolArguments(text)).toEqual(expected);
  });

  it.each([
    ['{"q":"what\'s O\'Neil\'s tariff"}', { q: "what's O'Neil's tariff" }],
    ['{"q":"rock \'n\' roll","n":2}', { q: "rock 'n' roll", n: 2 }],
  ])('TC-04: valid JSON is never touched: %s', (text, expected) => {
    expect(parseToolArguments(text)).toEqual(expected);
  });

  it.each([
    ['12.13', 'not valid json', 'Invalid JSON arguments: Expecting value: position 0'],
    ['TC-03', "{'q': 'x'}", 'Invalid JSON arguments: Expecting property name enclosed in double quotes: position 1'],
    ['TC-03', '{"a":1,}', 'Invalid JSON arguments: Expecting property name enclosed in double quotes: position 7'],
    ['TC-03', '{"😀":1,}', 'Invalid JSON arguments: Expecting property name enclosed in double quotes: position 7'],
    [
      'TC-01',
      '{"q": "Oslo",',
      'Invalid JSON arguments: Expecting property name enclosed in double quotes: position 13',
    ],
    ['TC-07', '', 'Invalid JSON arguments: Expecting value: position 0'],
    ['TC-09', '{"a": NaN, "b": -Infinity}', 'Invalid JSON arguments: Expecting value: position 6'],
    ['TC-19', '{"a":1,"b":1}{"a":5,"b":5}', 'Invalid JSON arguments: Extra data: position 13'],
    ['TC-19', '{"a":1,"b":1} // done', 'Invalid JSON arguments: Extra data: position 14'],
    ['TC-20', '{"q": list_x"}', 'Invalid JSON arguments: Expecting value: position 6'],
  ])('%s: broken JSON is refused with its position and never repaired: %s', (_case, text, message) => {
    expect(() => parseToolArguments(text)).toThrow(new ToolArgumentError(message));
  });

  it.each([
    ['[1, 2, 3]', 'list'],
    ['7', 'int'],
    ['7.0', 'float'],
    ['"x"', 'str'],
    ['"{\\"a\\":1}"', 'str'],
    ['true', 'bool'],
    ['null', 'NoneType'],
  ])('12.13, TC-05, TC-06: the JSON %s is no object', (text, type) => {
    expect(() => parseToolArguments(text)).toThrow(new ToolArgumentError(`Expected dict from JSON, got ${type}`));
  });

  it.each<[unknown, string]>([
    [123, 'int'],
    [1.5, 'float'],
    [null, 'NoneType'],
    [undefined, 'NoneType'],
    [true, 'bool'],
    [[{ a: 1 }], 'list'],
  ])('12.13: %j is neither text nor object', (args, type) => {
    expect(() => parseToolArguments(args)).toThrow(
      new ToolArgumentError(`Expected str or dict arguments, got ${type}`),
    );
  });

  it('a key named __proto__ is an ordinary key', () => {
    const args = parseToolArguments('{"__proto__": {"admin": true}}');
    expect(Object.keys(args)).toEqual(['__proto__']);
    expect('admin' in args).toBe(false);
  });
});

describe('getToolCallInfo', () => {
  it('12.13: gives id, name and parsed arguments', () => {
    const call = { id: 'call_123', type: 'function', function: { name: 'add', arguments: '{"a": 5, "b": 3}' } };
    expect(getToolCallInfo(call)).toEqual({ id: 'call_123', name: 'add', args: { a: 5, b: 3 } });
  });

  it('12.13: takes arguments that are an object already', () => {
    expect(getToolCallInfo({ id: 'c', function: { name: 'add', arguments: { a: 1 } } }).args).toEqual({ a: 1 });
  });

  it('12.13: a missing id reads unknown; a null one stays null', () => {
    expect(getToolCallInfo({ function: { name: 'add', arguments: '{}' } }).id).toBe('unknown');
    expect(getToolCallInfo({ id: null, function: { name: 'add', arguments: '{}' } }).id).toBeNull();
  });

  it('a missing function or name is empty, missing arguments are none', () => {
    for (const call of [{ id: 'c' }, { id: 'c', function: null }, { id: 'c', function: {} }]) {
      expect(getToolCallInfo(call)).toEqual({ id: 'c', name: '', args: {} });
    }
  });

  it('12.13: bad arguments are an error that knows its call', () => {
    const call = { id: 'call_9', function: { name: 'add', arguments: 'bad' } };
    expect.assertions(3);
    try {
      getToolCallInfo(call);
    } catch (error) {
      expect(error).toBeInstanceOf(ToolArgumentError);
      expect(error).toMatchObject({ toolCallId: 'call_9', toolName: 'add', code: 'TOOL_ARGUMENT' });
      expect((error as Error).message).toMatch(/^Invalid JSON arguments: /);
    }
  });

  it('null arguments are no arguments object', () => {
    const call = { id: 'c', function: { name: 'add', arguments: null } };
    expect(() => getToolCallInfo(call)).toThrow('Expected str or dict arguments, got NoneType');
  });
});

describe('executeToolCalls', () => {
  const calls: ToolCall[] = ['a', 'b', 'c'].map((id) => ({ id, function: { name: 'slow', arguments: '{}' } }));

  it('12.13: no calls, no results', async () => {
    const executor = jest.fn();
    for (const none of [[], null, undefined]) expect(await executeToolCalls(none, executor)).toEqual([]);
    expect(executor).not.toHaveBeenCalled();
  });

  it('12.13: one call, one result', async () => {
    expect(await executeToolCalls(calls.slice(0, 1), async ({ id }) => `result of ${id}`)).toEqual(['result of a']);
  });

  it('12.13, TC-12: three calls start at once, and their results come in call order', async () => {
    const finish: (() => void)[] = [];
    const running = executeToolCalls(calls, ({ id }) => new Promise((resolve) => finish.push(() => resolve(id))));
    expect(finish).toHaveLength(3);
    for (const end of finish.reverse()) end();
    expect(await running).toEqual(['a', 'b', 'c']);
  });

  it('takes an executor that is not async', async () => {
    expect(await executeToolCalls(calls, ({ id }) => id)).toEqual(['a', 'b', 'c']);
  });

  it('lets every sibling end before it throws the first failure in call order', async () => {
    const ended: unknown[] = [];
    const failing = executeToolCalls(calls, async ({ id }) => {
      if (id === 'b') await new Promise((resolve) => setImmediate(resolve));
      ended.push(id);
      if (id !== 'a') throw new ToolExecutionError(`${String(id)} failed`);
    });
    await expect(failing).rejects.toThrow('b failed');
    expect(ended).toEqual(['a', 'c', 'b']);
  });

  it('a throw of a plain executor counts as its failure, and its siblings start all the same', async () => {
    const executor = jest.fn(({ id }: ToolCall) => {
      if (id === 'a') throw new ToolExecutionError('at once');
    });
    await expect(executeToolCalls(calls, executor)).rejects.toThrow('at once');
    expect(executor).toHaveBeenCalledTimes(3);
  });
});
