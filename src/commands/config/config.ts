import { note, warn, writeJson, type CommandContext } from '../../cli/command-context.js';
import type { ParsedLine } from '../../cli/parse.js';
import { readSettings } from '../../config/settings.reader.js';
import { SETTINGS, SETTING_NAMES, type SettingName } from '../../config/settings.table.js';
import type { Settings } from '../../config/settings.js';

interface ShownSetting {
  readonly name: SettingName;
  /** Null when there is none. */
  readonly value: string | number | null;
  readonly source: string;
  readonly origin: string;
}

export async function run(context: CommandContext, line: ParsedLine): Promise<number> {
  const settings = readSettings(context);
  for (const warning of settings.warnings) warn(context, warning);
  const shown = SETTING_NAMES.map((name) => show(settings, name)).filter(
    ({ source }) => !line.options.flag('set') || source !== 'default',
  );
  if (context.json) {
    writeJson(context, 'config', { dotenv: context.dotenv?.path ?? null, settings: shown });
    return 0;
  }
  if (context.dotenv) note(context, `.env file: ${context.dotenv.path}`);
  const width = Math.max(0, ...shown.map(({ name }) => name.length));
  const paint = context.paint.stdout;
  for (const { name, value, origin, source } of shown) {
    const text = value === null ? paint('dim', SETTINGS[name].defaultText) : String(value);
    const from = source === 'default' ? paint('dim', 'default') : paint('cyan', origin);
    context.stdout.write(`${paint('bold', name.padEnd(width))}  ${text}  (${from})\n`);
  }
  return 0;
}

function show(settings: Settings, name: SettingName): ShownSetting {
  const value = settings.get(name) ?? null;
  const masked = SETTINGS[name].secret && value !== null ? '********' : value;
  return { name, value: masked, source: settings.sourceOf(name), origin: settings.originOf(name) };
}
