import { mkdir, stat } from 'node:fs/promises';
import { resolve, sep } from 'node:path';
import { documentLine } from '#atif';
import { OsmosisError } from '#domain';
import { trajectoryFile, writeTrajectory } from '#rollout/trajectory';
import type { CommandContext } from '../../cli/command-context.js';
import type { ParsedOptions } from '../../cli/parsed-options.js';
import { exportedRollout } from './exported-rollout.js';
import { FileOutput, StreamOutput, unwritable, type LineOutput } from './line-output.js';
import type { RolloutJson } from './rollout-json.js';
import type { RolloutContents } from './rollout-source.js';

/** Where exported rollouts go. */
export interface ExportSink {
  /** Null for stdout. */
  readonly path: string | null;
  /** Whether nothing stays of an export that does not end well. */
  readonly isAtomic: boolean;
  /** False when there is nothing to write of the rollout. */
  write(rollout: RolloutJson): Promise<boolean>;
  /** Everything is written, and stays. */
  finish(): Promise<void>;
  /** Lets go. Of a file that is not finished, nothing stays. */
  close(): Promise<void>;
}

/**
 * Opens what `--format` and `--output` ask for.
 *
 * @throws OsmosisError USAGE for documents of a source without conversations, CONFIG_INVALID for a place that cannot be
 *   written
 */
export async function openSink(
  context: CommandContext,
  options: ParsedOptions,
  contents: RolloutContents | null,
): Promise<ExportSink> {
  const given = options.text('output');
  const path = given === undefined ? null : resolve(context.cwd, given);
  if (options.text('format') !== 'atif') {
    return new LineSink(path, await openOutput(context, path), async (rollout) =>
      JSON.stringify(exportedRollout(rollout, contents)),
    );
  }
  if (contents === null) {
    const cure = 'Add --data-dir with the directory that the server keeps its rollouts in.';
    throw new OsmosisError('USAGE', `--format atif needs the stored files: a server hands no messages out. ${cure}`);
  }
  if (given !== undefined && path !== null && (await isFolder(given, path))) return FolderSink.create(path, contents);
  return new LineSink(path, await openOutput(context, path), async ({ rollout_id: id }) => {
    const document = await contents.trajectory(id);
    return document && documentLine(document);
  });
}

async function openOutput(context: CommandContext, path: string | null): Promise<LineOutput> {
  return path === null ? new StreamOutput(context.stdout) : FileOutput.create(path);
}

async function isFolder(given: string, path: string): Promise<boolean> {
  if (given.endsWith('/') || given.endsWith(sep)) return true;
  return (await stat(path).catch(() => null))?.isDirectory() ?? false;
}

/** A line a rollout. */
class LineSink implements ExportSink {
  readonly isAtomic: boolean;

  constructor(
    readonly path: string | null,
    private readonly output: LineOutput,
    private readonly lineOf: (rollout: RolloutJson) => Promise<string | null>,
  ) {
    this.isAtomic = path !== null;
  }

  async write(rollout: RolloutJson): Promise<boolean> {
    const line = await this.lineOf(rollout);
    if (line === null) return false;
    await this.output.write(line);
    return true;
  }

  finish(): Promise<void> {
    return this.output.finish();
  }

  close(): Promise<void> {
    return this.output.close();
  }
}

/** A file a rollout, each whole. */
class FolderSink implements ExportSink {
  readonly isAtomic = false;

  private constructor(
    readonly path: string,
    private readonly contents: RolloutContents,
  ) {}

  static async create(path: string, contents: RolloutContents): Promise<FolderSink> {
    try {
      await mkdir(path, { recursive: true });
      return new FolderSink(path, contents);
    } catch (error) {
      throw unwritable('CONFIG_INVALID', path, error);
    }
  }

  async write({ rollout_id: id }: RolloutJson): Promise<boolean> {
    const document = await this.contents.trajectory(id);
    if (!document) return false;
    const file = trajectoryFile(this.path, id);
    try {
      await writeTrajectory(file, document, false);
    } catch (error) {
      throw unwritable('STORE_UNAVAILABLE', file, error);
    }
    return true;
  }

  async finish(): Promise<void> {}
  async close(): Promise<void> {}
}
