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
  #bytes: Buffer = Buffer.alloc(0);

  constructor(private readonly onMessage: (message: HttpMessage) => void) {}

  push(chunk: Buffer): void {
    this.#bytes = this.#bytes.length === 0 ? chunk : Buffer.concat([this.#bytes, chunk]);
    for (;;) {
      const end = this.#bytes.indexOf(BLANK_LINE);
      if (end < 0) return;
      const head = this.#bytes.toString('latin1', 0, end);
      const start = end + BLANK_LINE.length;
      const stop = start + Number(LENGTH.exec(head)?.[1] ?? 0);
      if (this.#bytes.length < stop) return;
      const body = this.#bytes.subarray(start, stop);
      this.#bytes = this.#bytes.subarray(stop);
      this.onMessage({ head, body });
    }
  }
}

/** An answer or a request as bytes. */
export function httpMessage(startLine: string, body: string, headers = ''): string {
  return (
    `${startLine}\r\ncontent-type: application/json\r\n${headers}` +
    `content-length: ${Buffer.byteLength(body)}\r\n\r\n${body}`
  );
}
