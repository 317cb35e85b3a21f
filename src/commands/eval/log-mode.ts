import { OsmosisError } from '#domain';
import type { LogMode } from '#evaluation/plain';
import type { ParsedOptions } from '../../cli/parsed-options.js';

/** @throws OsmosisError USAGE for options that have no meaning together */
export function readLogMode(options: ParsedOptions): LogMode {
  const [resume, fresh] = [options.flag('resume'), options.flag('fresh')];
  if (resume && fresh) throw usage('--resume and --fresh exclude each other: go on, or begin anew.');
  if (!resume && !fresh) return 'new';
  if (options.text('output') !== undefined) return resume ? 'resume' : 'fresh';
  throw usage(`${resume ? '--resume' : '--fresh'} needs --output: which evaluation is meant?`);
}

function usage(message: string): OsmosisError {
  return new OsmosisError('USAGE', message);
}
