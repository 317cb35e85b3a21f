import { readFileSync, statSync } from 'node:fs';
import { DatasetFiles } from '../../testing/dataset-files.js';
import { DurableFile } from './durable.file.js';

const files = new DatasetFiles();
afterAll(() => files.remove());

describe('a durable file', () => {
  it('keeps lines in the order in which they were appended', async () => {
    const path = files.write('lines', 'a\n');
    const file = await DurableFile.open(path, 'continue');
    await Promise.all(['b', 'c'].map((line) => file.append(line)));
    await file.append('d');
    await file.close();
    expect(readFileSync(path, 'utf8')).toBe('a\nb\nc\nd\n');
  });

  it.each([0, 1, 65_535, 65_536, 200_000])('cuts off an unfinished end of %d characters', async (length) => {
    const path = files.write('torn', `whole\n${'x'.repeat(length)}`);
    await (await DurableFile.open(path, 'continue')).close();
    expect(readFileSync(path, 'utf8')).toBe('whole\n');
  });

  it('of which nothing is whole becomes empty', async () => {
    const path = files.write('nothing', 'x'.repeat(100_000));
    await (await DurableFile.open(path, 'continue')).close();
    expect(statSync(path).size).toBe(0);
  });

  it('does not overwrite a file that is there', async () => {
    const path = files.write('there', 'mine');
    await expect(DurableFile.open(path, 'new')).rejects.toThrow('EEXIST');
    expect(readFileSync(path, 'utf8')).toBe('mine');
  });

  it('closing waits for what is under way', async () => {
    const path = files.write('closing', '');
    const file = await DurableFile.open(path, 'continue');
    void file.append('x'.repeat(1_000_000));
    await file.close();
    expect(statSync(path).size).toBe(1_000_001);
  });

  (process.platform === 'linux' ? it : it.skip)(
    'a full disk is told to everybody who waits, and afterwards',
    async () => {
      const file = await DurableFile.open('/dev/full', 'continue');
      const [first, second] = await Promise.allSettled([file.append('a'), file.append('b')]);
      expect([first?.status, second?.status]).toEqual(['rejected', 'rejected']);
      await expect(file.append('c')).rejects.toThrow('ENOSPC');
      await file.close();
    },
  );
});
