import { chmod, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { commandBrowser } from './browser-opener.js';

const URL_WITH_TRAPS = "https://p.example/?a=1&b=$(touch pwned)';`x`";

describe('commandBrowser', () => {
  let directory: string;

  // A fake clock: no opener is taken to have worked because this process was stopped meanwhile.
  beforeEach(async () => {
    jest.useFakeTimers({ doNotFake: ['nextTick', 'queueMicrotask', 'setImmediate', 'performance', 'hrtime', 'Date'] });
    directory = await mkdtemp(join(tmpdir(), 'osmosis-browser-'));
  });

  afterEach(() => {
    jest.useRealTimers();
    return rm(directory, { recursive: true, force: true });
  });

  const program = async (name: string, script: string): Promise<string> => {
    const path = join(directory, name);
    await writeFile(path, `#!/bin/sh\n${script}\n`);
    await chmod(path, 0o755);
    return path;
  };

  it('hands the address over as one argument that no shell sees', async () => {
    await program('xdg-open', `printf '%s' "$1" > '${directory}/seen'`);
    const browser = commandBrowser({ PATH: `${directory}:/bin:/usr/bin`, DISPLAY: ':0' }, 'linux');
    expect(await browser.open(URL_WITH_TRAPS)).toEqual({ opened: true });
    expect(await readFile(join(directory, 'seen'), 'utf8')).toBe(URL_WITH_TRAPS);
  });

  describe('CL-04', () => {
    it('no display: nothing is tried', async () => {
      expect(await commandBrowser({ PATH: directory }, 'linux').open('https://p.example')).toEqual({
        opened: false,
        reason: 'this machine has no display',
      });
    });

    it('no xdg-open: one line says so', async () => {
      expect(await commandBrowser({ PATH: directory, DISPLAY: ':0' }, 'linux').open('https://p.example')).toEqual({
        opened: false,
        reason: 'xdg-open is not installed',
      });
    });

    it('an opener that fails is reported, the next one tried', async () => {
      const bad = await program('bad', 'exit 4');
      const good = await program('good', `printf '%s' "$2" > '${directory}/seen'`);
      expect(await commandBrowser({ BROWSER: bad }, 'linux').open('https://p.example')).toEqual({
        opened: false,
        reason: `${bad} ended with code 4`,
      });
      expect(await commandBrowser({ BROWSER: `${bad}:${good} --tab %s` }, 'linux').open('https://p')).toEqual({
        opened: true,
      });
      expect(await readFile(join(directory, 'seen'), 'utf8')).toBe('https://p');
    });

    it('an opener that stays is taken to have worked', async () => {
      const hanging = await program('hanging', 'exec sleep 5');
      const opening = commandBrowser({ BROWSER: hanging, PATH: '/bin:/usr/bin' }, 'linux').open('https://p');
      jest.advanceTimersByTime(3_000);
      expect(await opening).toEqual({ opened: true });
    });
  });
});
