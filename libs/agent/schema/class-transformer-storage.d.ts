/**
 * class-transformer keeps what `@Type`, `@Transform`, `@Expose` and `@Exclude` say in a store that its public face does
 * not show. This is the part of it that is read here.
 */
declare module 'class-transformer/cjs/storage.js' {
  import type {
    ExcludeMetadata,
    ExposeMetadata,
    TransformationType,
    TransformMetadata,
    TypeMetadata,
  } from 'class-transformer';

  type Target = abstract new (...args: never[]) => object;

  export const defaultMetadataStorage: {
    findTypeMetadata(target: Target, property: string): TypeMetadata | undefined;
    findExposeMetadata(target: Target, property: string): ExposeMetadata | undefined;
    findExcludeMetadata(target: Target, property: string): ExcludeMetadata | undefined;
    findTransformMetadatas(target: Target, property: string, direction: TransformationType): TransformMetadata[];
  };
}
