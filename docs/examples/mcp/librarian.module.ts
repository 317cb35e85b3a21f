import { Module } from '@nestjs/common';
import { ConfigModule, ConfigService } from '@nestjs/config';
import { OsmosisModule } from '#osmosis';
import { LibrarianAgent } from './librarian.agent.js';

@Module({
  imports: [
    OsmosisModule.forRootAsync({
      imports: [ConfigModule.forRoot({ ignoreEnvFile: true })],
      inject: [ConfigService],
      useFactory: (config: ConfigService) => ({
        mcp: {
          servers: {
            search: {
              url: config.getOrThrow<string>('SEARCH_URL'),
              headers: { authorization: `Bearer ${config.getOrThrow<string>('SEARCH_KEY')}` },
              prefix: 'search_',
            },
          },
        },
      }),
    }),
  ],
  providers: [LibrarianAgent],
})
export class LibrarianModule {}
