import { joinTrainerUrl, TRAINER_PATHS } from './trainer-url.js';

describe('joinTrainerUrl', () => {
  it.each([
    ['http://h:8080', 'http://h:8080/v1/chat/completions'],
    ['http://h:8080/', 'http://h:8080/v1/chat/completions'],
    ['http://h:8080///', 'http://h:8080/v1/chat/completions'],
    ['http://h/base/', 'http://h/base/v1/chat/completions'],
    [' http://h ', 'http://h/v1/chat/completions'],
  ])('NT-07: %p has no doubled slash', (base, url) => {
    expect(joinTrainerUrl(base, TRAINER_PATHS.chat)).toBe(url);
  });

  it.each([
    ['http://h:1/v1', 'http://h:1/v1/chat/completions'],
    ['http://h:1/v1//', 'http://h:1/v1/chat/completions'],
    ['http://h:1//v1/', 'http://h:1/v1/chat/completions'],
    ['http://h:1/api/v1', 'http://h:1/api/v1/chat/completions'],
    ['http://h:1/av1', 'http://h:1/av1/v1/chat/completions'],
    ['http://h:1/v1/x', 'http://h:1/v1/x/v1/chat/completions'],
    ['http://v1', 'http://v1/v1/chat/completions'],
    ['http://h/?x=/v1', 'http://h/?x=/v1/v1/chat/completions'],
  ])('NT-08: %p has one /v1, and only a whole segment is taken for it', (base, url) => {
    expect(joinTrainerUrl(base, TRAINER_PATHS.chat)).toBe(url);
  });

  it('puts the path behind a query as text (spec 1.1)', () => {
    expect(joinTrainerUrl('http://h/b?x=1', TRAINER_PATHS.completed)).toBe('http://h/b?x=1/v1/rollout/completed');
  });

  it('AU-05: leaves credentials out', () => {
    expect(joinTrainerUrl('https://user:pass@h/b', TRAINER_PATHS.completed)).toBe('https://h/b/v1/rollout/completed');
  });
});
