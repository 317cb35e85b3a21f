import type * as Undici from 'undici';
import { onDemand } from '#domain';

/** A hundred files: loaded soon after the start, or with the first connection where that comes sooner. */
export const undici = onDemand<typeof Undici>('undici');
