import { NestFactory } from '@nestjs/core';
import { FastifyAdapter } from '@nestjs/platform-fastify';
import { TrainerRegistry } from '#rollout';
import { initModule, useInitServers } from '../../../test/support/init-server.js';
import { OsmosisV02Trainer } from '../osmosis-v0.2/osmosis-v02.trainer.js';

describe('TrainerHttpModule', () => {
  const start = useInitServers();

  it('tells how to mend it when the application runs on another adapter', async () => {
    class OtherAdapter extends FastifyAdapter {
      override getType(): string {
        return 'express';
      }
    }
    const server = start({ adapter: new OtherAdapter() });
    await expect(server).rejects.toThrow(/uses 'express'.*new FastifyAdapter\(\)/);
  });

  it('starts nothing in an application without HTTP', async () => {
    const context = await NestFactory.createApplicationContext(initModule({}), { logger: false });
    expect(context.get(TrainerRegistry).get('osmosis-v0.2')).toBeInstanceOf(OsmosisV02Trainer);
    await context.close();
  });

  it.each(['bodyLimitBytes', 'maxMetadataBytes'])('wants %s to be positive', async (option) => {
    await expect(start({ [option]: 0 })).rejects.toMatchObject({
      code: 'CONFIG_INVALID',
      message: expect.stringContaining(option),
    });
  });
});
