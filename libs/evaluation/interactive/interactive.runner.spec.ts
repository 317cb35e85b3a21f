import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { PassThrough, Readable } from 'node:stream';
import type { INestApplicationContext } from '@nestjs/common';
import { agentApp } from '../testing/agent-app.js';
import { adder, AdderAgent, addingScript, MoodyAgent } from '../testing/calculator.js';
import { DatasetFiles, jsonl, row } from '../testing/dataset-files.js';
import { ScriptedEvaluationModel } from '../run/index.js';
import { InteractiveRunner, type InteractiveOptions } from './interactive.runner.js';
import { StreamLines } from './line.input.js';

const files = new DatasetFiles();
const path = files.write(
  'rows.jsonl',
  jsonl(...Array.from({ length: 5 }, (_, index) => row(`What is ${index} + 3?`, String(index + 3)))),
);
let app: INestApplicationContext;
beforeAll(async () => {
  app = await agentApp(AdderAgent, MoodyAgent);
});
afterAll(async () => {
  await app.close();
  files.remove();
});

/** Runs a session with these lines as its input; gives everything it wrote, prompts and the lines themselves included. */
async function session(lines: readonly string[], options: Partial<InteractiveOptions> = {}): Promise<string> {
  const input = new StreamLines(Readable.from(lines.map((line) => `${line}\n`)));
  let shown = '';
  const io = {
    write: (text: string) => void (shown += text),
    readLine: async (prompt: string) => {
      const line = await input.next();
      shown += `${prompt}${line ?? '<end>'}\n`;
      return line;
    },
  };
  await app.get(InteractiveRunner).run({ dataset: { path }, model: adder(), io, ...options });
  return shown;
}

