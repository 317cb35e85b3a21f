import { Cancellation, type ChatMessage } from '#domain';
import { DatasetFiles, jsonl } from '../../testing/dataset-files.js';
import { ScriptedEvaluationModel } from './scripted.model.js';

const files = new DatasetFiles();
afterAll(() => files.remove());

const call = { params: {}, tools: [], cancellation: new Cancellation() };
const user = (content: string): ChatMessage => ({ role: 'user', content });

describe('scripts', () => {
  const path = files.write(
    'script.jsonl',
    jsonl(
      { user: 'add', answers: [[{ name: 'add', arguments: { a: 1, b: 2 } }], 'three'] },
      { user: 'fail', answers: [{ fault: 'authentication' }] },
      { answers: [{ content: 'anything', extra: 1 }] },
    ),
  );

  it('answer by the first user message and the turn, in the forms of an assistant message', async () => {
    const model = await ScriptedEvaluationModel.fromFile(path);
    const chat = model.open();
    const first = await chat.complete([user('add')], call);
    expect(first).toMatchObject({ finishReason: 'tool_calls', message: { role: 'assistant', content: null } });
    expect(first.toolCalls).toEqual([
      { id: 'call_0', type: 'function', function: { name: 'add', arguments: '{"a":1,"b":2}' } },
    ]);
    const second = await chat.complete([user('add'), first.message, { role: 'tool', content: '3' }], call);
    expect(second).toMatchObject({ content: 'three', finishReason: 'stop' });
    expect(second.usage?.completionTokens).toBe(2);
    const other = await model.open().complete([user('who?')], call);
    expect(other.message).toEqual({ role: 'assistant', content: 'anything', extra: 1 });
  });

  it('do not take the answers of a dataset for their own', async () => {
    const chat = (await ScriptedEvaluationModel.fromFile(path)).open();
    const history = [user('add'), { role: 'assistant', content: 'before' }, user('now')];
    expect((await chat.complete(history, call)).hasToolCalls).toBe(true);
  });

  it('fail as providers do', async () => {
    const model = await ScriptedEvaluationModel.fromFile(path);
    await expect(model.open().complete([user('fail')], call)).rejects.toMatchObject({ isSystemic: true });
    const chat = model.open();
    await chat.complete([user('who?')], call);
    await expect(chat.complete([user('who?'), { role: 'assistant' }], call)).rejects.toThrow(
      'has 1 answers for this conversation, not more',
    );
  });

  it('are known by their content', async () => {
    const again = await ScriptedEvaluationModel.fromFile(path);
    const other = await ScriptedEvaluationModel.fromFile(files.write('other.jsonl', jsonl({ answers: ['x'] })));
    expect(again.identity).toEqual((await ScriptedEvaluationModel.fromFile(path)).identity);
    expect(other.identity['version']).not.toBe(again.identity['version']);
  });

  it.each([
    [{ answers: 'x' }, "each entry needs 'answers'"],
    [{ user: 1, answers: [] }, "'user' must be text"],
    [{ answers: [5] }, 'answer 0 must be text, a list of tool calls or an object'],
    [{ answers: [[{ arguments: {} }]] }, 'answer 0 has a tool call without a name at place 0'],
    [{ answers: [{ fault: 'oops' }] }, 'answer 0 has an unknown fault. Known: authentication'],
  ])('%j is none', async (entry, message) => {
    const broken = files.write('broken.jsonl', jsonl({ answers: ['fine'] }, entry));
    await expect(ScriptedEvaluationModel.fromFile(broken)).rejects.toThrow(`row 1: this is no script: ${message}`);
  });
});
