import fc from 'fast-check';
import { anyJson, ANY_TYPE, NUMBERS } from '../corpus/values.js';

/** JSON numbers only: what Python and JavaScript read alike. */
const numbers = fc.constantFrom(
  ...NUMBERS.filter((text) => /^-?(0|[1-9]\d*)(\.\d+)?(e[-+]?\d+)?$/i.test(text) && Number.isFinite(Number(text))),
);
const doubles = fc.double({ noNaN: true, noDefaultInfinity: true }).map((value) => JSON.stringify(value));
const integers = fc.oneof(fc.integer(), fc.maxSafeInteger()).map(String);
const strings = fc
  .string({
    unit: fc.constantFrom('a', '"', '\\', '\n', '\u007f', '\u0000', 'é', '😀', '\ud800', '\u2028', '1', '.0', ' '),
  })
  .map((text) => JSON.stringify(text));

const value = fc.oneof(
  { weight: 3, arbitrary: anyJson },
  { weight: 2, arbitrary: fc.constantFrom(...ANY_TYPE) },
  { weight: 2, arbitrary: fc.oneof(numbers, doubles, integers) },
  { weight: 2, arbitrary: strings },
  {
    weight: 1,
    arbitrary: fc
      .array(fc.oneof(numbers, doubles, strings), { maxLength: 4 })
      .map((elements) => `[${elements.join(', ')}]`),
  },
);

/** An object of some of these fields, in any order. */
function objectOf(fields: Readonly<Record<string, fc.Arbitrary<string>>>): fc.Arbitrary<string> {
  const entries = Object.entries(fields).map(([name, json]) => json.map((text) => `${JSON.stringify(name)}: ${text}`));
  return fc
    .tuple(fc.tuple(...entries), fc.shuffledSubarray(entries.map((_, index) => index)))
    .map(([texts, chosen]) => `{${chosen.map((index) => texts[index]).join(', ')}}`);
}

const damaged = fc
  .tuple(
    anyJson,
    fc.nat(40),
    fc.constantFrom('', '"', '{', '}', ',', ':', '\\', 'x', ' ', '\n', 'NaN', '\\u12', 'é', '\ufeff'),
    fc.boolean(),
  )
  .map(([text, at, insert, cut]) => text.slice(0, at) + insert + (cut ? '' : text.slice(at)));

/** The arguments of a call as a model writes them: JSON as text, mostly. */
const toolArguments = fc.oneof(
  {
    weight: 4,
    arbitrary: fc
      .oneof(objectOf({ a: value, b: value, 'é"': value }), value, damaged)
      .map((text) => JSON.stringify(text)),
  },
  { weight: 1, arbitrary: value },
);

const toolCall = objectOf({
  id: fc.oneof(strings, fc.constantFrom('null', '1')),
  type: fc.constant('"function"'),
  function: fc.oneof(
    { weight: 6, arbitrary: objectOf({ name: fc.oneof(strings, fc.constant('null')), arguments: toolArguments }) },
    { weight: 1, arbitrary: fc.constant('null') },
  ),
});

/** Arguments that both take or both refuse: what they make of the rest is compared call by call. */
const plainArguments = fc.oneof(
  { weight: 4, arbitrary: objectOf({ a: value, b: value }).map((text) => JSON.stringify(text)) },
  { weight: 3, arbitrary: objectOf({ a: value, b: value }) },
  { weight: 1, arbitrary: fc.constantFrom('"{broken"', '"[]"', 'null', '"\\u0000"') },
);
const plainCall = objectOf({ id: strings, function: objectOf({ name: strings, arguments: plainArguments }) });

const roles = fc.oneof(
  fc.constantFrom('"user"', '"assistant"', '"tool"', '"system"', '"User"', '""', '"__proto__"', '"constructor"'),
  value,
);
const message = objectOf({
  role: roles,
  content: fc.oneof(strings, value),
  tool_calls: fc.oneof(
    value,
    fc.array(toolCall, { maxLength: 3 }).map((calls) => `[${calls.join(', ')}]`),
  ),
});

const twoStrings = fc.tuple(strings, strings).map((both) => `[${both.join(', ')}]`);

/** For each helper of spec 5 the JSON texts of its inputs. */
export const HELPER_INPUTS: Readonly<Record<string, fc.Arbitrary<string>>> = {
  serializeToolResult: value,
  parseToolArguments: toolArguments,
  getToolCallInfo: toolCall,
  executeToolCalls: fc.oneof(
    { weight: 1, arbitrary: fc.constant('null') },
    { weight: 9, arbitrary: fc.array(plainCall, { maxLength: 4 }).map((calls) => `[${calls.join(', ')}]`) },
  ),
  normalizeStop: fc.oneof(
    value,
    fc.array(value, { maxLength: 4 }).map((words) => `[${words.join(', ')}]`),
  ),
  parseToolCalls: message,
  getMessageContent: message,
  getMessageRole: message,
  isAssistantMessage: message,
  isToolMessage: message,
  isUserMessage: message,
  countMessagesByRole: fc.array(message, { maxLength: 6 }).map((messages) => `[${messages.join(', ')}]`),
  createToolResult: twoStrings,
  createToolErrorResult: twoStrings,
};
