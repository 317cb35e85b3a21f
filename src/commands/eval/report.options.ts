import { OsmosisError } from '#domain';
import { parseGate, type Gate } from '#evaluation/plain';
import type { ParsedOptions } from '../../cli/parsed-options.js';

/** How results are summed up. */
export interface ReportOptions {
  readonly sliceBy: readonly string[];
  readonly threshold: number | undefined;
  readonly ks: readonly number[] | undefined;
  readonly gates: readonly Gate[];
  readonly confidence: number | undefined;
}

/** @throws OsmosisError USAGE */
export function readReportOptions(options: ParsedOptions): ReportOptions {
  return {
    sliceBy: options.list('by'),
    threshold: options.number('passThreshold'),
    ks: readKs(options.text('passK')),
    gates: options.list('gate').map(parseGate),
    confidence: options.number('confidence'),
  };
}

function readKs(text: string | undefined): number[] | undefined {
  if (text === undefined) return undefined;
  const parts = text.split(',').map((part) => part.trim());
  if (parts.every((part) => /^[1-9]\d{0,5}$/.test(part))) return [...new Set(parts.map(Number))].sort((a, b) => a - b);
  throw new OsmosisError('USAGE', `--pass-k cannot be '${text}'. Give whole numbers from 1, with commas: 1,2,4,8.`);
}
