/**
 * For each suite, how often each row of docs/compatibility.md explains a difference. A row that is not here explains
 * nothing; docs/interop.md shows the same figures.
 */
export const ROWS = {
  init: {
    'control-characters-in-api-key': 20,
    'control-characters-in-ids': 32,
    'invalid-surrogate-bytes': 17,
    'no-content-type-accepted': 10,
    'unrenderable-422': 127,
  },
  rollout: {
    'api-key-control-characters': 40,
    'invalid-surrogate-bytes': 16,
    'lone-surrogates-in-ids': 16,
    'no-content-type-accepted': 10,
    'rollout-id-control-characters': 44,
    'unrenderable-422': 99,
  },
  helpers: {
    'big-integers': 53,
    'broken-json-words': 319,
    'integral-floats': 108,
    'negative-zero': 24,
    'nested-stop': 227,
    'non-finite-arguments': 2,
    'null-function': 70,
    'null-tool-name': 50,
  },
  exchange: {
    'extra-fields': 21,
    'full-tool-schemas': 4,
    'idempotency-key-header': 196,
    'integral-floats': 2,
    'max-context-tokens': 50,
    'stream-false': 146,
  },
} as const;
