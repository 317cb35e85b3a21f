import type { CommandDeclaration } from '../../cli/declaration.js';
import { AGENT_OPTIONS, DATASET_OPTIONS, modelOptions, RUN_OPTIONS } from '../../evaluation/evaluation.declarations.js';

export const TEST: CommandDeclaration = {
  name: 'test',
  summary: 'Run an agent on the rows of a dataset',
  description:
    'Runs the agent once on every row, with the loop, the tools and the rewards that serve a trainer, and tells which ' +
    'rows failed and why. A row passes when its rollout completes, whatever its reward; osmosis eval measures how good ' +
    'the answers are. Everything that can be wrong is found before the model is asked, and a fault that every row would ' +
    'meet (key, quota, address) ends the run with what is done. Ctrl-C does as well.\n' +
    'With -i it steps through single rows: it pauses after each answer of the model, which can be looked at, replaced ' +
    'and saved. It reads its commands from a pipe as well.',
  options: [
    ...AGENT_OPTIONS,
    ...DATASET_OPTIONS,
    ...modelOptions({ default: 'gpt-5-mini' }),
    ...RUN_OPTIONS,
    { flags: '-o, --output <file>', description: 'Also write the results there, as JSON' },
    { flags: '-i, --interactive', description: 'Step through rows one at a time' },
    {
      flags: '--row <number>',
      description: 'With -i: the row to begin with; rows count from 0 over the whole file',
      integer: { min: 0, max: Number.MAX_SAFE_INTEGER },
    },
  ],
  examples: [
    {
      command: 'osmosis test -m src/calculator.agent.ts -d problems.jsonl --model openai/gpt-5-mini',
      description: 'Every row with a hosted model',
    },
    {
      command:
        'osmosis test -m src/app.module.ts -d rows.parquet --limit 50 -c 16 --model Qwen/Qwen3-0.6B --base-url http://localhost:8000/v1',
      description: 'The first 50 rows, 16 at once, with a model of your own',
    },
    {
      command: 'osmosis test -m src/calculator.agent.ts -d problems.jsonl --model scripted:answers.jsonl -o test.json',
      description: 'Without a model, in CI',
    },
    {
      command: 'osmosis test -m src/calculator.agent.ts -d problems.jsonl -i --row 7',
      description: 'Step through row 7',
    },
    {
      command: 'osmosis test --mcp "node server.mjs" -d rows.jsonl',
      description: 'The tools of an MCP server',
    },
  ],
  exitCodes: [3, 4, 5, 143],
  handlesSignals: true,
};
