import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import type { OpenAPIObject } from '@nestjs/swagger';
import { jsonSchemaOf } from '#osmosis';

type Schema = NonNullable<NonNullable<OpenAPIObject['components']>['schemas']>[string];

/** Serves the OpenAPI document of the routes. Swagger is loaded when somebody asks: it costs half a second. */
export function serveOpenApi(app: NestFastifyApplication): void {
  let document: Promise<OpenAPIObject> | undefined;
  app
    .getHttpAdapter()
    .getInstance()
    .get('/openapi.json', () => (document ??= describeRoutes(app)));
}

/** The routes as Nest knows them, with the bodies that our DTO classes describe. */
export async function describeRoutes(app: NestFastifyApplication): Promise<OpenAPIObject> {
  const { DocumentBuilder, SwaggerModule } = await import('@nestjs/swagger');
  const { HealthDto, InitRequestDto, InitResponseDto } = await import('#trainers/openapi');
  const config = new DocumentBuilder()
    .setTitle('nestjs-osmosis')
    .setDescription('Remote-rollout server, Osmosis dialect 0.2')
    .setVersion('0.2')
    .addBearerAuth()
    .build();
  const document = SwaggerModule.createDocument(app, config);
  document.components = {
    ...document.components,
    schemas: {
      ...document.components?.schemas,
      InitRequest: jsonSchemaOf(InitRequestDto) as Schema,
      InitResponse: jsonSchemaOf(InitResponseDto) as Schema,
      Health: jsonSchemaOf(HealthDto) as Schema,
    },
  };
  for (const [path, item] of Object.entries(document.paths)) {
    if (item.post && path.endsWith('/v1/rollout/init')) {
      item.post.requestBody = { required: true, content: jsonOf('InitRequest') };
      item.post.responses = {
        202: { description: 'Accepted; the rollout runs', content: jsonOf('InitResponse') },
        401: { description: 'The API key is missing or wrong' },
        409: { description: 'Another request was accepted under this id' },
        413: { description: 'The body is too large' },
        422: { description: 'The body does not fit' },
        429: { description: 'Too many rollouts wait' },
        503: { description: 'The server is stopping' },
      };
    }
    if (item.get && path.endsWith('/health')) {
      item.get.responses = { 200: { description: 'The server lives', content: jsonOf('Health') } };
    }
  }
  return document;
}

function jsonOf(name: string): Record<string, { schema: { $ref: string } }> {
  return { 'application/json': { schema: { $ref: `#/components/schemas/${name}` } } };
}
