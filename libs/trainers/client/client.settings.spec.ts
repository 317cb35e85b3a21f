import { TRAINER_CLIENT_DEFAULTS, resolveClientSettings } from './client.settings.js';

describe('resolveClientSettings', () => {
  it("has the reference's defaults: 300 s, three retries, 1 s to 30 s apart (spec 7)", () => {
    expect(resolveClientSettings()).toEqual(TRAINER_CLIENT_DEFAULTS);
    expect(resolveClientSettings({ timeoutMs: undefined })).toMatchObject({
      timeoutMs: 300_000,
      maxRetries: 3,
      retryBaseDelayMs: 1_000,
      retryMaxDelayMs: 30_000,
    });
  });

  it('keeps what is given, also no retries at all', () => {
    expect(resolveClientSettings({ timeoutMs: 5, maxRetries: 0 })).toMatchObject({ timeoutMs: 5, maxRetries: 0 });
  });

  it.each([
    [{ timeoutMs: 0 }, "client's timeoutMs must be a positive number, not 0"],
    [{ deliveryTimeoutMs: NaN }, "client's deliveryTimeoutMs must be a positive number, not NaN"],
    [{ maxRetries: -1 }, "client's maxRetries must be an integer from 0, not -1"],
    [{ maxRetries: 1.5 }, "client's maxRetries must be an integer from 0, not 1.5"],
  ])('refuses %j', (settings, message) => {
    expect(() => resolveClientSettings(settings)).toThrow(message);
  });
});
