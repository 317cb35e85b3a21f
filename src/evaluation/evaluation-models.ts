import { extname } from 'node:path';
import { OsmosisError } from '#domain';
import { HostedEvaluationModel, ScriptedEvaluationModel, type EvaluationModel, type Script } from '#evaluation';
import { ChatModels, type Environment } from '#model';
import { importModule } from '../loading/import-module.js';
import { findModuleFile, LOADABLE } from '../loading/module-file.js';
import { splitModulePath } from '../loading/module-path.js';

/** Which model, as the command line names it. */
export interface ModelChoice {
  readonly model: string;
  readonly baseUrl?: string;
  readonly apiKey?: string;
  /** Name of the variable that holds the key. */
  readonly apiKeyEnv?: string;
}

const SCRIPTED = 'scripted:';

/** Opens the models that an evaluation asks. Owns their connections: close it. */
export class EvaluationModels {
  readonly #hosted: ChatModels;

  /** @param concurrency runs at once: the limit of requests to a provider is no lower */
  constructor(
    env: Environment,
    private readonly cwd: string,
    concurrency: number,
  ) {
    this.#hosted = new ChatModels({ env, concurrency });
  }

  /**
   * Sends nothing yet.
   *
   * @throws ModelConfigError for a name, key or address that is no good; for a script DatasetError or OsmosisError saying
   *   what is wrong with its file
   */
  open(choice: ModelChoice): Promise<EvaluationModel> | EvaluationModel {
    if (choice.model.startsWith(SCRIPTED)) return this.openScript(choice.model);
    return new HostedEvaluationModel(this.#hosted, choice);
  }

  close(): Promise<void> {
    return this.#hosted.close();
  }

  /** `scripted:answers.jsonl`, or a function that answers: `scripted:src/solver.ts:solve`. */
  private async openScript(name: string): Promise<EvaluationModel> {
    const given = name.slice(SCRIPTED.length);
    const { path, exportName } = splitModulePath(given, this.cwd);
    if (!(LOADABLE as readonly string[]).includes(extname(path))) return ScriptedEvaluationModel.fromFile(given);
    const exports = await importModule(findModuleFile(path, this.cwd));
    const script = exports[exportName ?? 'default'];
    if (typeof script === 'function') return ScriptedEvaluationModel.fromFunction(name, script as Script);
    const functions = Object.keys(exports).filter((key) => typeof exports[key] === 'function');
    throw new OsmosisError(
      'USAGE',
      `${path} has no function '${exportName ?? 'default'}' that could answer as the model. ` +
        `Its functions: ${functions.join(', ') || 'none'}. Write scripted:path:export.`,
    );
  }
}
