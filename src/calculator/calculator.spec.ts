import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Test } from '@nestjs/testing';
import { FastifyAdapter, type NestFastifyApplication } from '@nestjs/platform-fastify';
import { exactMatch, OsmosisModule } from '#osmosis';
import { createMockTrainerApp, driveRollouts, RolloutCompletionTracker } from '#testing';
import { CalculatorAgent } from './calculator.agent.js';
import { expectedReward, flawsOf } from './flaws.js';
import { PROBLEMS } from './problems.js';
import { resultMatch } from './scoring.js';
import { createSolver } from './solver.js';

describe('scoring', () => {
  it.each([
    ['42', '42', true, true],
    [' 42\n', '42', true, true],
    ['The answer is 42.', '42', false, true],
    ['first 41, then 42', '42', false, true],
    ['42.0000001', '42', false, true],
    ['43', '42', false, false],
    ['-42', '42', false, false],
    ['1e3', '1000', false, true],
    ['', '42', false, false],
    ['No Answer', 'no answer', false, true],
    ['0', 'no answer', false, false],
  ])('%j for %j: exactly %s, numerically %s', (solution, truth, exactly, numerically) => {
    expect(exactMatch(solution, truth)).toBe(Number(exactly));
    expect(resultMatch(solution, truth)).toBe(Number(numerically));
  });

  it('a problem may allow for rounding', () => {
    expect(resultMatch('3.3333', '3.33')).toBe(0);
    expect(resultMatch('3.3333', '3.33', 0.005)).toBe(1);
  });
});

describe('the dataset', () => {
  it('is the same in problems.jsonl', () => {
    const lines = readFileSync(join(process.cwd(), 'src/calculator/problems.jsonl'), 'utf8').trim().split('\n');
    expect(lines.map((line) => JSON.parse(line) as unknown)).toEqual(PROBLEMS);
  });

  it('asks no question twice', () => {
    expect(new Set(PROBLEMS.map((problem) => problem.user_prompt)).size).toBe(PROBLEMS.length);
  });
});

describe('the calculator agent, driven by the mock trainer with the solver', () => {
  let app: NestFastifyApplication;
  let trainer: NestFastifyApplication;
  const tracker = new RolloutCompletionTracker();

  beforeAll(async () => {
    const module = await Test.createTestingModule({
      imports: [OsmosisModule.forRoot()],
      providers: [CalculatorAgent],
    }).compile();
    app = module.createNestApplication<NestFastifyApplication>(new FastifyAdapter());
    trainer = await createMockTrainerApp({ tracker, script: createSolver(flawsOf(PROBLEMS)), logger: false });
    await Promise.all([app.listen(0, '127.0.0.1'), trainer.listen(0, '127.0.0.1')]);
  });
  afterAll(() => Promise.all([app.close(), trainer.close()]));

  it('earns the expected reward on every problem', async () => {
    const results = await driveRollouts({
      serverUrl: await app.getUrl(),
      trainerUrl: await trainer.getUrl(),
      tracker,
      tasks: PROBLEMS.map(({ system_prompt, user_prompt, ...metadata }) => ({
        messages: [
          { role: 'system', content: system_prompt },
          { role: 'user', content: user_prompt },
        ],
        metadata,
      })),
    });
    const rewards = results.map((result, index) => [PROBLEMS[index]?.user_prompt, result.completion?.reward]);
    expect(rewards).toEqual(PROBLEMS.map((problem) => [problem.user_prompt, expectedReward(problem)]));
    expect(new Set(results.map((result) => result.completion?.finish_reason))).toEqual(new Set(['stop']));
  });
});
