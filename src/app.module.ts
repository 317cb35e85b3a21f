import { Module } from '@nestjs/common';
import { ConfigModule, ConfigService } from '@nestjs/config';
import { OsmosisModule } from '#osmosis';
import { CalculatorAgent } from './calculator/calculator.agent.js';
import { OSMOSIS_SETTINGS, settingsModule } from './config/config-module.js';
import { osmosisOptions } from './config/osmosis-options.js';
import type { Settings } from './config/settings.js';

/** The host application of the repository: serves the calculator agent. */
@Module({
  imports: [
    settingsModule(),
    OsmosisModule.forRootAsync({
      imports: [ConfigModule],
      inject: [ConfigService],
      useFactory: (config: ConfigService) => osmosisOptions(config.getOrThrow<Settings>(OSMOSIS_SETTINGS)),
    }),
  ],
  providers: [CalculatorAgent],
})
export class AppModule {}
