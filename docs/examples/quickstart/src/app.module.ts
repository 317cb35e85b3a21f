import { Module } from '@nestjs/common';
import { OsmosisModule } from 'nestjs-osmosis';
import { CalculatorAgent } from './calculator.agent.js';

@Module({ imports: [OsmosisModule.forRoot()], providers: [CalculatorAgent] })
export class AppModule {}
