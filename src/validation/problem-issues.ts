import { DefinitionError, OsmosisError, type DefinitionProblem } from '#domain';
import { ValidationIssue } from './validation.report.js';

/** Codes and fields of spec 6 for the problems that have one there; the others keep their own. */
const SPEC_CODES: Readonly<Record<string, { readonly code: string; readonly field: string }>> = {
  TOOL_NAME_ILLEGAL: { code: 'INVALID_FUNCTION_NAME', field: 'function.name' },
  TOOL_DESCRIPTION_EMPTY: { code: 'MISSING_FUNCTION_DESCRIPTION', field: 'function.description' },
  TOOL_INPUT_ILLEGAL: { code: 'INVALID_PARAMETERS_TYPE', field: 'function.parameters' },
  TOOL_INPUT_MISSING: { code: 'INVALID_PARAMETERS_TYPE', field: 'function.parameters' },
};

/** The static checks say the same with the spec's finer codes. */
const CHECKED_ELSEWHERE = 'AGENT_NAME_ILLEGAL';

/** What kept an application from starting, as issues; undefined for what is no fault of the definitions. */
export function issuesOfStartFailure(
  thrown: unknown,
  found: readonly ValidationIssue[],
): ValidationIssue[] | undefined {
  if (!OsmosisError.is(thrown) || thrown.code !== 'DEFINITION_INVALID') return undefined;
  const problems = problemsOf(thrown);
  if (!problems) return [new ValidationIssue('error', 'START_FAILED', thrown.message)];
  return problems
    .filter(
      ({ code, where }) =>
        code !== CHECKED_ELSEWHERE || !found.some((issue) => issue.where === where && issue.field === 'name'),
    )
    .map(({ code, where, what, cure }) => {
      const spec = SPEC_CODES[code];
      return new ValidationIssue('error', spec?.code ?? code, `${what}. ${cure}`, spec?.field, where);
    });
}

/** By its shape and not by its class: the application may have its own copy of the package. */
function problemsOf(error: OsmosisError): readonly DefinitionProblem[] | undefined {
  if (error instanceof DefinitionError) return error.problems;
  const { problems } = error.details;
  return Array.isArray(problems) ? (problems as readonly DefinitionProblem[]) : undefined;
}
