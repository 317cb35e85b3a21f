import { readJsonText, type ToolCall } from '#domain';
import { same } from '../support/wire-answer.js';
import type { Answer, HelperPeer } from './helper-peer.js';
import { asOurNumbers, jsonOf, numberRows } from './number-forms.js';

interface Call {
  readonly helper: string;
  readonly input: string;
  readonly peer: HelperPeer;
}

/** One row of docs/compatibility.md: what it makes of the peer's answer, or null where it has nothing to say. */
type Row = readonly [name: string, rewrite: (answer: Answer, call: Call) => Answer | null | Promise<Answer | null>];

const NON_FINITE = /NaN|-?Infinity/g;
const PLACE = /: line \d+ column \d+ \(char (\d+)\)$/;

const ROWS: readonly Row[] = [
  ['non-finite-arguments', (_answer, call) => withoutNonFinite(call)],
  ['broken-json-words', (answer) => ('throws' in answer ? inOurWords(answer) : null)],
  ['integral-floats', (answer, call) => (typeof argumentsOf(call) === 'number' ? asInteger(answer) : null)],
  ['null-function', (_answer, { helper, input }) => (helper === 'getToolCallInfo' ? withoutFunction(input) : null)],
  ['null-tool-name', (answer, { helper }) => (helper === 'getToolCallInfo' ? withName(answer) : null)],
  ['nested-stop', (answer, call) => (call.helper === 'normalizeStop' ? withJsonWords(answer, call) : null)],
];

/** The rows by which our answer follows from the peer's; none when it does not. */
export async function rowsBetween(call: Call, theirs: Answer, mine: Answer): Promise<readonly string[]> {
  const plain = await rewritten(call, theirs);
  if (same(plain.answer, mine)) return plain.rows;
  const input = asOurNumbers(call.input);
  const numbers = await rewritten({ ...call, input }, await call.peer.ask(call.helper, input));
  return same(numbers.answer, mine) ? [...numberRows(call.input), ...numbers.rows] : [];
}

async function rewritten(call: Call, theirs: Answer): Promise<{ rows: string[]; answer: Answer }> {
  const rows: string[] = [];
  let answer = theirs;
  for (const [row, rewrite] of ROWS) {
    const next = await rewrite(answer, call);
    if (next === null || same(next, answer)) continue;
    rows.push(row);
    answer = next;
  }
  return { rows, answer };
}

function inOurWords(answer: { throws: string; message: string }): Answer {
  const message = answer.message
    .replace('Unexpected UTF-8 BOM (decode using utf-8-sig)', 'Expecting value')
    .replace(PLACE, ': position $1');
  return { ...answer, message };
}

/** What a call has for arguments, where the helper reads them. */
function argumentsOf({ helper, input }: Call): unknown {
  const given: unknown = JSON.parse(input);
  if (helper === 'parseToolArguments') return given;
  return helper === 'getToolCallInfo' ? (given as ToolCall).function?.arguments : undefined;
}

/** For us a literal of Python's own is as good as any other word that is no JSON. */
async function withoutNonFinite(call: Call): Promise<Answer | null> {
  const text = argumentsOf(call);
  if (typeof text !== 'string' || !NON_FINITE.test(text)) return null;
  const word = text.replace(NON_FINITE, (literal) => '@'.repeat(literal.length));
  const answer = await call.peer.ask('parseToolArguments', JSON.stringify(word));
  // Taken all the same: the literal stands inside a text.
  return 'throws' in answer ? answer : null;
}

function asInteger(answer: Answer): Answer | null {
  return 'throws' in answer ? { ...answer, message: answer.message.replace(/got float$/, 'got int') } : null;
}

function withoutFunction(input: string): Answer | null {
  const call = JSON.parse(input) as { id?: unknown; function?: unknown };
  return call.function === null ? { returns: ['id' in call ? call.id : 'unknown', '', {}] } : null;
}

function withName(answer: Answer): Answer | null {
  if ('throws' in answer) return null;
  const [id, name, args] = answer.returns as unknown[];
  return { returns: [id, name ?? '', args] };
}

/** Lists and objects among stop words, as Python itself writes them in JSON. */
async function withJsonWords(answer: Answer, { input, peer }: Call): Promise<Answer | null> {
  const words = readJsonText(input);
  if ('throws' in answer || !Array.isArray(words)) return null;
  const texts = await Promise.all(
    words.map(async (word: unknown, index) => {
      if (typeof word !== 'object' || word === null) return (answer.returns as unknown[])[index];
      const json = await peer.ask('serializeToolResult', jsonOf(word));
      return 'returns' in json ? json.returns : json;
    }),
  );
  return { returns: texts };
}
