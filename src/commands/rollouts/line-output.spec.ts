import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Writable } from 'node:stream';
import { FileOutput, StreamOutput } from './line-output.js';

describe('FileOutput', () => {
  let directory: string;
  let path: string;
  beforeEach(() => {
    directory = mkdtempSync(join(tmpdir(), 'lines-'));
    path = join(directory, 'out.jsonl');
  });
  afterEach(() => rmSync(directory, { recursive: true }));

  it('a file is there when it is whole, for its owner only', async () => {
    writeFileSync(path, 'old');
    const output = await FileOutput.create(path);
    await output.write('one');
    await output.write('two');
    expect(readFileSync(path, 'utf8')).toBe('old');
    await output.finish();
    await output.close();
    expect(readFileSync(path, 'utf8')).toBe('one\ntwo\n');
    expect(statSync(path).mode & 0o777).toBe(0o600);
    expect(readdirSync(directory)).toEqual(['out.jsonl']);
  });

  it('nothing stays of one that is not finished', async () => {
    const output = await FileOutput.create(path);
    await output.write('one');
    await output.close();
    expect(readdirSync(directory)).toEqual([]);
  });

  it('replaces neither a directory nor a device', async () => {
    for (const place of [directory, '/dev/null', join(directory, 'no', 'where')]) {
      await expect(FileOutput.create(place)).rejects.toMatchObject({ code: 'CONFIG_INVALID' });
    }
  });
});

describe('StreamOutput', () => {
  it('waits for whoever reads', async () => {
    const taken: string[] = [];
    let take = (): void => {};
    const slow = new Writable({
      highWaterMark: 1,
      decodeStrings: false,
      write: (chunk: string, _encoding, done) => {
        taken.push(chunk);
        take = done;
      },
    });
    const output = new StreamOutput(slow);
    let written = false;
    const writing = output.write('one').then(() => (written = true));
    await new Promise((resolve) => setTimeout(resolve, 20));
    expect(written).toBe(false);
    take();
    await writing;
    expect(taken).toEqual(['one\n']);
  });

  it('lets signals through between two lines', async () => {
    let heard = false;
    setImmediate(() => (heard = true));
    await new StreamOutput({ write: () => true }).write('one');
    expect(heard).toBe(true);
  });
});
