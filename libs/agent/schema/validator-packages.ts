import type * as ClassTransformer from 'class-transformer';
import type * as TransformerStorage from 'class-transformer/cjs/storage.js';
import type * as ClassValidator from 'class-validator';
import { onDemand } from '#domain';

/**
 * Loaded with the first parameter class, whose decorators have brought them mostly: three hundred files, which an
 * application that describes its inputs otherwise does not need.
 */
export const classValidator = onDemand<typeof ClassValidator>('class-validator');
export const classTransformer = onDemand<typeof ClassTransformer>('class-transformer');

const storage = onDemand<typeof TransformerStorage>('class-transformer/cjs/storage.js');

/** Where `@Type`, `@Transform`, `@Expose` and `@Exclude` write. */
export function transformerStorage(): (typeof TransformerStorage)['defaultMetadataStorage'] {
  return storage().defaultMetadataStorage;
}