describe('stepping through a rollout (spec F.7)', () => {
  it('pauses after every answer; shows the conversation, the tools, calls, results and the end', async () => {
    const shown = await session(['2', 'n', '', '', 'q']);
    expect(shown.replace(/Duration: .*/, 'Duration: …')).toBe(`Row (0-4), or q to quit: 2

════ Row 2 ════
[0 system]
  Be brief.
[1 user]
  What is 2 + 3?
Tools:
  add(a, b): Add two numbers

──── Turn 1 ────
[assistant]
  → add (call_1)
    {
      "a": 2,
      "b": 3
    }
(n/c/m/t/e/s/r N/q/?) > n
[tool: add]
  5

──── Turn 2 ────
[assistant]
  5
finish reason: stop
(n/c/m/t/e/s/r N/q/?) > 

──── Result ────
Status: COMPLETED
Reward: 1
  exact: 1
Finish reason: stop
Duration: …
Tokens: 64
LLM calls: 2
(m/s/r N/Enter/?) > 
Row (0-4), or q to quit: q
`);
  });

  it('c goes on to the end of the row; the next row pauses again', async () => {
    const shown = await session(['0', 'C', '', '1', 'n', 'n', '', 'exit']);
    expect(shown.match(/Status: COMPLETED/g)).toHaveLength(2);
    expect(shown.match(/\(n\/c\/m/g)).toHaveLength(3);
  });

  it('m shows all messages, the answer just given included (weakness H 28); t the tools; ? the commands', async () => {
    const shown = await session(['0', 'messages', 't', '?', 'help', 'q', 'q', 'q']);
    const [, afterM = ''] = shown.split('> messages\n');
    expect(afterM.startsWith('[0 system]\n  Be brief.\n[1 user]\n  What is 0 + 3?\n[2 assistant]\n  → add')).toBe(true);
    expect(shown.match(/Tools:/g)).toHaveLength(2);
    expect(shown.match(/r N {11}give this row up and go to row N/g)).toHaveLength(2);
  });

  it('an unknown command is told, with the others', async () => {
    expect(await session(['0', 'wat', 'r x', 'q', '', 'q'])).toMatch(
      /Unknown command: wat\nCommands:[^]*Unknown command: r x/,
    );
  });

  it('q gives the row up, which can then still be looked at', async () => {
    const shown = await session(['0', 'q', 'm', 'n', 'q']);
    expect(shown).toContain('Status: ERROR\nError: aborted by user');
    expect(shown.split('> m\n')[1]).toContain('[2 assistant]');
  });

  it('r N goes to another row, from a pause and from the end', async () => {
    const shown = await session(['0', 'r 3', 'c', 'row 4', 'c', 'r 99', 'q']);
    expect(shown.match(/════ Row \d/g)).toEqual(['════ Row 0', '════ Row 3', '════ Row 4']);
    expect(shown).toContain('There is no row 99. Rows: 0-4.');
  });

  it('an agent that catches every error cannot go on after it was given up (weakness H 28)', async () => {
    const script = jest.fn(() => 'an answer');
    const dataset = { path: files.write('moody.jsonl', jsonl(row('swallow it'))) };
    const model = new ScriptedEvaluationModel('scripted:spy', script);
    const shown = await session(['0', 'q', '', 'q'], { dataset, agent: 'moody', model });
    expect(shown).toContain('Error: aborted by user');
    expect(script).toHaveBeenCalledTimes(1);
  });

  it('--row begins there; out of range is told and the session goes on', async () => {
    expect(await session(['c', '', 'q'], { row: 4 })).toContain('════ Row 4 ════');
    const windowed = await session(['x', '1', '3', 'c', '', 'q'], { row: 9, dataset: { path, offset: 2, limit: 2 } });
    expect(windowed).toContain('There is no row 9. Rows: 2-3.');
    expect(windowed).toContain('Give the number of a row, or q.');
    expect(windowed).toContain('There is no row 1.');
    expect(windowed).toContain('════ Row 3 ════');
  });

  it('the end of the input ends the session, wherever it is', async () => {
    for (const lines of [[], ['0'], ['0', 'c'], ['0', 'e']]) expect(await session(lines)).toContain('<end>');
  });
});

describe('editing an answer before it goes on', () => {
  it('by text: the tools that were asked for are not run', async () => {
    const shown = await session(['2', 'e five', 'n', '', 'q']);
    expect(shown).toContain('> e five\n[assistant]\n  five\n');
    expect(shown).toMatch(/Reward: 0\n[^]*LLM calls: 1/);
    expect(shown).not.toContain('[tool: add]');
  });

  it('by a whole message: other arguments for a tool', async () => {
    const call = { id: 'x', type: 'function', function: { name: 'add', arguments: '{"a":40,"b":2}' } };
    const shown = await session(['2', `e ${JSON.stringify({ content: null, tool_calls: [call] })}`, 'n', 'c', '', 'q']);
    expect(shown).toContain('[tool: add]\n  42\n');
  });

  it('by a line of its own; an empty one leaves the answer; what is no message is told', async () => {
    const shown = await session(['2', 'e', '', 'e', '[1]', 'edit', '5', 'm', 'n', '', 'q']);
    expect(shown).toContain('This is no message: JSON must be one object. The answer is as it was.');
    expect(shown.split('> m\n')[1]).toContain('[2 assistant]\n  5\n');
    expect(shown).toContain('Reward: 1');
  });
});

describe('saving', () => {
  it('writes the conversation as it is at the moment', async () => {
    const file = join(files.folder, 'saved/deep.json');
    const shown = await session(['1', `s ${file}`, 'n', 'c', `save ${file}`, '', 'q']);
    expect(shown).toContain(`Saved 3 messages to ${file}`);
    expect(shown).toContain(`Saved 5 messages to ${file}`);
    expect(JSON.parse(readFileSync(file, 'utf8'))).toHaveLength(5);
  });

  it('a target that cannot be written is told, and the session goes on', async () => {
    const shown = await session(['1', `s ${join(path, 'x.json')}`, 'c', '', 'q']);
    expect(shown).toMatch(/x\.json: cannot be written[^]*Status: COMPLETED/);
  });
});

describe('input on a pipe', () => {
  it('lines are kept until they are asked for, whenever they come; the last needs no end', async () => {
    const stream = new PassThrough();
    const lines = new StreamLines(stream);
    stream.write('a\r\nb\n');
    expect(await lines.next()).toBe('a');
    expect(await lines.next()).toBe('b');
    const third = lines.next();
    setTimeout(() => stream.end('c'), 5);
    expect(await third).toBe('c');
    expect(await lines.next()).toBeNull();
    expect(await lines.next()).toBeNull();
  });

  it('cannot be the dataset as well', async () => {
    await expect(session([], { dataset: { path: '-' } })).rejects.toThrow(
      'Standard input is where the commands come from',
    );
  });

  it('a model that cannot be asked is told before the first row', async () => {
    const model = new ScriptedEvaluationModel('scripted:adder', addingScript);
    model.preflight = () => Promise.reject(new Error('no key'));
    await expect(session(['0'], { model })).rejects.toThrow('no key');
  });
});
