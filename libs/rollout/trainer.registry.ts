import { Injectable } from '@nestjs/common';
import { OsmosisError, type Trainer } from '#domain';

/** The dialects that this server speaks. Each registers itself. */
@Injectable()
export class TrainerRegistry {
  private readonly trainers = new Map<string, Trainer>();

  register(trainer: Trainer): void {
    this.trainers.set(trainer.dialect, trainer);
  }

  /** @throws OsmosisError INTERNAL for a dialect that is not there */
  get(dialect: string): Trainer {
    const trainer = this.trainers.get(dialect);
    if (trainer) return trainer;
    const known = [...this.trainers.keys()].join(', ') || 'none';
    throw new OsmosisError('INTERNAL', `No trainer speaks the dialect '${dialect}'. Known dialects: ${known}.`);
  }
}
