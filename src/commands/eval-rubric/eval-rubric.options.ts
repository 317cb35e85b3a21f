import { OsmosisError } from '#domain';
import type { RubricSessionRequest } from '#rubric/plain';
import type { ParsedOptions } from '../../cli/parsed-options.js';
import { DEFAULT_CONCURRENCY } from '../rubrics/rubric-services.js';

type OptionsOfRequest = Pick<
  RubricSessionRequest,
  'rubricId' | 'dataPath' | 'number' | 'configPath' | 'output' | 'baselinePath' | 'minMean' | 'votes' | 'resume'
> & { readonly concurrency: number; readonly redact: boolean };

const MOST_AT_ONCE = 256;

/** @throws OsmosisError USAGE */
export function readEvalRubricOptions(options: ParsedOptions): OptionsOfRequest {
  return {
    rubricId: options.text('rubric') ?? '',
    dataPath: options.text('data') ?? '',
    number: options.integer('number'),
    ...readConcurrency(options),
    output: options.text('output'),
    baselinePath: options.text('baseline'),
    minMean: options.number('minMean'),
    votes: options.integer('votes'),
    resume: options.flag('resume'),
    redact: options.flag('redact'),
  };
}

/** `-c rubrics.yaml` is what scripts for the Python SDK say (spec D.7): a file and a number cannot be mistaken. */
function readConcurrency(options: ParsedOptions): { concurrency: number; configPath: string | undefined } {
  const given = options.list('concurrency');
  const counts = given.filter((value) => WHOLE_NUMBER.test(value));
  const files = given.filter((value) => !WHOLE_NUMBER.test(value));
  const configPath = options.text('config') ?? files.at(-1);
  if (configPath !== undefined && files.some((file) => file !== configPath)) {
    const named = [...new Set([...files, configPath])].join("' and '");
    throw new OsmosisError('USAGE', `Two rubric files are named, '${named}'. Name one, with --config.`);
  }
  const text = counts.at(-1);
  const concurrency = text === undefined ? DEFAULT_CONCURRENCY : Number(text);
  if (concurrency >= 1 && concurrency <= MOST_AT_ONCE) return { concurrency, configPath };
  throw new OsmosisError('USAGE', `--concurrency cannot be '${text}'. Give a whole number from 1 to ${MOST_AT_ONCE}.`);
}

const WHOLE_NUMBER = /^[+-]?\d+$/;
