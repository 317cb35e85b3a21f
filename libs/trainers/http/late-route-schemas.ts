import { createRequire } from 'node:module';
import type { FastifyAdapter } from '@nestjs/platform-fastify';
import type { FastifyServerOptions } from 'fastify';

type SchemaController = NonNullable<FastifyServerOptions['schemaController']>;
type Factories = NonNullable<SchemaController['compilersFactory']>;
type ValidatorFactory = NonNullable<Factories['buildValidator']>;
type SerializerFactory = NonNullable<Factories['buildSerializer']>;

interface FastifySymbols {
  readonly kSchemaController: symbol;
}

const compilersFactory: Factories = {
  buildValidator: (...args) => ofFastify<() => ValidatorFactory>('@fastify/ajv-compiler')()(...args),
  buildSerializer: (...args) => ofFastify<() => SerializerFactory>('@fastify/fast-json-stringify-compiler')()(...args),
};

/**
 * Lets Fastify load its compilers of route schemas, a hundred files, with the first route that has a schema. None of ours
 * has one, those of a user's module may.
 */
export function loadRouteSchemasLate(create: (controller: SchemaController) => FastifyAdapter): FastifyAdapter {
  const adapter = create({ compilersFactory });
  const { kSchemaController } = ofFastify<FastifySymbols>('fastify/lib/symbols.js');
  const instance: object = adapter.getInstance();
  const controller = (instance as Readonly<Record<symbol, { isCustomValidatorCompiler: boolean }>>)[kSchemaController];
  // They are Fastify's own: it shall prepare the schemas for them, such as the names of headers.
  if (controller) controller.isCustomValidatorCompiler = false;
  return adapter;
}

/** From the copy of Fastify that Nest takes. */
function ofFastify<Exports>(name: string): Exports {
  const own = createRequire(import.meta.url);
  const nest = createRequire(own.resolve('@nestjs/platform-fastify'));
  return createRequire(nest.resolve('fastify'))(name) as Exports;
}
