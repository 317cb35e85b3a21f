import { resolve } from 'node:path';
import { jsonChunks, logNamedBy, writeAtomically, writeHtmlReport } from '#evaluation/plain';
import type { CommandContext } from '../../cli/command-context.js';
import type { ParsedLine } from '../../cli/parse.js';
import { endWithReport } from './end-report.js';
import { EVAL_REPORT } from './eval-logs.declarations.js';
import { gateVerdict } from './gate-verdict.js';
import { reportOfLogs } from './log-report.js';
import { readReportOptions } from './report.options.js';

export async function run(context: CommandContext, { options, arguments: files }: ParsedLine): Promise<number> {
  const [log = '', ...otherLogs] = files.map((file) => logNamedBy(resolve(context.cwd, file)));
  const report = await reportOfLogs([log, ...otherLogs], readReportOptions(options));
  const [htmlPath, reportPath] = [options.text('html'), options.text('output')].map((path) =>
    path === undefined ? null : resolve(context.cwd, path),
  ) as [string | null, string | null];
  if (htmlPath !== null) await writeHtmlReport(htmlPath, report, log, otherLogs);
  if (reportPath !== null) await writeAtomically(reportPath, jsonChunks(report));
  return endWithReport(context, EVAL_REPORT.name, {
    report,
    paths: { htmlPath, reportPath },
    verdict: gateVerdict(report),
  });
}
