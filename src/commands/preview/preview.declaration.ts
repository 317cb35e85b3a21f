import type { CommandDeclaration } from '../../cli/declaration.js';

export const PREVIEW: CommandDeclaration = {
  name: 'preview',
  summary: 'Show a rubric file or a data set, and what is wrong with it',
  description:
    'Lists the rubrics of a YAML file or the records of a JSONL file as they are read. A rubric that cannot be used is ' +
    'listed with the reason, and is no failure yet; what makes the whole file unusable, such as an id that is used ' +
    'twice, ends with 3. Keys are blanked. Nothing is sent.',
  options: [{ flags: '-p, --path <file>', description: 'The .yaml, .yml or .jsonl file', required: true }],
  examples: [
    { command: 'osmosis preview -p rubric_configs.yaml', description: 'The rubrics of a file' },
    {
      command: 'osmosis preview -p conversations.jsonl --json',
      description: 'The records of a data set, for a program',
    },
  ],
  exitCodes: [3],
};
