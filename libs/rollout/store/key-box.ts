import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';
import { link, mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { OsmosisError, Secret } from '#domain';

const ALGORITHM = 'aes-256-gcm';
const KEY_BYTES = 32;
/** What every box draws anew, and a count: asking for random bytes each time took a third of the whole. */
const IV_PREFIX_BYTES = 8;
const IV_BYTES = IV_PREFIX_BYTES + 4;
const IVS_OF_A_PREFIX = 2 ** 32;
const TAG_BYTES = 16;

/**
 * Encrypts the trainers' bearers that a store must keep to deliver after a restart. The key lies in a file of its own,
 * readable by its owner only: a copy of the database gives no bearer away; whoever can read the whole directory can.
 */
export class KeyBox {
  #prefix = randomBytes(IV_PREFIX_BYTES);
  #count = 0;

  private constructor(private readonly key: Buffer) {}

  /** Reads the directory's key, or makes one. */
  static async open(directory: string): Promise<KeyBox> {
    const file = join(directory, 'store.key');
    await mkdir(directory, { recursive: true, mode: 0o700 });
    const key = Buffer.from((await readIfThere(file)) ?? (await makeKey(file)), 'base64');
    if (key.length !== KEY_BYTES) {
      const cure = 'Remove it together with rollouts.db, or restore both.';
      throw new OsmosisError('CONFIG_INVALID', `${file} is no key of this store. ${cure}`);
    }
    return new KeyBox(key);
  }

  close(secret: Secret): string {
    const iv = this.#nextIv();
    const cipher = createCipheriv(ALGORITHM, this.key, iv);
    const text = cipher.update(secret.reveal(), 'utf8');
    // This mode keeps nothing back for the end.
    cipher.final();
    return Buffer.concat([iv, cipher.getAuthTag(), text]).toString('base64');
  }

  /** Null when the text was not closed with this box's key. */
  open(closed: string): Secret | null {
    const bytes = Buffer.from(closed, 'base64');
    try {
      const decipher = createDecipheriv(ALGORITHM, this.key, bytes.subarray(0, IV_BYTES));
      decipher.setAuthTag(bytes.subarray(IV_BYTES, IV_BYTES + TAG_BYTES));
      const text = Buffer.concat([decipher.update(bytes.subarray(IV_BYTES + TAG_BYTES)), decipher.final()]);
      return Secret.from(text.toString('utf8'));
    } catch {
      return null;
    }
  }

  #nextIv(): Buffer {
    if (this.#count === IVS_OF_A_PREFIX) {
      this.#prefix = randomBytes(IV_PREFIX_BYTES);
      this.#count = 0;
    }
    const iv = Buffer.allocUnsafe(IV_BYTES);
    iv.set(this.#prefix);
    iv.writeUInt32BE(this.#count++, IV_PREFIX_BYTES);
    return iv;
  }
}

async function readIfThere(file: string): Promise<string | null> {
  try {
    return await readFile(file, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
    throw error;
  }
}

/** Whole or not at all: neither a crash nor whoever opens the box at the same time leaves or meets half a key. */
async function makeKey(file: string): Promise<string> {
  const draft = `${file}.${randomBytes(6).toString('hex')}`;
  try {
    await writeFile(draft, randomBytes(KEY_BYTES).toString('base64'), { flag: 'wx', mode: 0o600 });
    await link(draft, file);
  } catch (error) {
    // Somebody else was faster; theirs is the key.
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  } finally {
    await rm(draft, { force: true });
  }
  return readFile(file, 'utf8');
}
