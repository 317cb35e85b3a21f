import { LIST_STATES } from '#rollout';
import { STATUS_CHOICES } from './rollouts.declarations.js';

it('the states to choose from are those that a store can be asked for', () => {
  expect(STATUS_CHOICES).toEqual(LIST_STATES);
});
