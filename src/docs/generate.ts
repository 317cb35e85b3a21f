import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { packageInfo } from '../cli/package-info.js';
import { generatedPages } from './pages.js';

/** Writes the pages of the documentation that are made from declarations: `npm run docs:cli`. */
for (const { file, text } of generatedPages()) writeFileSync(join(packageInfo().root, file), text);
