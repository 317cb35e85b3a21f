import { parseArgs } from 'node:util';
import { formOf, type CommandDeclaration, type OptionForm, type OptionValue } from './declaration.js';
import { GLOBAL_OPTIONS } from './global-options.js';
import { initialValue, readOptionValue, wrong, type Checked } from './option-value.js';
import { ParsedOptions } from './parsed-options.js';
import { nearest } from './suggest.js';

/** A command line that fits its command. */
export interface ParsedLine {
  readonly options: ParsedOptions;
  readonly arguments: readonly string[];
  /** The same line in full form, for a second parser: `--port=80`, no abbreviations, the command's own options only. */
  readonly canonical: readonly string[];
}

/** Reads what follows a command's name. Long options may be abbreviated as long as they stay unique (spec D.1). */
export function parseLine(command: CommandDeclaration, argv: readonly string[]): Checked<ParsedLine> {
  const own = (command.options ?? []).map(formOf);
  const forms = [...own, ...GLOBAL_OPTIONS.map(formOf)];
  const expanded = expandNames(command, forms, argv);
  if (!expanded.ok) return expanded;

  const { tokens } = parseArgs({
    args: [...expanded.value],
    options: Object.fromEntries(
      forms.map(({ long, short, value }) => [
        long,
        { type: value === undefined ? ('boolean' as const) : ('string' as const), ...(short && { short }) },
      ]),
    ),
    strict: false,
    allowPositionals: true,
    tokens: true,
  });

  const values: Record<string, OptionValue | undefined> = {};
  for (const form of forms) values[form.key] = initialValue(form);
  const positionals: string[] = [];
  const canonical: string[] = [];
  for (const token of tokens) {
    if (token.kind === 'positional') positionals.push(token.value);
    if (token.kind !== 'option') continue;
    const form = forms.find(({ long }) => long === token.name);
    if (!form) return unknownOption(command, forms, token.rawName);
    const value = valueOf(form, token, forms);
    if (!value.ok) return value;
    values[form.key] = form.declaration.repeatable
      ? [...(values[form.key] as readonly string[]), String(value.value)]
      : value.value;
    if (own.includes(form)) canonical.push(form.value ? `--${form.long}=${token.value ?? ''}` : `--${form.long}`);
  }
  const missing = own.find(({ declaration, key }) => declaration.required && values[key] === undefined);
  if (missing) return wrong(`'osmosis ${command.name}' needs ${missing.declaration.flags}. ${helpHint(command)}`);
  const fault = argumentFault(command, positionals);
  if (fault !== undefined) return wrong(fault);
  const line = { options: new ParsedOptions(values), arguments: positionals };
  return { ok: true, value: { ...line, canonical: [...canonical, '--', ...positionals] } };
}

/** Writes abbreviations and aliases of long options out. */
function expandNames(
  command: CommandDeclaration,
  forms: readonly OptionForm[],
  argv: readonly string[],
): Checked<readonly string[]> {
  const names = new Map(
    forms.flatMap(({ long, declaration }) => [long, ...(declaration.aliases ?? [])].map((name) => [name, long])),
  );
  const end = argv.indexOf('--');
  const expanded: string[] = [];
  for (const [index, word] of argv.entries()) {
    const [, typed, rest = ''] = /^--([^=]+)(=.*)?$/s.exec(word) ?? [];
    if (typed === undefined || (end >= 0 && index >= end)) {
      expanded.push(word);
      continue;
    }
    const found = names.get(typed);
    const matches = found
      ? [found]
      : [...new Set([...names].filter(([name]) => name.startsWith(typed)).map(([, long]) => long))];
    if (matches.length > 1) {
      const meant = matches.map((long) => `--${long}`).join(' or ');
      return wrong(`'--${typed}' can mean ${meant}. Write more of it.`);
    }
    if (matches.length === 0) return unknownOption(command, forms, `--${typed}`);
    expanded.push(`--${matches[0]}${rest}`);
  }
  return { ok: true, value: expanded };
}

interface OptionToken {
  readonly rawName: string;
  readonly value: string | undefined;
  readonly inlineValue: boolean | undefined;
}

function valueOf(form: OptionForm, token: OptionToken, forms: readonly OptionForm[]): Checked<OptionValue> {
  if (form.value === undefined) {
    if (token.inlineValue) return wrong(`${token.rawName} takes no value. Write it without '=${token.value}'.`);
    return { ok: true, value: !form.negated };
  }
  const text = token.value;
  const isOption = forms.some(({ long, short }) => text === `--${long}` || (short && text === `-${short}`));
  if (text === undefined || (isOption && !token.inlineValue)) {
    return wrong(`${token.rawName} needs a value. Write it as --${form.long} <${form.value}>.`);
  }
  return readOptionValue(form, text);
}

function argumentFault(command: CommandDeclaration, given: readonly string[]): string | undefined {
  const declared = command.arguments ?? [];
  const extra = given[declared.length];
  if (extra !== undefined && !declared.at(-1)?.repeatable)
    return `Unexpected argument '${extra}'. ${helpHint(command)}`;
  for (const [index, { name, required, choices, repeatable }] of declared.entries()) {
    const values = given.slice(index, repeatable ? undefined : index + 1);
    if (values.length === 0 && required) return `'osmosis ${command.name}' needs <${name}>. ${helpHint(command)}`;
    const unknown = choices && values.find((value) => !choices.includes(value));
    if (unknown !== undefined) return `<${name}> cannot be '${unknown}'. Choose one of: ${choices?.join(', ')}.`;
  }
  return undefined;
}

function unknownOption(command: CommandDeclaration, forms: readonly OptionForm[], typed: string) {
  const visible = forms.filter(({ declaration }) => !declaration.hidden).map(({ long }) => `--${long}`);
  const meant = nearest(typed, visible);
  const suggestion = meant ? `Did you mean '${meant}'? ` : '';
  return wrong(`Unknown option '${typed}' of 'osmosis ${command.name}'. ${suggestion}${helpHint(command)}`);
}

function helpHint(command: CommandDeclaration): string {
  return `Run 'osmosis ${command.name} --help' to see what it takes.`;
}
