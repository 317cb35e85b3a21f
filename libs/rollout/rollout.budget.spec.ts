import { Cancellation, type RolloutLimits, type RolloutOutcome, type RolloutRequest } from '#domain';
import { FakeClock } from '../../test/support/fake.clock.js';
import { RolloutBudget } from './rollout.budget.js';
import { RolloutRecord, type RolloutWork } from './rollout.record.js';

const REWARDED = { status: 'COMPLETED', reward: 1, failure: null } as Partial<RolloutOutcome> as RolloutOutcome;

describe('RolloutBudget', () => {
  let clock: FakeClock;
  let record: RolloutRecord;
  let cancellation: Cancellation;

  beforeEach(() => {
    clock = new FakeClock();
    record = new RolloutRecord('r', null, '', 'agent', 'test');
    record.acceptedAt = clock.now();
    cancellation = new Cancellation();
  });

  function start(limits?: RolloutLimits, maxQueueMs?: number): RolloutBudget {
    const request = { metadata: {}, limits } as Partial<RolloutRequest> as RolloutRequest;
    const work = { request, cancellation } as Partial<RolloutWork> as RolloutWork;
    const budget = new RolloutBudget(record, work, { deadlineMs: 1_000, maxQueueMs, clock });
    budget.start();
    return budget;
  }

  it('without limits one deadline spans the run and the score', () => {
    const budget = start();
    budget.gotSlot();
    clock.advance(900);
    budget.ran();
    clock.advance(200);
    expect(cancellation.reason).toMatchObject({ code: 'DEADLINE', message: expect.stringContaining('1000 ms') });
  });

  it('limits give scoring a budget of its own', () => {
    const budget = start({ agentMs: 500, scoringMs: 300 });
    clock.advance(400);
    budget.ran();
    clock.advance(200);
    expect(cancellation.reason).toBeNull();
    clock.advance(200);
    expect(cancellation.reason?.message).toMatch(/^The grader exceeded its 0\.3s deadline\./);
  });

  it('what was spent since the acceptance is spent, also before the budget starts', () => {
    clock.advance(400);
    start({ agentMs: 500, scoringMs: null });
    clock.advance(200);
    expect(cancellation.reason?.message).toMatch(/^The agent exceeded its 0\.5s deadline\..*queue/);
  });

  it.each([0, -2_000])('a limit of %d ms has expired already', (agentMs) => {
    start({ agentMs, scoringMs: null });
    expect(cancellation.reason?.code).toBe('DEADLINE');
  });

  it('limits left open are the server’s deadline', () => {
    start({ agentMs: null, scoringMs: null });
    clock.advance(1_100);
    expect(cancellation.reason?.message).toContain('The agent exceeded its 1.0s deadline');
  });

  it('an end that no timer has stopped is still too late', () => {
    const late = start({ agentMs: 500, scoringMs: 300 });
    jest.spyOn(clock, 'now').mockReturnValue(record.acceptedAt + 501);
    expect(() => late.ran()).toThrow(expect.objectContaining({ code: 'DEADLINE' }));
  });

  it('and so is a reward; the run stays what it is', () => {
    const budget = start({ agentMs: 500, scoringMs: 300 });
    budget.ran();
    expect(budget.judge(REWARDED)).toBe(REWARDED);
    jest.spyOn(clock, 'now').mockReturnValue(record.acceptedAt + 400);
    expect(budget.judge(REWARDED)).toMatchObject({
      status: 'COMPLETED',
      reward: null,
      failure: { class: 'deadline', phase: 'reward' },
    });
  });

  it('nothing fires after it was stopped', () => {
    const budget = start(undefined, 100);
    budget.stop();
    clock.advance(5_000);
    expect(cancellation.reason).toBeNull();
  });
});
