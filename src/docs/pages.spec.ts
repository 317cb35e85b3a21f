import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { packageInfo } from '../cli/package-info.js';
import { COMMANDS } from '../cli/commands.js';
import { commandHelp } from '../cli/help.js';
import { generatedPages } from './pages.js';

describe('documentation made from declarations', () => {
  it.each(generatedPages())('$file is up to date; npm run docs:cli writes it', ({ file, text }) => {
    expect(readFileSync(join(packageInfo().root, file), 'utf8')).toBe(text);
  });

  it('no page forgets a command or an option', () => {
    const [page] = generatedPages();
    for (const { declaration } of COMMANDS) {
      expect(page?.text).toContain(`## osmosis ${declaration.name}`);
      for (const { flags } of declaration.options ?? []) {
        expect(page?.text).toContain(`\`${flags}\``);
        expect(commandHelp(declaration)).toContain(flags);
      }
    }
  });
});
