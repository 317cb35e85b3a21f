import { SETTINGS, type SettingName, type SettingValues } from './settings.table.js';

/** Where a value comes from. */
export type SettingSource = 'flag' | 'environment' | '.env' | 'default';

export interface FoundSetting {
  readonly value: unknown;
  readonly source: SettingSource;
  /** The flag, the variable or the file. */
  readonly origin: string;
}

/** The effective configuration. Immutable. */
export class Settings {
  constructor(
    private readonly found: ReadonlyMap<SettingName, FoundSetting>,
    /** What is odd but does not stop the program. */
    readonly warnings: readonly string[],
  ) {}

  get<Name extends SettingName>(name: Name): SettingValues[Name] {
    // The reader puts in only what the setting's own `parse` gave.
    return (this.found.get(name)?.value ?? SETTINGS[name].default) as SettingValues[Name];
  }

  /** The value if somebody set it; undefined where the default applies. */
  given<Name extends SettingName>(name: Name): SettingValues[Name] | undefined {
    return this.found.get(name)?.value as SettingValues[Name] | undefined;
  }

  sourceOf(name: SettingName): SettingSource {
    return this.found.get(name)?.source ?? 'default';
  }

  /** The flag, variable or file that a value comes from; `default` for none. */
  originOf(name: SettingName): string {
    return this.found.get(name)?.origin ?? 'default';
  }
}
