import type { Agreement, ProbeResult, Shift, TrustReport } from '#rubric/plain';
import type { Paint } from '../../cli/paint.js';
import { printable } from '../../cli/printable.js';
import { figure, signed, textTable } from '../rubrics/text-table.js';

/** The trust report for people. */
export function trustText(report: TrustReport, paint: Paint): string {
  const { rubricId, model, records, runsPerRecord, bounds } = report;
  const blocks = [
    `Rubric '${rubricId}', judged by ${model}\n` +
      `${records} labelled record(s), ${runsPerRecord} run(s) of each, scores from ${bounds.min} to ${bounds.max}\n`,
    report.agreement && titled(paint, 'Agreement with humans', agreementLines(report.agreement)),
    report.agreement &&
      report.agreement.cuts.length > 0 &&
      titled(paint, 'Confusion at each cut', cuts(report.agreement)),
    titled(paint, 'Steadiness', steadiness(report)),
    titled(paint, 'Attacks', attacks(report.probes, paint)),
    titled(paint, 'Findings', findings(report, paint)),
  ];
  return blocks.filter((block) => typeof block === 'string').join('\n');
}

function titled(paint: Paint, title: string, body: string): string {
  return `${paint('bold', title)}\n${body.replace(/^(?=.)/gm, '  ')}`;
}

function agreementLines(agreement: Agreement): string {
  const { count, spearman, bias, meanAbsoluteError, atThreshold } = agreement;
  return lines([
    ['records scored', String(count), ''],
    ['Spearman', figure(spearman, 2), 'rank correlation with the labels'],
    ['bias', signed(bias, 2), 'judge minus human, on average'],
    ['mean error', figure(meanAbsoluteError, 2), 'without regard to the sign'],
    [`kappa at ${atThreshold.cut}`, figure(atThreshold.kappa, 2), 'agreement beyond chance on what is good'],
    [`accuracy at ${atThreshold.cut}`, figure(atThreshold.accuracy, 2), 'share of the records called alike'],
  ]);
}

function cuts({ cuts: list }: Agreement): string {
  return textTable(
    ['good from', 'both good', 'judge only', 'human only', 'both bad', 'accuracy', 'kappa'],
    list.map(({ cut, truePositive, falsePositive, falseNegative, trueNegative, accuracy, kappa }) => [
      String(cut),
      ...[truePositive, falsePositive, falseNegative, trueNegative].map(String),
      figure(accuracy, 2),
      figure(kappa, 2),
    ]),
  );
}

function steadiness({ repeatability, order, padding, lengthCorrelation }: TrustReport): string {
  const largest = (shift: Shift | null): string => (shift ? `largest ${shift.largest.toFixed(2)}` : '');
  return lines([
    [
      'asked again',
      figure(repeatability?.meanStdev ?? null, 2),
      repeatability ? `deviation of the runs of a record, largest ${repeatability.maxStdev.toFixed(2)}` : '',
    ],
    ['order reversed', figure(order?.meanAbsolute ?? null, 2), order ? `move of a score, ${largest(order)}` : ''],
    ['padded', padding ? signed(padding.mean, 2) : 'n/a', padding ? `gained by empty words, ${largest(padding)}` : ''],
    ['length', figure(lengthCorrelation, 2), 'rank correlation with the generosity of the judge'],
  ]);
}

function attacks(probes: readonly ProbeResult[], paint: Paint): string {
  return lines(
    probes.map(({ name, what, score, limit, paid, error }) => [
      name,
      figure(score, 2),
      paid
        ? `${paint('red', 'PAID')}: above ${limit.toFixed(2)} for ${what}`
        : score !== null
          ? 'held'
          : `no score: ${printable(error ?? 'none was asked for')}`,
    ]),
  );
}

function findings({ findings: list, caveats }: TrustReport, paint: Paint): string {
  const against = list.map((finding) => `${paint('red', '-')} ${printable(finding)}\n`);
  const limits = caveats.map((caveat) => `${paint('yellow', '!')} ${caveat}\n`);
  if (list.length > 0) return [...against, ...limits].join('');
  return [`${paint('green', 'None.')} Nothing speaks against training with this judge.\n`, ...limits].join('');
}

function lines(rows: readonly (readonly [name: string, value: string, what: string])[]): string {
  const width = Math.max(...rows.map(([name]) => name.length));
  const valueWidth = Math.max(...rows.map(([, value]) => value.length));
  return rows
    .map(([name, value, what]) => `${name.padEnd(width)}  ${value.padStart(valueWidth)}  ${what}`.trimEnd() + '\n')
    .join('');
}
