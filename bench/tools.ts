import { Figures } from './support/figures.js';
import { ServerUnderTest } from './support/server-under-test.js';

/** What the check of a tool call's arguments costs, against ajv alone and against class-validator. */
const figures = new Figures('tools');
const program = await ServerUnderTest.start('servers/checks');
try {
  const { costs } = await program.ask<{ costs: Record<string, number> }>('costs');
  for (const [name, value] of Object.entries(costs)) figures.add({ name, value, unit: 'µs CPU' });
} finally {
  await program.stop();
  figures.print();
}
