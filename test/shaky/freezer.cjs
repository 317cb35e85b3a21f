const { readdirSync, readFileSync } = require('node:fs');

/** Freezes some of the Node processes below another one for a moment, again and again, until that one has ended. Linux. */
const [root, longestMs] = process.argv.slice(2).map(Number);
/** `script` stops with its child, and does not go on with it. */
const UNTOUCHED_PARENTS = ['script', 'sh'];

function processes() {
  const all = new Map();
  for (const name of readdirSync('/proc').filter((entry) => /^\d+$/.test(entry))) {
    try {
      const stat = readFileSync(`/proc/${name}/stat`, 'utf8');
      const end = stat.lastIndexOf(')');
      all.set(Number(name), {
        command: stat.slice(stat.indexOf('(') + 1, end),
        parent: Number(stat.slice(end + 4).split(' ')[0]),
      });
    } catch {
      // It has ended meanwhile.
    }
  }
  return all;
}

function victims() {
  const all = processes();
  if (!all.has(root)) process.exit();
  const isBelow = (id) => id === root || (all.has(id) && isBelow(all.get(id).parent));
  return [...all]
    .filter(
      ([id, { command, parent }]) =>
        id !== process.pid &&
        id !== root &&
        /^(node|MainThread)$/.test(command) &&
        isBelow(parent) &&
        !UNTOUCHED_PARENTS.includes(all.get(parent)?.command),
    )
    .map(([id]) => id)
    .filter(() => Math.random() < 0.4);
}

function signal(ids, name) {
  for (const id of ids) {
    try {
      process.kill(id, name);
    } catch {
      // It has ended meanwhile.
    }
  }
}

const pause = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

void (async () => {
  for (;;) {
    await pause(100 + Math.random() * 900);
    const frozen = victims();
    signal(frozen, 'SIGSTOP');
    await pause(20 + Math.random() * longestMs);
    signal(frozen, 'SIGCONT');
  }
})();
