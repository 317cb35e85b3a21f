/** One HTTP message with a body of known length: all that a benchmark's peers send each other. */
export interface HttpMessage {
  /** Start line and headers, without the blank line. */
  readonly head: string;
  readonly body: Buffer;
}

const BLANK_LINE = Buffer.from('\r\n\r\n');
const LENGTH = /\r\ncontent-length: *(\d+)/i;

/** Cuts a connection's bytes into messages. Cheaper than any server, so that the server under test is the limit. */
export class HttpReader {
  #chunks: Buffer[] = [];
  #length = 0;
  /** Bytes of the message whose head has come; 0 while it has not. */
  #needed = 0;

  constructor(private readonly onMessage: (message: HttpMessage) => void) {}

  push(chunk: Buffer): void {
    this.#chunks.push(chunk);
    this.#length += chunk.length;
    if (this.#length < this.#needed) return;
    let bytes = this.#chunks.length === 1 ? chunk : Buffer.concat(this.#chunks, this.#length);
    for (;;) {
      this.#needed = 0;
      const end = bytes.indexOf(BLANK_LINE);
      if (end < 0) break;
      const head = bytes.toString('latin1', 0, end);
      const start = end + BLANK_LINE.length;
      const stop = start + Number(LENGTH.exec(head)?.[1] ?? 0);
      if (bytes.length < stop) {
        this.#needed = stop;
        break;
      }
      const body = bytes.subarray(start, stop);
      bytes = bytes.subarray(stop);
      this.onMessage({ head, body });
    }
    this.#chunks = bytes.length > 0 ? [bytes] : [];
    this.#length = bytes.length;
  }
}

/** An answer or a request as bytes. */
export function httpMessage(startLine: string, body: string, headers = ''): string {
  return (
    `${startLine}\r\ncontent-type: application/json\r\n${headers}` +
    `content-length: ${Buffer.byteLength(body)}\r\n\r\n${body}`
  );
}
