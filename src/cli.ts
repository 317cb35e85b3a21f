#!/usr/bin/env node
import * as nodeModule from 'node:module';
import { main } from './cli/program.js';

// Node 22 and later keep compiled code between runs; Node 20 has no such thing, and its types neither.
(nodeModule as { readonly enableCompileCache?: () => unknown }).enableCompileCache?.();

// `osmosis … | head`: whoever read our output has left. That is no error of ours (case CL-14).
process.stdout.on('error', (error: NodeJS.ErrnoException) => process.exit(error.code === 'EPIPE' ? 0 : 1));
process.stderr.on('error', () => {});

const code = await main(process.argv.slice(2));
// What was written goes out first; then nothing that a loaded module left running can hold the process.
process.stdout.write('', () => process.stderr.write('', () => process.exit(code)));
