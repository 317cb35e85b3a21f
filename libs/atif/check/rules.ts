import type { AtifContentPart, AtifDocument, AtifResult, AtifStep } from '../document.js';
import type { Report } from './shapes.js';

const AGENT_ONLY = ['model_name', 'reasoning_effort', 'reasoning_content', 'tool_calls', 'metrics'] as const;

/** The rules between the fields of a document whose shape is right (spec 0.3, 2.3). */
export function checkRules(document: AtifDocument, path: string, report: Report): void {
  document.steps.forEach((step, index) => checkStep(step, index, `${path}.steps[${index}]`, report));
  const seen = new Set<string>();
  document.subagent_trajectories?.forEach((subagent, index) => {
    const at = `${path}.subagent_trajectories[${index}]`;
    const id = subagent.trajectory_id;
    if (id === undefined) report(`${at}.trajectory_id`, 'is missing');
    else if (seen.has(id)) report(`${at}.trajectory_id`, 'is that of a sibling');
    else seen.add(id);
    checkRules(subagent, at, report);
  });
}

function checkStep(step: AtifStep, index: number, path: string, report: Report): void {
  if (step.step_id !== index + 1) report(`${path}.step_id`, `is ${step.step_id}, and must be ${index + 1}`);
  if (step.source !== 'agent') {
    for (const field of AGENT_ONLY) if (step[field] !== undefined) report(`${path}.${field}`, 'belongs to agents only');
  }
  if (step.llm_call_count === 0) {
    for (const field of ['metrics', 'reasoning_content'] as const) {
      if (step[field] !== undefined) report(`${path}.${field}`, 'needs a call of the model, and there was none');
    }
  }
  checkContent(step.message, `${path}.message`, report);
  const calls = new Set(step.tool_calls?.map((call) => call.tool_call_id));
  step.observation?.results.forEach((result, position) =>
    checkResult(result, calls, `${path}.observation.results[${position}]`, report),
  );
}

function checkResult(result: AtifResult, calls: ReadonlySet<string>, path: string, report: Report): void {
  const id = result.source_call_id;
  if (id !== undefined && !calls.has(id)) report(`${path}.source_call_id`, 'is that of no tool call of the step');
  checkContent(result.content, `${path}.content`, report);
  result.subagent_trajectory_ref?.forEach((reference, index) => {
    const { trajectory_id: trajectory, trajectory_path: file } = reference;
    if (trajectory !== undefined || file !== undefined) return;
    report(`${path}.subagent_trajectory_ref[${index}]`, 'needs a trajectory_id or a trajectory_path');
  });
}

function checkContent(content: string | readonly AtifContentPart[] | undefined, path: string, report: Report): void {
  if (content === undefined || typeof content === 'string') return;
  content.forEach(({ type, text, source }, index) => {
    const [wanted, other] = type === 'text' ? [text, source] : [source, text];
    if (wanted === undefined) report(`${path}[${index}]`, `is of type ${type} and has none`);
    if (other !== undefined) report(`${path}[${index}]`, `is of type ${type} and has something else, too`);
  });
}
