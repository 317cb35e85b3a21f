import { ConfigModule } from '@nestjs/config';
import { findDotenv } from '../cli/dotenv.js';
import { readSettings } from './settings.reader.js';
import { SETTING_NAMES } from './settings.table.js';
import type { Settings } from './settings.js';

/** Under which name `ConfigService` gives the checked {@link Settings}. */
export const OSMOSIS_SETTINGS = 'osmosis';

/**
 * `@nestjs/config` over the settings: the nearest `.env` upwards, then the environment, checked before anything is built.
 * `ConfigService` gives each variable's value, and the {@link Settings} under {@link OSMOSIS_SETTINGS}.
 */
export function settingsModule(): ReturnType<typeof ConfigModule.forRoot> {
  const dotenv = findDotenv(process.cwd());
  return ConfigModule.forRoot({
    cache: true,
    envFilePath: dotenv?.path,
    ignoreEnvFile: dotenv === null,
    validate: (variables: Record<string, unknown>) => {
      const settings: Settings = readSettings({ environment: process.env, dotenv });
      const values = Object.fromEntries(SETTING_NAMES.map((name) => [name, settings.get(name)]));
      return { ...variables, ...values, [OSMOSIS_SETTINGS]: settings };
    },
  });
}
