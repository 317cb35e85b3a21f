import type { Cancellation } from '#domain';

/** What the work gives, or the reason of the cancellation when that comes first. What comes afterwards is dropped. */
export function untilCancelled<Result>(cancellation: Cancellation, work: () => Promise<Result>): Promise<Result> {
  return new Promise((resolve, reject) => {
    cancellation.throwIfCancelled();
    const stopListening = cancellation.onCancel(reject);
    work().then(
      (result) => {
        stopListening();
        resolve(result);
      },
      (error: unknown) => {
        stopListening();
        reject(error);
      },
    );
  });
}
