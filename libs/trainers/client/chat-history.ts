import { describeThrown, OsmosisError, type ChatMessage } from '#domain';
import { strictJson } from '../transport/index.js';

/** The parts of a chat request around its messages, as JSON text. */
export interface ChatEnvelope {
  readonly model: string;
  /** All fields after `messages`, without braces. */
  readonly tail: string;
}

const EMPTY = Buffer.alloc(0);
const SMALLEST_BUFFER = 1024;
/** Bytes around the tail: `],` and `}`. */
const BRACKETS = 3;
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
  #buffer = EMPTY;
  /** Bytes of the buffer that hold the head and the messages. */
  #end = 0;
  #model = '';
  #written: ChatMessage[] = [];
  /** The tail that was measured last, and its bytes: it is the same from call to call. */
  #tail = '';
  #tailBytes = 0;

  /**
   * The body as a view into the buffer: good until the next call.
   *
   * @throws OsmosisError REQUEST_INVALID naming the message that has no JSON form
   */
  encode(messages: readonly ChatMessage[], envelope: ChatEnvelope): Buffer {
    if (!Array.isArray(messages)) refuse('messages', 'is no list');
    let text = '';
    if (this.#written.length === 0 || envelope.model !== this.#model || !this.#continues(messages)) {
      text = this.#restart(envelope.model);
    }
    // Collected first: each write into the buffer costs as much as serialising a short message.
    let known = this.#written.length;
    for (let index = known; index < messages.length; index++) {
      const json = messageJson(messages, index);
      text += index === 0 ? json : `,${json}`;
    }
    const end = this.#write(`${text}],${envelope.tail}}`, this.#end);
    this.#end = end - this.#tailBytesOf(envelope.tail);
    // A list that grows by itself would take room for seventeen at once.
    if (known === 0) this.#written = messages.slice() as ChatMessage[];
    else while (known < messages.length) this.#written.push(messages[known++] as ChatMessage);
    return this.#buffer.subarray(0, end);
  }

  #continues(messages: readonly ChatMessage[]): boolean {
    const written = this.#written;
    if (messages.length < written.length) return false;
    for (let index = 0; index < written.length; index++) if (written[index] !== messages[index]) return false;
    return true;
  }

  /** @returns what the body begins with */
  #restart(model: string): string {
    this.#model = model;
    this.#written = [];
    this.#end = 0;
    return `{"model":${model},"messages":[`;
  }

  /** With the brackets around it. */
  #tailBytesOf(tail: string): number {
    if (tail !== this.#tail) {
      this.#tail = tail;
      this.#tailBytes = Buffer.byteLength(tail) + BRACKETS;
    }
    return this.#tailBytes;
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

function messageJson(messages: readonly ChatMessage[], index: number): string {
  const message = messages[index];
  if (typeof message !== 'object' || message === null || Array.isArray(message)) {
    refuse(`messages[${index}]`, 'is no object');
  }
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
