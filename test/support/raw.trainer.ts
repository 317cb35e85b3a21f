import { createServer, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { RolloutCompletionTracker, type RolloutCompletion } from '#testing';
import { PATIENT } from './init.js';

/** How a chat request is answered, byte by byte if need be. */
export type RawChat = (response: ServerResponse) => void;

/** A trainer whose model misbehaves below HTTP: it trickles, or never says a word. Takes completions like any other. */
export class RawTrainer {
  readonly tracker = new RolloutCompletionTracker(PATIENT);
  /** Chat requests that came. */
  chats = 0;

  private constructor(
    private readonly server: Server,
    readonly url: string,
  ) {}

  static async start(chat: RawChat): Promise<RawTrainer> {
    const server = createServer();
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as AddressInfo;
    const trainer = new RawTrainer(server, `http://127.0.0.1:${port}`);
    server.on('request', (request, response) => {
      const chunks: Buffer[] = [];
      request.on('data', (chunk: Buffer) => chunks.push(chunk));
      request.on('end', () => {
        if (request.url?.endsWith('/chat/completions')) {
          trainer.chats++;
          return chat(response);
        }
        trainer.tracker.record(JSON.parse(Buffer.concat(chunks).toString()) as RolloutCompletion);
        response.end('{}');
      });
    });
    return trainer;
  }

  close(): Promise<void> {
    this.server.closeAllConnections();
    return new Promise((resolve) => this.server.close(() => resolve()));
  }
}
