import type { DotenvFile, Environment } from '../cli/dotenv.js';
import { nearest } from '../cli/suggest.js';
import { OsmosisError } from '#domain';
import { GROUPS, OTHER_VARIABLES, SETTINGS, SETTING_NAMES, type SettingName } from './settings.table.js';
import { Settings, type FoundSetting, type SettingSource } from './settings.js';

export interface SettingSources {
  /** Values of command-line options; undefined: not given. */
  readonly flags?: Partial<Readonly<Record<SettingName, string | number | undefined>>>;
  readonly environment: Environment;
  readonly dotenv?: DotenvFile | null;
}

interface Candidate {
  readonly text: string;
  readonly source: SettingSource;
  readonly origin: string;
}

/**
 * Reads every setting: flag before environment before `.env` before default. Names of variables are read in any case, as
 * the reference does.
 *
 * @throws OsmosisError CONFIG_INVALID naming every variable that is wrong, its value and the rule it breaks
 */
export function readSettings({ flags = {}, environment, dotenv = null }: SettingSources): Settings {
  const layers = [
    new VariableLayer(environment, 'environment', 'the environment'),
    ...(dotenv ? [new VariableLayer(dotenv.values, '.env', dotenv.path)] : []),
  ];
  const found = new Map<SettingName, FoundSetting>();
  const faults = layers.flatMap((layer) => layer.faults);
  for (const name of SETTING_NAMES) {
    const candidate = flagCandidate(name, flags[name]) ?? firstOf(layers, name);
    if (!candidate) continue;
    const value = SETTINGS[name].parse(candidate.text);
    if (value === undefined) faults.push(faultOf(name, candidate));
    else found.set(name, { value, source: candidate.source, origin: candidate.origin });
  }
  if (faults.length > 0) throw invalid(faults);
  return new Settings(found, [...new Set(layers.flatMap((layer) => layer.unknownNames()))]);
}

/** The variables of the environment, or of one file. */
class VariableLayer {
  readonly faults: string[] = [];
  private readonly variables: ReadonlyMap<string, string>;
  /** From JSON group variables: they beat the variables of their own fields (spec 7). */
  private readonly grouped: ReadonlyMap<SettingName, string>;

  constructor(
    variables: Environment,
    private readonly source: SettingSource,
    private readonly place: string,
  ) {
    this.variables = new Map(
      Object.entries(variables).flatMap(([name, value]) => (value === undefined ? [] : [[name.toUpperCase(), value]])),
    );
    this.grouped = new Map(Object.keys(GROUPS).flatMap((group) => this.readGroup(group)));
  }

  candidate(name: SettingName): Candidate | undefined {
    const text = this.grouped.get(name) ?? this.variables.get(name);
    // For texts, empty means not set: `OSMOSIS_API_KEY=` in a compose file asks for nothing.
    if (text === undefined || (text.trim() === '' && !isNumeric(name))) return undefined;
    return { text, source: this.source, origin: this.place };
  }

  unknownNames(): string[] {
    const known = [...SETTING_NAMES, ...Object.keys(GROUPS), ...Object.keys(OTHER_VARIABLES)];
    return [...this.variables.keys()]
      .filter((name) => name.startsWith('OSMOSIS_') && !known.includes(name))
      .map((name) => {
        const meant = nearest(name, known);
        return `${name} (${this.place}) is no setting and has no effect.${meant ? ` Did you mean ${meant}?` : ''}`;
      });
  }

  private readGroup(group: string): [SettingName, string][] {
    const text = this.variables.get(group);
    if (text === undefined || text.trim() === '') return [];
    const fields = parseObject(text);
    if (!fields) {
      this.faults.push(`${group} (${this.place}) must be a JSON object like {"timeout_seconds": 5}`);
      return [];
    }
    return (GROUPS[group] ?? []).flatMap((name): [SettingName, string][] => {
      const value = fields[name.slice(group.length + 1).toLowerCase()];
      return value === undefined ? [] : [[name, typeof value === 'string' ? value : JSON.stringify(value)]];
    });
  }
}

function parseObject(text: string): Readonly<Record<string, unknown>> | undefined {
  try {
    const value: unknown = JSON.parse(text);
    const isObject = typeof value === 'object' && value !== null && !Array.isArray(value);
    return isObject ? (value as Record<string, unknown>) : undefined;
  } catch {
    return undefined;
  }
}

function flagCandidate(name: SettingName, value: string | number | undefined): Candidate | undefined {
  if (value === undefined) return undefined;
  return { text: String(value), source: 'flag', origin: SETTINGS[name].flag ?? 'the command line' };
}

function firstOf(layers: readonly VariableLayer[], name: SettingName): Candidate | undefined {
  for (const layer of layers) {
    const candidate = layer.candidate(name);
    if (candidate) return candidate;
  }
  return undefined;
}

function isNumeric(name: SettingName): boolean {
  return SETTINGS[name].min !== undefined;
}

function faultOf(name: SettingName, { text, source, origin }: Candidate): string {
  const { rule, secret } = SETTINGS[name];
  const subject = source === 'flag' ? origin : `${name} (${origin})`;
  return `${subject} is ${secret ? 'wrong' : `'${text}'`}, but must be ${rule}`;
}

function invalid(faults: readonly string[]): OsmosisError {
  const [first] = faults;
  const message =
    faults.length === 1
      ? `${first}. Change it or leave it out.`
      : `${faults.length} settings are wrong:\n${faults.map((fault) => `  - ${fault}`).join('\n')}\nChange them or leave them out.`;
  return new OsmosisError('CONFIG_INVALID', message, { details: { faults } });
}
