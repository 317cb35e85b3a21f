import * as validator from 'class-validator';
import { onDemand } from './on-demand.js';

describe('onDemand', () => {
  it('gives what an import gives', () => {
    const load = onDemand<typeof validator>('class-validator');
    expect(load().IsString).toBe(validator.IsString);
    expect(load()).toBe(load());
  });

  it('says which package is missing when it is asked for, not before', () => {
    const load = onDemand('no-such-package');
    expect(load).toThrow(/no-such-package/);
    expect(load).toThrow(/no-such-package/);
  });
});
