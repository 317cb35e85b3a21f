import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';
import { loadRxjsFile } from './rxjs-file.js';
import { loadWith, nothing, oneByOne, type StandIn } from './stand-in.js';

/**
 * Loads the packages that a Nest command is about to import, and files of the command itself. `require` reads the hundreds of ES
 * modules one after the other, which takes a fifth less time than `import` with its turn of the event loop for each; both
 * give the same module. The requests come from within `node_modules`, where Node does not warn of `require` for ES modules.
 *
 * @param files URLs of modules that will be imported
 */
export function preloadNest(...files: readonly URL[]): void {
  const own = createRequire(import.meta.url);
  try {
    const adapter = own.resolve('@nestjs/platform-fastify');
    const commander = own.resolve('nest-commander');
    const require = createRequire(commander);
    loadRxjsFile(createRequire(own.resolve('@nestjs/core')));
    loadWith(unusedByFastify(createRequire(createRequire(adapter).resolve('fastify'))), require, adapter);
    loadWith(unusedByCommander(require), require, commander);
    for (const file of files) require(fileURLToPath(file));
  } catch {
    // A Node that cannot: the imports that follow load the same, or say what is wrong.
  }
}

type Exports = Readonly<Record<string, unknown>>;

/** It compares versions, with three functions of semver's forty, and knows addresses of proxies if told to. */
function unusedByFastify(require: NodeJS.Require): readonly StandIn[] {
  return [
    oneByOne(require.resolve('semver'), (name) => {
      try {
        return require(`semver/functions/${name}`) as unknown;
      } catch {
        return (require('semver') as Exports)[name];
      }
    }),
    oneByOne(require.resolve('@fastify/proxy-addr'), (name) => (require('@fastify/proxy-addr') as Exports)[name]),
  ];
}

/** For questions and plugins, of which no command has any: three hundred files. */
function unusedByCommander(require: NodeJS.Require): readonly StandIn[] {
  return ['inquirer', 'cosmiconfig'].map((name) => nothing(require.resolve(name)));
}
