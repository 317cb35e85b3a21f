import type { ReportedCall, SampleReport, TrajectoryReport } from '#domain';
import type { AtifDocument, AtifMetrics, AtifStep, FreeForm } from '../document.js';
import { isObject, present } from '../values.js';
import { reportedTotals, totalsOf } from './totals.js';

/** A document with a report laid over it, and what there is to warn of. */
export interface ReportedDocument {
  readonly document: AtifDocument;
  readonly warnings: readonly string[];
}

/**
 * Lays what a trainer reports over what is known (spec 0.3, 2.5). Calls are attributed only when there are exactly as many
 * as the agent has steps: half a guess would put the tokens of one turn to another.
 */
export function applyReport(document: AtifDocument, report: TrajectoryReport): ReportedDocument {
  const samples = Object.values(report.samples);
  const [sample] = samples;
  if (!sample || samples.length > 1) {
    const unmatched = sample && { unmatched_sample_reports: report.samples };
    const model = present({ ...document.agent, model_name: report.model_name ?? document.agent.model_name });
    return {
      document: withOsmosis({ ...document, agent: sample ? document.agent : model }, unmatched ?? {}),
      warnings: sample ? [`The report has ${samples.length} samples, so that none can be attributed.`] : [],
    };
  }
  const calls = sample.llm_call_metrics;
  const fits = calls.length > 0 && calls.length === document.steps.filter(({ source }) => source === 'agent').length;
  const steps = fits ? overlaid(document.steps, calls) : document.steps;
  const { totals, warnings } = totalsWith(sample, { ...document, steps });
  const model = sample.model_name ?? report.model_name ?? document.agent.model_name;
  return {
    document: withOsmosis(
      { ...document, agent: inOrder(document.agent, model), steps, final_metrics: totals },
      calls.length > 0 ? { unmatched_llm_call_metrics: fits ? undefined : calls } : {},
    ),
    warnings,
  };
}

function overlaid(steps: readonly AtifStep[], calls: readonly ReportedCall[]): readonly AtifStep[] {
  let next = 0;
  return steps.map((step) => (step.source === 'agent' ? withCall(step, calls[next++] as ReportedCall) : step));
}

/** What is reported wins; what is not stays as it was recorded. */
function withCall(step: AtifStep, { model_name, ...reported }: ReportedCall): AtifStep {
  const { step_id, timestamp, source, model_name: known, metrics: recorded, llm_call_count: _, extra, ...rest } = step;
  const metrics: AtifMetrics = { ...recorded, ...reported };
  const model = model_name ?? known;
  return present({ step_id, timestamp, source, model_name: model, ...rest, metrics, llm_call_count: 1, extra });
}

function totalsWith(sample: SampleReport, document: AtifDocument) {
  const count = document.steps.length;
  const given = sample.final_metrics;
  const reported = given && reportedTotals(given, count);
  const warnings = given && !reported ? ['The final_metrics of the report are invalid.'] : [];
  const calls = sample.llm_call_metrics;
  const known = document.final_metrics ?? totalsOf([], count);
  return { totals: reported ?? (calls.length > 0 ? totalsOf(calls, count) : known), warnings };
}

function inOrder(agent: AtifDocument['agent'], model: string | undefined): AtifDocument['agent'] {
  const { name, version, model_name: _, ...rest } = agent;
  return present({ name, version, model_name: model, ...rest });
}

function withOsmosis(document: AtifDocument, fields: FreeForm): AtifDocument {
  const before = document.extra?.['osmosis'];
  const osmosis = present({ ...(isObject(before) ? before : {}), ...fields });
  return { ...document, extra: { ...document.extra, osmosis } };
}
