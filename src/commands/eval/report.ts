import { resolve } from 'node:path';
import {
  buildReport,
  judgeGates,
  jsonChunks,
  jsonReport,
  ksOf,
  loadEvaluation,
  logNamedBy,
  nameEvaluations,
  requireScorersOf,
  writeAtomically,
  writeHtmlReport,
  type EvaluationReport,
} from '#evaluation/plain';
import { note, writeJson, type CommandContext } from '../../cli/command-context.js';
import type { ParsedLine } from '../../cli/parse.js';
import { EVAL_REPORT } from './eval-logs.declarations.js';
import { gateExit } from './gate-exit.js';
import { writeReport } from './report-text.js';
import { readReportOptions, type ReportOptions } from './report.options.js';

export async function run(context: CommandContext, { options, arguments: files }: ParsedLine): Promise<number> {
  const wanted = readReportOptions(options);
  const logs = files.map((file) => logNamedBy(resolve(context.cwd, file)));
  const report = await reportOf(logs, wanted);
  const [html, output] = [pathOf('html'), pathOf('output')];
  const [log = '', ...otherLogs] = logs;
  if (html !== null) await writeHtmlReport(html, report, log, otherLogs);
  if (output !== null) await writeAtomically(output, jsonChunks(report));
  writeReport(context, report);
  if (html !== null) note(context, `Page written to ${html}`);
  if (output !== null) note(context, `Report written to ${output}`);
  return gateExit(context, EVAL_REPORT.name, report, () =>
    writeJson(context, EVAL_REPORT.name, { htmlPath: html, reportPath: output, report: jsonReport(report) }),
  );

  function pathOf(option: string): string | null {
    const given = options.text(option);
    return given === undefined ? null : resolve(context.cwd, given);
  }
}

async function reportOf(logs: readonly string[], { sliceBy, threshold, ks, gates, confidence }: ReportOptions) {
  const loaded = [];
  for (const path of logs) loaded.push({ path, data: await loadEvaluation(path, sliceBy) });
  const [first, ...against] = nameEvaluations(loaded);
  if (!first) throw new TypeError('a report of no evaluation');
  const { config } = first.data;
  const report: EvaluationReport = buildReport(first.data, {
    name: first.name,
    against,
    sliceBy,
    threshold,
    confidence,
    ks: [...new Set([...(ks ?? config.ks), ...ksOf(gates)])].sort((a, b) => a - b),
    gates: (summary) => {
      requireScorersOf(
        gates,
        summary.scorers.map(({ name }) => name),
      );
      return judgeGates(gates, summary);
    },
  });
  return report;
}
