import type { AgentDescriptor } from '#agent';
import { describeThrown } from '#domain';
import { ValidationIssue } from './validation.report.js';

/** What model APIs accept as a function's name (spec 13.6: the reference does not check it). */
const LEGAL_NAME = /^[A-Za-z0-9_-]{1,64}$/;

type Fields = Readonly<Record<string, unknown>>;

/** Checks what an agent's `getTools` gave: names of decorated tools, tools of `defineTool`, bare definitions (spec 6). */
export function checkGivenTools(agent: AgentDescriptor, given: unknown): ValidationIssue[] {
  const where = `${agent.provider.type.name}.getTools`;
  if (given === null || given === undefined) {
    return [
      new ValidationIssue('error', 'GET_TOOLS_RETURNS_NONE', `must return a list, got ${given}`, 'getTools', where),
    ];
  }
  if (!Array.isArray(given)) {
    const message = `must return a list, got ${typeof given}`;
    return [new ValidationIssue('error', 'GET_TOOLS_INVALID_TYPE', message, 'getTools', where)];
  }
  const definitions = given.map((entry: unknown) => definitionOf(agent, entry));
  return [
    ...definitions.flatMap((definition, index) => new DefinitionCheck(`tools[${index}]`, where).check(definition)),
    ...duplicateIssues(definitions, where),
  ];
}

/** The definition that an entry stands for; the entry itself where it stands for none. */
function definitionOf(agent: AgentDescriptor, entry: unknown): unknown {
  if (typeof entry === 'string') return agent.tools.get(entry)?.definition ?? entry;
  return isFields(entry) && 'invoke' in entry ? entry['definition'] : entry;
}

class DefinitionCheck {
  private readonly issues: ValidationIssue[] = [];

  constructor(
    private readonly field: string,
    private readonly where: string,
  ) {}

  check(definition: unknown): readonly ValidationIssue[] {
    if (typeof definition === 'string') {
      this.error('INVALID_TOOL_TYPE', '', `no tool of the agent is called '${definition}'`);
    } else if (!isFields(definition)) {
      this.error(
        'INVALID_TOOL_TYPE',
        '',
        `must be a tool's name, a tool of defineTool or a definition, got ${nameOfType(definition)}`,
      );
    } else {
      this.checkFields(definition);
    }
    return this.issues;
  }

  private checkFields(definition: Fields): void {
    if (!('type' in definition)) this.error('MISSING_TOOL_TYPE', '', "has no 'type'; write type: 'function'");
    else if (definition['type'] !== 'function') {
      this.warning('UNKNOWN_TOOL_TYPE', '.type', `is '${String(definition['type'])}'; trainers know 'function' only`);
    }
    if (!('function' in definition)) return this.error('MISSING_FUNCTION', '', "has no 'function'");
    const called = definition['function'];
    if (!isFields(called))
      return this.error('INVALID_FUNCTION_TYPE', '.function', `must be an object, got ${nameOfType(called)}`);
    this.checkName(called);
    // An error and not a warning as in the reference: its own server refuses such a tool (13.6), and so does this one.
    if (typeof called['description'] !== 'string') {
      this.error('MISSING_FUNCTION_DESCRIPTION', '.function.description', 'is missing; the model needs it');
    }
    if ('parameters' in called) this.checkParameters(called['parameters']);
    this.checkSerialisable(definition);
  }

  private checkName(called: Fields): void {
    const { name } = called;
    if (name === undefined) return this.error('MISSING_FUNCTION_NAME', '.function.name', 'is missing');
    if (typeof name === 'string' && LEGAL_NAME.test(name)) return;
    this.error(
      'INVALID_FUNCTION_NAME',
      '.function.name',
      `must be 1 to 64 letters, digits, '_' or '-', got ${JSON.stringify(name)}`,
    );
  }

  private checkParameters(parameters: unknown): void {
    const field = '.function.parameters';
    if (!isFields(parameters))
      return this.error('INVALID_PARAMETERS_TYPE', field, `must be an object, got ${nameOfType(parameters)}`);
    if (parameters['type'] !== 'object')
      this.warning('PARAMETERS_TYPE_NOT_OBJECT', `${field}.type`, "should be 'object'");
    const properties = parameters['properties'];
    if (!isFields(properties)) return this.warning('PARAMETERS_INCOMPLETE', `${field}.properties`, 'is missing');
    const SAYS_TYPE = ['type', '$ref', 'enum', 'const', 'anyOf', 'oneOf', 'allOf'];
    for (const [name, schema] of Object.entries(properties)) {
      if (isFields(schema) && SAYS_TYPE.some((key) => key in schema)) continue;
      this.warning('PARAMETERS_INCOMPLETE', `${field}.properties.${name}`, 'has no type');
    }
  }

  private checkSerialisable(definition: Fields): void {
    try {
      JSON.stringify(definition);
    } catch (error) {
      this.error('TOOL_NOT_SERIALISABLE', '', `has no JSON form: ${describeThrown(error)}`);
    }
  }

  private error(code: string, field: string, message: string): void {
    this.issues.push(new ValidationIssue('error', code, message, this.field + field, this.where));
  }

  private warning(code: string, field: string, message: string): void {
    this.issues.push(new ValidationIssue('warning', code, message, this.field + field, this.where));
  }
}

function duplicateIssues(definitions: readonly unknown[], where: string): ValidationIssue[] {
  const names = definitions.map((definition) =>
    isFields(definition) && isFields(definition['function']) ? definition['function']['name'] : undefined,
  );
  return names.flatMap((name, index) => {
    const first = names.indexOf(name);
    if (typeof name !== 'string' || first === index) return [];
    const message = `is called '${name}', and so is tools[${first}]. Rename one.`;
    return [new ValidationIssue('error', 'TOOL_DUPLICATE', message, `tools[${index}].function.name`, where)];
  });
}

function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function nameOfType(value: unknown): string {
  if (value === null) return 'null';
  return Array.isArray(value) ? 'a list' : typeof value;
}
