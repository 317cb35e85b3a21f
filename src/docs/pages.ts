import { COMMANDS } from '../cli/commands.js';
import { cliPage } from './cli-page.js';
import { configurationPage } from './configuration-page.js';
import { providersPage } from './providers-page.js';

export interface GeneratedPage {
  /** From the package's folder. */
  readonly file: string;
  readonly text: string;
}

/** The pages that are made from what commands, settings and the provider table declare. A test compares them with the files. */
export function generatedPages(): readonly GeneratedPage[] {
  return [
    { file: 'docs/cli.md', text: cliPage(COMMANDS.map(({ declaration }) => declaration)) },
    { file: 'docs/configuration.md', text: configurationPage() },
    { file: 'docs/providers.md', text: providersPage() },
  ];
}
