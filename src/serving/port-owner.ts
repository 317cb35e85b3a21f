import { readdir, readFile, readlink } from 'node:fs/promises';
import { basename } from 'node:path';

/**
 * Which process listens on a TCP port, as `node (pid 123)`. Linux tells through /proc, and of other users' processes
 * only to root; undefined where it cannot be known.
 */
export async function processListeningOn(port: number): Promise<string | undefined> {
  try {
    const sockets = await listeningSockets(port);
    if (sockets.size === 0) return undefined;
    for (const pid of (await readdir('/proc')).filter((name) => /^\d+$/.test(name))) {
      if (await holdsAny(pid, sockets)) return `${await programOf(pid)} (pid ${pid})`;
    }
  } catch {
    // No /proc, or the process has just ended: the message does without.
  }
  return undefined;
}

/** The program's file: what a process calls itself differs between versions of Node ('node', 'MainThread'). */
async function programOf(pid: string): Promise<string> {
  return basename(await readlink(`/proc/${pid}/exe`)).replace(/ \(deleted\)$/, '');
}

const LISTENING = '0A';

/** Links that the sockets have in `/proc/<pid>/fd`. */
async function listeningSockets(port: number): Promise<ReadonlySet<string>> {
  const suffix = `:${port.toString(16).toUpperCase().padStart(4, '0')}`;
  const tables = await Promise.all(
    ['tcp', 'tcp6'].map((name) => readFile(`/proc/net/${name}`, 'utf8').catch(() => '')),
  );
  const rows = tables.flatMap((table) => table.split('\n')).map((row) => row.trim().split(/\s+/));
  const ours = rows.filter(([, local, , state]) => local?.endsWith(suffix) && state === LISTENING);
  return new Set(ours.map((columns) => `socket:[${columns[9]}]`));
}

async function holdsAny(pid: string, sockets: ReadonlySet<string>): Promise<boolean> {
  const folder = `/proc/${pid}/fd`;
  const names = await readdir(folder).catch(() => []);
  const links = await Promise.all(names.map((name) => readlink(`${folder}/${name}`).catch(() => '')));
  return links.some((link) => sockets.has(link));
}
