import { spawn } from 'node:child_process';
import type { Environment } from '../credentials/config-location.js';

export type BrowserOutcome = { readonly opened: true } | { readonly opened: false; readonly reason: string };

/** Shows an address in the user's browser. Never throws: whoever cannot be shown it can still type it. */
export interface BrowserOpener {
  open(url: string): Promise<BrowserOutcome>;
}

type Command = readonly [program: string, ...args: string[]];

/** An opener that has not failed by then is taken to have worked: some stay as long as the browser does. */
const PATIENCE_MS = 3_000;

/**
 * Opens with the commands of `BROWSER` (alternatives between colons, `%s` for the address), else with the desktop's own
 * command. On a Linux machine without a display nothing is tried: `xdg-open` would put a text browser over the terminal
 * (case CL-04).
 */
export function commandBrowser(env: Environment, platform: NodeJS.Platform = process.platform): BrowserOpener {
  return {
    async open(url) {
      const commands = commandsFor(env, platform, url);
      if (commands.length === 0) return { opened: false, reason: 'this machine has no display' };
      let outcome: BrowserOutcome = { opened: false, reason: 'there is no command for it' };
      for (const command of commands) {
        outcome = await run(command, env);
        if (outcome.opened) break;
      }
      return outcome;
    },
  };
}

function commandsFor(env: Environment, platform: NodeJS.Platform, url: string): Command[] {
  if (platform === 'win32') return [['rundll32', 'url.dll,FileProtocolHandler', url]];
  if (env.BROWSER) return env.BROWSER.split(':').flatMap((text) => commandFrom(text, url));
  if (platform === 'darwin') return [['open', url]];
  if (env.WSL_DISTRO_NAME)
    return [
      ['wslview', url],
      ['rundll32.exe', 'url.dll,FileProtocolHandler', url],
    ];
  return env.DISPLAY || env.WAYLAND_DISPLAY ? [['xdg-open', url]] : [];
}

function commandFrom(text: string, url: string): Command[] {
  const [program, ...args] = text.split(' ').filter((part) => part !== '');
  if (program === undefined) return [];
  const filled = args.map((arg) => arg.replaceAll('%s', url));
  return [[program, ...filled, ...(text.includes('%s') ? [] : [url])]];
}

/** No shell, so that nothing in the address is interpreted; detached, so that Ctrl-C here does not end the browser. */
function run([program, ...args]: Command, env: Environment): Promise<BrowserOutcome> {
  return new Promise((resolve) => {
    const child = spawn(program, args, { env: { ...env }, stdio: 'ignore', detached: true, windowsHide: true });
    const patience = setTimeout(() => resolve({ opened: true }), PATIENCE_MS);
    const finish = (outcome: BrowserOutcome): void => {
      clearTimeout(patience);
      resolve(outcome);
    };
    child.once('error', (error) => {
      const missing = 'code' in error && error.code === 'ENOENT';
      finish({ opened: false, reason: missing ? `${program} is not installed` : error.message });
    });
    child.once('exit', (code) => {
      finish(code === 0 ? { opened: true } : { opened: false, reason: `${program} ended with code ${code ?? 'none'}` });
    });
    child.unref();
    patience.unref();
  });
}
