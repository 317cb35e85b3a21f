import { basename } from 'node:path';
import type { EvaluationData, NamedEvaluation } from './evaluation.data.js';

/**
 * Names evaluations by their models; where that does not tell them apart, by their files as well.
 *
 * @param taken names that others have already
 */
export function nameEvaluations(
  files: readonly { readonly path: string; readonly data: EvaluationData }[],
  taken: readonly string[] = [],
): NamedEvaluation[] {
  const models = [...taken, ...files.flatMap(({ data }) => [...modelsOf(data)])];
  return files.map(({ path, data }) => {
    const { model } = data.config;
    const isUnique = models.indexOf(model) === models.lastIndexOf(model);
    return { name: isUnique ? model : `${model} (${basename(path).replace(/(\.runs\.jsonl|\.json)$/i, '')})`, data };
  });
}

function modelsOf({ config }: EvaluationData): Iterable<string> {
  return new Set([config.model, config.baselineModel ?? config.model]);
}
