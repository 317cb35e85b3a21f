import { Injectable } from '@nestjs/common';

@Injectable()
export class Library {
  private readonly titles = ['Sailing alone', 'Sailing in company', 'The sea around us'];

  async find(query: string, limit: number, signal: AbortSignal): Promise<string[]> {
    signal.throwIfAborted();
    return this.titles.filter((title) => title.toLowerCase().includes(query.toLowerCase())).slice(0, limit);
  }
}
