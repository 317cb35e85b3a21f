import { COMMANDS } from '../cli/commands.js';
import { cliPage } from './cli-page.js';
import { configurationPage } from './configuration-page.js';

export interface GeneratedPage {
  /** From the package's folder. */
  readonly file: string;
  readonly text: string;
}

/** The pages that are made from what commands and settings declare. A test compares them with the files. */
export function generatedPages(): readonly GeneratedPage[] {
  return [
    { file: 'docs/cli.md', text: cliPage(COMMANDS.map(({ declaration }) => declaration)) },
    { file: 'docs/configuration.md', text: configurationPage() },
  ];
}
