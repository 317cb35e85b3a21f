import type { ServerResponse } from 'node:http';
import { writeReply } from './http.js';

/** A way for one answer to go wrong. */
export type PlatformFault =
  /** Another answer than the right one; the right one's work is not done. */
  | { readonly status: number; readonly body?: string; readonly headers?: Readonly<Record<string, string>> }
  /** The connection breaks. */
  | { readonly reset: true }
  /** Nothing is ever answered. */
  | { readonly hang: true }
  /** The right answer, late. */
  | { readonly delayMs: number };

/** Faults waiting for requests, in order, by route (`GET /api/cli/verify`). */
export class FaultPlan {
  readonly #planned = new Map<string, PlatformFault[]>();

  add(route: string, faults: readonly PlatformFault[]): void {
    this.#planned.set(route, [...(this.#planned.get(route) ?? []), ...faults]);
  }

  take(route: string): PlatformFault | undefined {
    return this.#planned.get(route)?.shift();
  }
}

/** True when the fault has dealt with the request. */
export async function inflict(fault: PlatformFault, response: ServerResponse): Promise<boolean> {
  if ('delayMs' in fault) {
    await new Promise((resolve) => setTimeout(resolve, fault.delayMs));
    return false;
  }
  if ('reset' in fault) response.destroy();
  else if ('status' in fault) {
    writeReply(response, { status: fault.status, headers: fault.headers, body: fault.body ?? '' });
  }
  return true;
}
