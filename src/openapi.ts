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
  const dtos = await import('#trainers/openapi');
  const config = new DocumentBuilder()
    .setTitle('nestjs-osmosis')
    .setDescription('Remote-rollout server, Osmosis dialects 0.2 and 0.3')
    .setVersion('0.3')
    .addBearerAuth()
    .build();
  const document = SwaggerModule.createDocument(app, config);
  document.components = {
    ...document.components,
    schemas: {
      ...document.components?.schemas,
      InitRequest: jsonSchemaOf(dtos.InitRequestDto) as Schema,
      InitResponse: jsonSchemaOf(dtos.InitResponseDto) as Schema,
      RolloutRequest: jsonSchemaOf(dtos.RolloutRequestDto) as Schema,
      RolloutStatus: jsonSchemaOf(dtos.StatusDto) as Schema,
      CancelRequest: jsonSchemaOf(dtos.CancelRequestDto) as Schema,
      CancelResult: jsonSchemaOf(dtos.CancelResultDto) as Schema,
      Health: jsonSchemaOf(dtos.HealthDto) as Schema,
    },
  };
  for (const [path, { post, get }] of Object.entries(document.paths)) {
    if (post && path.endsWith('/v1/rollout/init')) {
      post.requestBody = { required: true, content: jsonOf('InitRequest') };
      post.responses = { 202: { description: ACCEPTED, content: jsonOf('InitResponse') }, ...REFUSALS };
    } else if (post && path.endsWith('/rollout')) {
      post.requestBody = { required: true, content: jsonOf('RolloutRequest') };
      post.responses = { 202: { description: ACCEPTED }, ...REFUSALS };
    } else if (post && path.endsWith('/rollout/cancel')) {
      post.requestBody = { required: true, content: jsonOf('CancelRequest') };
      post.responses = { 200: { description: 'What became of each', content: jsonOf('CancelResult') } };
    } else if (get && path.endsWith('/status')) {
      get.responses = { 200: { description: 'What is known of it', content: jsonOf('RolloutStatus') } };
    } else if (get && path.endsWith('/health')) {
      get.responses = { 200: { description: 'The server lives', content: jsonOf('Health') } };
    }
  }
  return document;
}

const ACCEPTED = 'Accepted; the rollout runs';

const REFUSALS = {
  401: { description: 'The API key is missing or wrong' },
  409: { description: 'Another request was accepted under this id' },
  413: { description: 'The body is too large' },
  422: { description: 'The body does not fit' },
  429: { description: 'Too many rollouts wait' },
  503: { description: 'The server is stopping' },
};

function jsonOf(name: string): Record<string, { schema: { $ref: string } }> {
  return { 'application/json': { schema: { $ref: `#/components/schemas/${name}` } } };
}
