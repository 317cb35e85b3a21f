import { painter } from '../../cli/paint.js';
import { aRollout } from './fixtures/a-rollout.js';
import { listTable } from './list-table.js';
import type { RolloutJson } from './rollout-json.js';

const NOW = Date.parse('2026-01-01T13:30:00Z');
const table = (...rollouts: RolloutJson[]): string => listTable(rollouts, NOW, painter(false), true);

const failure = { class: 'deadline', phase: 'tools', code: 'DEADLINE', message: 'late', retryable: true };
const delivery = { state: 'dead', attempts: 3, last_error: 'refused', next_attempt_at: null, failures: [] };

describe('listTable', () => {
  it('puts words to the left, figures to the right, and a dash where nothing is known', () => {
    const running = { state: 'running', status: null, reward: null, metrics: null, delivery: null, turns: 0 };
    expect(
      table(
        aRollout({ rollout_id: 'job-7/1', reward: 0.33333333 }),
        aRollout({ ...running, rollout_id: 'job-7/20', phase: 'tools' }),
        aRollout({ rollout_id: 'x', status: 'ERROR', reward: null, turns: 12, failure, delivery }),
      ),
    ).toBe(
      [
        'id        agent       state            status            reward  turns         age  delivery',
        'job-7/1   calculator  done             COMPLETED         0.3333      2  1 h 30 min  delivered',
        'job-7/20  calculator  running (tools)  -                      -      -  1 h 30 min  -',
        'x         calculator  done             ERROR (deadline)       -     12  1 h 30 min  dead (3)',
        '',
      ].join('\n'),
    );
  });

  it('names attempts that go on', () => {
    const pending = { ...delivery, state: 'pending', attempts: 2 };
    expect(table(aRollout({ state: 'delivering', delivery: pending }))).toMatch(/ delivering .* pending \(2\)\n$/);
  });

  it('colours cells without disturbing the columns', () => {
    const rollouts = [aRollout(), aRollout({ status: 'ERROR', failure, delivery })];
    const coloured = listTable(rollouts, NOW, painter(true), true);
    expect(coloured).toContain('\u001b[32mCOMPLETED\u001b[39m');
    expect(coloured).toContain('\u001b[31mdead (3)\u001b[39m');
    // eslint-disable-next-line no-control-regex
    expect(coloured.replace(/\u001b\[\d+m/g, '')).toBe(table(...rollouts));
  });

  it('a very long id is whole, and moves its own row only', () => {
    const long = 'i'.repeat(256);
    const [, first, second] = table(aRollout({ rollout_id: long }), aRollout()).split('\n');
    expect(first).toContain(`${long}  calculator`);
    expect(second?.indexOf('calculator')).toBe(50);
  });

  it('LC-18: what others have written cannot steer the terminal or forge rows', () => {
    const text = table(aRollout({ rollout_id: 'a\nb\u001b[2J', agent: 'c\n\u001b[31md' }));
    expect(text.split('\n')).toHaveLength(3);
    expect(text).not.toContain('\u001b');
    expect(text).toContain('"a\\nb\\u001b[2J"');
  });
});
