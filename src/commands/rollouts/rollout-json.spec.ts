import { aRollout } from './fixtures/a-rollout.js';
import { isRolloutJson } from './rollout-json.js';

const failure = { class: 'model', phase: 'model', code: 'C', message: 'm', retryable: false };

describe('isRolloutJson', () => {
  it('takes what a server tells, and what a newer one tells beside it', () => {
    expect(isRolloutJson(aRollout())).toBe(true);
    expect(isRolloutJson({ ...aRollout(), news: 1 })).toBe(true);
    expect(isRolloutJson(aRollout({ failure, rewards: [{ name: 'r', weight: 1, duration_ms: 1, failure }] }))).toBe(
      true,
    );
  });

  it.each([
    ['nothing', null],
    ['a list', []],
    ['no id', { rollout_id: undefined }],
    ['a time that is none', { accepted_at: 'noon' }],
    ['text for a reward', { reward: '1' }],
    ['a reward without a name', { rewards: [{ value: 1, weight: 1, duration_ms: 1 }] }],
    ['half a failure', { failure: { class: 'model' } }],
    ['half a delivery', { delivery: { state: 'dead' } }],
    ['figures that are none', { metrics: { turns: 'two' } }],
  ])('refuses %s', (_, wrong) => {
    expect(isRolloutJson(wrong === null || Array.isArray(wrong) ? wrong : { ...aRollout(), ...wrong })).toBe(false);
  });
});
