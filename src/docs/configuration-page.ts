import type { Setting } from '../config/setting.js';
import { GROUPS, OTHER_VARIABLES, SETTINGS } from '../config/settings.table.js';
import { code, markdownTable } from './markdown.js';

export function configurationPage(): string {
  const rows = Object.entries<Setting>(SETTINGS).map(([name, setting]) => [
    code(name),
    setting.description,
    setting.secret ? `${setting.type}, secret` : setting.type,
    setting.defaultText,
    setting.min === undefined ? '' : `${setting.min} to ${setting.max}`,
    setting.flag ? code(setting.flag) : '',
  ]);
  return (
    [
      '# Configuration',
      '<!-- Made by `npm run docs:cli` from src/config/settings.table.ts. Do not edit. -->',
      'A value is taken from the first of these that has one: the option of the command line, the environment, the nearest ' +
        '`.env` file from the current directory upwards, the default. `osmosis config` shows what that gives and where ' +
        'each value comes from. A value that is not allowed stops the program with exit code 3 and an error that names the ' +
        'variable, the value and the rule; all wrong values are named together. A variable that begins with `OSMOSIS_` and ' +
        'is none of these is warned of.',
      'These variables configure `osmosis serve` and the host application of this repository. In an application of your ' +
        'own, the same is set with the options of `OsmosisModule.forRoot`; where `osmosis serve` runs such an application, ' +
        'what is set on the command line or in the environment is laid over them.',
      markdownTable(['variable', 'meaning', 'type', 'default', 'allowed', 'option'], rows).trim(),
      '## Several at once',
      `The variables ${Object.keys(GROUPS).map(code).join(' and ')} take a JSON object whose fields are the rest of the names in ` +
        'lower case: `OSMOSIS_ROLLOUT_CLIENT={"timeout_seconds": 5}`. A field in it beats the variable of its own.',
      '## Variables of the platform login',
      markdownTable(
        ['variable', 'meaning'],
        Object.entries(OTHER_VARIABLES).map(([name, meaning]) => [code(name), meaning]),
      ).trim(),
      '## Variables of the output',
      markdownTable(
        ['variable', 'meaning'],
        [
          [code('NO_COLOR'), 'Not empty: no colours'],
          [code('FORCE_COLOR'), 'Not empty: colours also where no terminal listens; `0` for none. Beats `NO_COLOR`'],
        ],
      ).trim(),
    ].join('\n\n') + '\n'
  );
}
