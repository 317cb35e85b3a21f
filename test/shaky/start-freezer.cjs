const { spawn } = require('node:child_process');
const { join } = require('node:path');

/** Jest's global setup. The freezer ends with Jest. */
module.exports = async () => {
  if (process.platform !== 'linux') return;
  const longestMs = process.env.SHAKY_FREEZE_MS ?? '400';
  spawn(process.execPath, [join(__dirname, 'freezer.cjs'), String(process.pid), longestMs], {
    stdio: 'ignore',
  }).unref();
};
