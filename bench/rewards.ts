import { Figures } from './support/figures.js';
import { ServerUnderTest } from './support/server-under-test.js';

/** What it costs to score a rollout with one reward and with three, in the time limits and with the watch of the server. */
const figures = new Figures('rewards');
const program = await ServerUnderTest.start('servers/scores');
try {
  const { costs } = await program.ask<{ costs: Record<string, number> }>('costs');
  for (const [name, value] of Object.entries(costs)) figures.add({ name, value, unit: 'µs CPU' });
} finally {
  await program.stop();
  figures.print();
}
