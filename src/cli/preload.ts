import { createRequire, Module } from 'node:module';
import { fileURLToPath } from 'node:url';

/** What nest-commander loads for questions and plugins, of which no command has any: three hundred files. */
const UNUSED = ['inquirer', 'cosmiconfig'];

/**
 * Loads the packages that a Nest command is about to import, and the command itself. `require` reads the hundreds of ES
 * modules one after the other, which takes a fifth less time than `import` with its turn of the event loop for each; both
 * give the same module. The requests come from within `node_modules`, where Node does not warn of `require` for ES modules.
 *
 * @param command URL of the module that will be imported
 */
export function preloadNest(command?: URL): void {
  const own = createRequire(import.meta.url);
  try {
    const require = createRequire(own.resolve('nest-commander'));
    require(own.resolve('@nestjs/platform-fastify'));
    loadWithout(UNUSED, require, own.resolve('nest-commander'));
    if (command) require(fileURLToPath(command));
  } catch {
    // A Node that cannot: the imports that follow load the same, or say what is wrong.
  }
}

/** Loads a package that finds nothing in some of the packages it requires. Whoever requires these later gets them whole. */
function loadWithout(names: readonly string[], require: NodeJS.Require, file: string): void {
  const files = names.map((name) => require.resolve(name)).filter((path) => !require.cache[path]);
  for (const path of files) require.cache[path] = Object.assign(new Module(path), { loaded: true });
  try {
    require(file);
  } finally {
    for (const path of files) delete require.cache[path];
  }
}
