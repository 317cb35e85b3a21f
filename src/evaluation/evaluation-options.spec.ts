import { OsmosisError } from '#domain';
import { DATASET_FORMATS } from '#evaluation/plain';
import { parseLine } from '../cli/parse.js';
import { TEST } from '../commands/test/test.declaration.js';
import { readEvaluationOptions, type EvaluationOptions } from './evaluation-options.js';
import { DATASET_READING } from './evaluation.declarations.js';

function read(...argv: string[]): EvaluationOptions {
  const line = parseLine(TEST, ['-d', 'rows.jsonl', ...argv]);
  if (!line.ok) throw new Error(line.message);
  return readEvaluationOptions(line.value.options);
}

function faultOf(...argv: string[]): string {
  try {
    read(...argv);
  } catch (error) {
    expect(OsmosisError.is(error) && error.code).toBe('USAGE');
    return (error as Error).message;
  }
  throw new Error('nothing was wrong');
}

describe('the command line of testing and evaluating', () => {
  it('holds what was given and leaves the rest to the runners', () => {
    expect(read('-m', 'a.ts')).toEqual({
      agent: { kind: 'module', module: 'a.ts', agent: undefined },
      dataset: { path: 'rows.jsonl' },
      model: { model: 'gpt-5-mini' },
      limits: { completionParams: {} },
    });
    const given = read('-m', 'a.ts', '--temperature', '0', '--max-tokens', '5', '--max-turns', '3', '--timeout', '1.5');
    expect(given.limits).toEqual({ completionParams: { temperature: 0, max_tokens: 5 }, maxTurns: 3, timeoutMs: 1500 });
  });

  it('takes --agent for the module where none is named, as the Python SDK does (spec D.10)', () => {
    expect(read('--agent', 'a.ts:A').agent).toEqual({ kind: 'module', module: 'a.ts:A', agent: undefined });
    expect(read('-m', 'a.ts', '--agent', 'calculator').agent).toMatchObject({ module: 'a.ts', agent: 'calculator' });
    expect(read('--mcp', 'node s.mjs').agent).toMatchObject({ kind: 'mcp', server: 'node s.mjs' });
  });

  it('G-D: module and mcp exclude each other; one of them there must be', () => {
    expect(faultOf('-m', 'a.ts', '--mcp', 'x')).toContain('--module and --mcp exclude each other');
    expect(faultOf('--agent', 'a', '--mcp', 'x')).toContain('exclude each other');
    expect(faultOf()).toContain('There is no agent to run');
  });

  it.each([
    [['user_prompt=question'], { user_prompt: 'question' }],
    [['user_prompt=q,ground_truth=a, b'], { user_prompt: 'q', ground_truth: 'a, b' }],
    [['user_prompt=a=b', 'messages=m'], { user_prompt: 'a=b', messages: 'm' }],
  ])('--columns %j', (given, columns) => {
    expect(read('-m', 'a', ...given.flatMap((each) => ['--columns', each])).dataset.columns).toEqual(columns);
  });

  it.each([
    ['question', "--columns cannot be 'question'. Write ours=theirs"],
    ['user_prompt=', "--columns cannot be 'user_prompt='"],
    ['user_promt=q', "--columns cannot give 'user_promt'. Columns of ours: ground_truth, user_prompt"],
    ['user_prompt=a,user_prompt=b', '--columns takes user_prompt from two columns'],
  ])('--columns %s is refused', (given, message) => {
    expect(faultOf('-m', 'a', '--columns', given)).toContain(message);
  });

  it('declares the formats that datasets have', () => {
    expect(DATASET_READING.find(({ flags }) => flags.startsWith('--format'))?.choices).toEqual(DATASET_FORMATS);
  });
});
