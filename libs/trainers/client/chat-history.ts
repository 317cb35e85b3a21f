import { describeThrown, OsmosisError, type ChatMessage } from '#domain';
import { strictJson } from '../transport/index.js';

/** The parts of a chat request around its messages, as JSON text. */
export interface ChatEnvelope {
  readonly model: string;
  /** All fields after `messages`, without braces. */
  readonly tail: string;
}

const SMALLEST_BUFFER = 1024;
/** UTF-16 units to UTF-8 bytes, at worst. */
const BYTES_PER_UNIT = 3;

/**
 * The request bodies of one conversation. It only grows, so each message is serialised once and stays where it is in one
 * growing buffer: `{"model":…,"messages":[m1,m2`. What follows the messages is written behind them for each call and
 * overwritten by the next messages. Serialising everything anew for each turn costs nine times the CPU.
 *
 * A message that was sent is known again by its identity: replace it to change it, the whole body is then written anew.
 * Changing a sent message in place has no effect.
 */
export class ChatHistory {
  #buffer = Buffer.alloc(0);
  /** Bytes of the buffer that hold the head and the messages. */
  #end = 0;
  #model = '';
  #written: ChatMessage[] = [];

  /**
   * The body as a view into the buffer: good until the next call.
   *
   * @throws OsmosisError REQUEST_INVALID naming the message that has no JSON form
   */
  encode(messages: readonly ChatMessage[], envelope: ChatEnvelope): Buffer {
    if (!Array.isArray(messages)) refuse('messages', 'is no list');
    if (this.#written.length === 0 || envelope.model !== this.#model || !this.#continues(messages)) {
      this.#restart(envelope.model);
    }
    while (this.#written.length < messages.length) this.#append(messages, this.#written.length);
    const end = this.#write(`],${envelope.tail}}`, this.#end);
    return this.#buffer.subarray(0, end);
  }

  #continues(messages: readonly ChatMessage[]): boolean {
    const written = this.#written;
    if (messages.length < written.length) return false;
    for (let index = 0; index < written.length; index++) if (written[index] !== messages[index]) return false;
    return true;
  }

  #restart(model: string): void {
    this.#model = model;
    this.#written = [];
    this.#end = this.#write(`{"model":${model},"messages":[`, 0);
  }

  #append(messages: readonly ChatMessage[], index: number): void {
    const message = messages[index];
    if (typeof message !== 'object' || message === null || Array.isArray(message)) {
      refuse(`messages[${index}]`, 'is no object');
    }
    const text = messageJson(message, index);
    this.#end = this.#write(index === 0 ? text : `,${text}`, this.#end);
    this.#written.push(message);
  }

  /** @returns where the text ends in the buffer */
  #write(text: string, at: number): number {
    // The exact length costs a pass over the text; ask for it only when the worst case does not fit.
    if (at + text.length * BYTES_PER_UNIT > this.#buffer.length) this.#reserve(at, Buffer.byteLength(text));
    return at + this.#buffer.write(text, at);
  }

  #reserve(used: number, more: number): void {
    const needed = used + more;
    if (needed <= this.#buffer.length) return;
    const grown = Buffer.allocUnsafe(Math.max(SMALLEST_BUFFER, needed + (needed >> 1)));
    this.#buffer.copy(grown, 0, 0, used);
    this.#buffer = grown;
  }
}

function messageJson(message: ChatMessage, index: number): string {
  try {
    return strictJson(message);
  } catch (error) {
    const [reason] = describeThrown(error).split('\n');
    return refuse(`messages[${index}]`, `has no JSON form: ${reason}`);
  }
}

function refuse(where: string, what: string): never {
  throw new OsmosisError('REQUEST_INVALID', `Chat call not sent: ${where} ${what}. Hand over plain JSON values.`);
}
