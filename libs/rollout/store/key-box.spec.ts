import { mkdtempSync, readFileSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { OsmosisError, Secret } from '#domain';
import { KeyBox } from './key-box.js';

const BEARER = 'SECRET-7f3a';
const secret = (): Secret => Secret.from(BEARER)!;

describe('KeyBox', () => {
  let parent: string;
  let directory: string;
  beforeEach(() => {
    parent = mkdtempSync(join(tmpdir(), 'keys-'));
    directory = join(parent, 'data');
  });
  afterEach(() => rmSync(parent, { recursive: true }));

  it('opens what it closed, also after a restart', async () => {
    const closed = (await KeyBox.open(directory)).close(secret());
    expect((await KeyBox.open(directory)).open(closed)?.reveal()).toBe(BEARER);
  });

  it('A-NOKEY: the closed text does not hold the bearer, and is another one each time', async () => {
    const box = await KeyBox.open(directory);
    const [one, other] = [box.close(secret()), box.close(secret())];
    expect(Buffer.from(one, 'base64').toString('latin1')).not.toContain(BEARER);
    expect(one).not.toBe(other);
    expect(box.open(other)?.reveal()).toBe(BEARER);
  });

  it('its key is readable by its owner only, and nothing else is left in the folder', async () => {
    await KeyBox.open(directory);
    expect(statSync(directory).mode & 0o777).toBe(0o700);
    expect(statSync(join(directory, 'store.key')).mode & 0o777).toBe(0o600);
    expect(readdirSync(directory)).toEqual(['store.key']);
  });

  it('boxes that are opened at the same moment in an empty folder have one key', async () => {
    for (let round = 0; round < 20; round++) {
      const folder = join(parent, `round-${round}`);
      const boxes = await Promise.all(Array.from({ length: 8 }, () => KeyBox.open(folder)));
      const closed = boxes[0]!.close(secret());
      expect(boxes.map((box) => box.open(closed)?.reveal())).toEqual(Array(8).fill(BEARER));
    }
  });

  it('opens nothing of another box, and nothing that was changed', async () => {
    const box = await KeyBox.open(directory);
    const other = await KeyBox.open(join(parent, 'other'));
    const closed = box.close(secret());
    expect(other.open(closed)).toBeNull();
    const bytes = Buffer.from(closed, 'base64');
    bytes[bytes.length - 1]! ^= 1;
    expect(box.open(bytes.toString('base64'))).toBeNull();
    expect(box.open('')).toBeNull();
    expect(box.open('no base64 at all!')).toBeNull();
  });

  it('refuses a damaged key by name, and leaves it as it is', async () => {
    await KeyBox.open(directory);
    const file = join(directory, 'store.key');
    writeFileSync(file, 'short');
    await expect(KeyBox.open(directory)).rejects.toThrow(OsmosisError);
    await expect(KeyBox.open(directory)).rejects.toThrow(`${file} is no key of this store`);
    expect(readFileSync(file, 'utf8')).toBe('short');
  });
});
