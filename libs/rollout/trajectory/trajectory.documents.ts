import { applyReport, trajectoryDocument, type FinishedRollout } from '#atif';
import type { TrajectoryReport } from '#domain';
import { readTrajectory, trajectoryFile, trajectoryFolder, writeTrajectory } from './trajectory.files.js';

/** What is to be written of a rollout: all of it, or a report that came after its document. */
export interface PendingDocument {
  readonly rollout: FinishedRollout | undefined;
  readonly report: TrajectoryReport | undefined;
}

/**
 * Writes the document of a rollout; nothing when nothing was said in it, or there is no document to lay a report over.
 *
 * @returns what there is to warn of
 * @throws Error of the file system
 */
export async function writeDocument(
  dataDir: string,
  rolloutId: string,
  { rollout, report }: PendingDocument,
): Promise<readonly string[]> {
  const file = trajectoryFile(trajectoryFolder(dataDir), rolloutId);
  const known = rollout ? trajectoryDocument(rollout) : await readTrajectory(file, rolloutId);
  if (!known) return [];
  const { document, warnings } = report ? applyReport(known, report) : { document: known, warnings: [] };
  await writeTrajectory(file, document);
  return warnings;
}
