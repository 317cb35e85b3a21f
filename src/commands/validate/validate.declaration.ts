import type { CommandDeclaration } from '../../cli/declaration.js';
import { MODULE_OPTION } from '../serve/serve.declaration.js';

export const VALIDATE: CommandDeclaration = {
  name: 'validate',
  summary: 'Check agents without serving them',
  description:
    'Checks names, tools, parameter schemas, rewards and the loop of every agent, then starts the module on a private ' +
    'port and runs one rollout of each agent against a mock trainer, with metadata {"_validation": true}. ' +
    'Every problem is reported, not the first only.',
  options: [
    MODULE_OPTION,
    { flags: '-v, --verbose', description: 'Show warnings, and the tools and rewards of each agent' },
    { flags: '--no-dry-run', description: 'Check the definitions only; run no rollout' },
  ],
  examples: [
    { command: 'osmosis validate -m src/calculator.agent.ts', description: 'Check the only agent of a file' },
    { command: 'osmosis validate -m src/app.module.ts:AppModule --json', description: 'Check a module in CI' },
  ],
  exitCodes: [3, 4],
};
