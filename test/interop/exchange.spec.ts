import { startRig, type ChatRequestBody, type Rig } from '../support/rig.js';
import { CalculatorAgent } from '../../src/calculator/calculator.agent.js';
import { comparable, oddLatencies, hasIntegralFloats, withoutIntegralFloats } from './exchange/compare.js';
import { rolloutIdOf, runAll, TRAINER_KEY, type Exchange, type Pair } from './exchange/rollouts.js';
import { callsFor, SUMS } from './exchange/sums.js';
import { describeWithPython, PythonServer } from './support/python.js';
import { ROWS } from './support/rows.js';

const KEY = 'server-key-0123456789';

describeWithPython('50 problems over two servers and two trainers, Python and we', () => {
  let rig: Rig;
  let server: PythonServer;
  let trainer: PythonServer;
  let pairs: Readonly<Record<'ours' | 'trains' | 'serves' | 'python', Pair>>;
  let exchanges: Readonly<Record<keyof typeof pairs, Exchange[]>>;

  beforeAll(async () => {
    [rig, server, trainer] = await Promise.all([
      startRig({
        providers: [CalculatorAgent],
        osmosis: { apiKeys: KEY },
        trainer: { toolCallGenerator: callsFor, apiKey: TRAINER_KEY },
      }),
      PythonServer.start('peer.v02_server'),
      PythonServer.start('peer.v02_trainer'),
    ]);
    pairs = {
      ours: { name: 'ours', serverUrl: rig.serverUrl, trainerUrl: rig.trainerUrl },
      trains: { name: 'python trains', serverUrl: rig.serverUrl, trainerUrl: trainer.url },
      serves: { name: 'python serves', serverUrl: server.url, trainerUrl: rig.trainerUrl },
      python: { name: 'python', serverUrl: server.url, trainerUrl: trainer.url },
    };
    exchanges = {
      ours: await runAll(pairs.ours, SUMS),
      trains: await runAll(pairs.trains, SUMS),
      serves: await runAll(pairs.serves, SUMS),
      python: await runAll(pairs.python, SUMS),
    };
  });

  afterAll(() => Promise.all([rig?.close(), server?.stop(), trainer?.stop()]));

  const completionsOf = (who: keyof typeof pairs): Exchange['completion'][] =>
    exchanges[who].map(({ completion }) => completion);

  it.each(['trains', 'serves', 'python'] as const)('agree on messages, status, reward and counts: %s', (who) => {
    const theirs = completionsOf(who).map(comparable).map(withoutIntegralFloats);
    expect(theirs).toEqual(completionsOf('ours').map(comparable));
    expect(theirs).toHaveLength(50);
  });

  it.each(['ours', 'trains', 'serves', 'python'] as const)('have times that make sense: %s', (who) => {
    expect(completionsOf(who).flatMap(oddLatencies)).toEqual([]);
  });

  it.each(['trains', 'python'] as const)('solve something, fail at something, and need several turns: %s', (who) => {
    const completions = completionsOf(who);
    const text = JSON.stringify(completions);
    expect(text).toContain('"content":"Error: Division by zero: this has no answer"');
    expect(new Set(completions.map(({ reward }) => reward))).toEqual(new Set([undefined, 0, 1]));
    expect(Math.max(...completions.map(({ metrics }) => metrics?.num_llm_calls ?? 0))).toBe(5);
    expect(Math.max(...completions.map(({ metrics }) => metrics?.num_tool_calls ?? 0))).toBe(6);
  });

  it('offer the same tools, but for row full-tool-schemas', () => {
    const [ours] = exchanges.ours;
    const [python] = exchanges.python;
    expect(python?.tools).toEqual(lossy(ours?.tools ?? []));
    expect(python?.tools).toHaveLength(4);
  });

  it('ask the model with the same bodies, but for row stream-false', () => {
    const ours = chatsOf(rig, pairs.ours);
    const theirs = chatsOf(rig, pairs.serves).map(withoutIntegralFloats);
    expect(ours.map((chats) => chats.map(({ stream, ...body }) => (expect(stream).toBe(false), body)))).toEqual(theirs);
    expect(theirs.flat().map(Object.keys)).toEqual(
      ours.flat().map((body) => Object.keys(body).filter((name) => name !== 'stream')),
    );
  });

  it('show the trainer the same bearer, and we an Idempotency-Key: row idempotency-key-header', () => {
    const requests = rig.recorder.requests.filter(({ method }) => method === 'POST');
    expect(new Set(requests.map(({ headers }) => headers.authorization))).toEqual(new Set([`Bearer ${TRAINER_KEY}`]));
    const isOurs = (request: (typeof requests)[number]): boolean => request.rolloutId?.startsWith('ours-') ?? false;
    const withKey = requests.filter(({ headers }) => headers['idempotency-key'] !== undefined);
    expect(withKey).toEqual(requests.filter(isOurs));
  });

  it('differ in the named rows only', () => {
    const served = { ours: completionsOf('trains'), python: completionsOf('python') };
    const floats = served.python.filter(({ final_messages }) => hasIntegralFloats(final_messages));
    const contexts = served.ours.filter(({ metrics }) => (metrics?.max_context_tokens ?? 0) > 0);
    const extras = served.ours.filter(({ extra_fields }) => Object.keys(extra_fields).length > 0);
    const requests = rig.recorder.requests.filter(({ headers }) => headers['idempotency-key'] !== undefined);
    expect({
      'extra-fields': extras.length,
      'full-tool-schemas': exchanges.ours[0]?.tools.length,
      'idempotency-key-header': requests.length,
      'integral-floats': floats.length,
      'max-context-tokens': contexts.length,
      'stream-false': chatsOf(rig, pairs.ours).flat().length,
    }).toEqual(ROWS.exchange);
    expect(served.python.map(({ metrics }) => metrics?.max_context_tokens)).toEqual(SUMS.map(() => 0));
    expect(served.python.map(({ extra_fields }) => extra_fields)).toEqual(SUMS.map(() => ({})));
  });
});

interface ToolJson {
  readonly function: {
    readonly parameters: {
      readonly additionalProperties: boolean;
      readonly properties: Readonly<Record<string, object>>;
    };
  };
}

/** A tool as the Python server's own classes would let it through. */
function lossy(tools: readonly unknown[]): unknown[] {
  return (tools as ToolJson[]).map((tool) => {
    const { additionalProperties: _dropped, properties, ...parameters } = tool.function.parameters;
    const narrowed = Object.entries(properties).map(([name, property]) => [name, { ...property, enum: null }]);
    return {
      ...tool,
      function: { ...tool.function, parameters: { ...parameters, properties: Object.fromEntries(narrowed) as object } },
    };
  });
}

/** The chat requests of each rollout, without its id. */
function chatsOf(rig: Rig, pair: Pair): Omit<ChatRequestBody, 'rollout_id'>[][] {
  return SUMS.map((_sum, index) =>
    rig.chatRequests(rolloutIdOf(pair, index)).map(({ rollout_id: _id, ...body }) => body),
  );
}
