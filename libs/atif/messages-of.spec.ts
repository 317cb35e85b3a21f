import * as fc from 'fast-check';
import type { ChatMessage } from '#domain';
import { atifFaults } from './check/atif-faults.js';
import { documentLine, documentText } from './document-json.js';
import type { AtifDocument } from './document.js';
import { aRollout } from './fixtures/a-rollout.js';
import { messagesOf, rolloutIdOf } from './messages-of.js';
import { trajectoryDocument } from './trajectory-document.js';

function documentOf(messages: readonly ChatMessage[]): AtifDocument {
  const document = trajectoryDocument(aRollout(messages)) as AtifDocument;
  expect(atifFaults(document)).toEqual([]);
  return document;
}

const text = fc.string({ unit: 'grapheme' });
const id = fc.string({ minLength: 1, maxLength: 8 });
const args = fc.dictionary(
  text.filter((key) => key !== '__proto__' && key !== '_raw'),
  fc.jsonValue({ maxDepth: 2 }),
  { maxKeys: 3 },
);

/** What a model's turn looks like, with the results of all its calls. */
const turn: fc.Arbitrary<ChatMessage[]> = fc
  .record({
    content: text,
    reasoning_content: fc.option(text, { nil: undefined }),
    calls: fc.uniqueArray(fc.tuple(id, id, args, text), { selector: ([callId]) => callId, maxLength: 3 }),
  })
  .map(({ content, reasoning_content, calls }) => [
    {
      role: 'assistant',
      content,
      ...(reasoning_content === undefined ? {} : { reasoning_content }),
      ...(calls.length === 0
        ? {}
        : {
            tool_calls: calls.map(([callId, name, given]) => ({
              id: callId,
              type: 'function',
              function: { name, arguments: JSON.stringify(given) },
            })),
          }),
    },
    ...calls.map(([callId, , , result]) => ({ role: 'tool', content: result, tool_call_id: callId })),
  ]);

const said: fc.Arbitrary<ChatMessage[]> = fc
  .record({ role: fc.constantFrom('system', 'user', 'critic'), content: text })
  .map((message) => [message]);

const conversation = fc.array(fc.oneof(said, turn), { minLength: 1, maxLength: 8 }).map((parts) => parts.flat());

/** Anything that may lie in a list of messages: odd roles, contents, calls, ids and times. */
const oddCall = fc.oneof(
  fc.anything(),
  fc.record({ id: fc.anything(), function: fc.record({ name: fc.anything(), arguments: fc.anything() }) }),
);
const oddMessage = fc.record(
  {
    role: fc.oneof(fc.constantFrom('system', 'developer', 'user', 'assistant', 'tool', 'function'), fc.anything()),
    content: fc.anything({ withBigInt: true, withDate: true, withMap: true, withSparseArray: true }),
    tool_calls: fc.oneof(fc.array(oddCall), fc.anything()),
    tool_call_id: fc.oneof(fc.constantFrom('call_0', 'call_1'), fc.anything()),
    reasoning_content: fc.anything(),
    usage: fc.oneof(fc.record({ prompt_tokens: fc.anything(), cached_tokens: fc.anything() }), fc.anything()),
    created_at: fc.anything(),
    model: fc.anything(),
    extra: fc.anything(),
  },
  { requiredKeys: [] },
) as fc.Arbitrary<ChatMessage>;

describe('a conversation, its document, and back', () => {
  it('is the same conversation', () => {
    fc.assert(
      fc.property(conversation, (messages) => {
        const document = documentOf(messages);
        expect(messagesOf(document)).toEqual(messages);
        expect(messagesOf(JSON.parse(documentText(document)) as AtifDocument)).toEqual(messages);
      }),
      { numRuns: 300 },
    );
  });

  it('whatever the messages are: the document is valid, has a JSON form, and does not change any more', () => {
    fc.assert(
      fc.property(fc.array(oddMessage, { minLength: 1, maxLength: 6 }), (messages) => {
        const document = documentOf(messages);
        const written = JSON.parse(documentText(document)) as AtifDocument;
        expect(atifFaults(written)).toEqual([]);
        expect(JSON.parse(documentLine(document))).toEqual(written);
        const back = messagesOf(written);
        expect(messagesOf(documentOf(back))).toEqual(back);
      }),
      { numRuns: 500 },
    );
  });
});

describe('spec 0.3, 2.7', () => {
  it('arguments that are no JSON come back as the model wrote them', () => {
    const tool_calls = [{ id: 'c', type: 'function', function: { name: 'f', arguments: '{"a": 1' } }];
    const messages = [{ role: 'assistant', content: '', tool_calls }];
    expect(messagesOf(documentOf(messages))).toEqual(messages);
  });

  it.each<[object, string | null]>([
    [{ extra: { osmosis: { rollout_id: 'a' } }, session_id: 'b' }, 'a'],
    [{ session_id: 'b', trajectory_id: 'c/1' }, 'b'],
    [{ trajectory_id: 'c/1' }, 'c'],
    [{ trajectory_id: 'c' }, null],
    [{ extra: { osmosis: 5 } }, null],
    [{}, null],
  ])('%j is the document of %p', (fields, rolloutId) => {
    expect(rolloutIdOf(fields as AtifDocument)).toBe(rolloutId);
  });
});
