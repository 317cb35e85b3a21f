import type { Cancellation, OsmosisError } from '#domain';

/**
 * What the work gives, or the reason of the cancellation when that comes first. What comes afterwards is dropped.
 *
 * @param onCancelled called at the very moment of the cancellation; the promise tells of it a little later
 */
export function untilCancelled<Result>(
  cancellation: Cancellation,
  work: () => Promise<Result>,
  onCancelled?: (reason: OsmosisError) => void,
): Promise<Result> {
  return new Promise((resolve, reject) => {
    cancellation.throwIfCancelled();
    const listening = cancellation.onCancel((reason) => {
      onCancelled?.(reason);
      reject(reason);
    });
    work().then(
      (result) => {
        listening.leave();
        resolve(result);
      },
      (error: unknown) => {
        listening.leave();
        reject(error);
      },
    );
  });
}
