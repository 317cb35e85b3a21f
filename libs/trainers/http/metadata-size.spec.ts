import { parseBody } from './body.js';
import { isJsonObject } from './field-checks.js';
import { exceedsMetadataLimit } from './metadata-size.js';

/** The smallest limit that the metadata, given as JSON text, does not exceed. */
function sizeOf(metadata: string): number {
  const body = parseBody(Buffer.from(`{"metadata":${metadata}}`), undefined);
  const fields = body.fields['metadata'];
  if (!isJsonObject(fields)) throw new Error('metadata is an object');
  let limit = 0;
  while (exceedsMetadataLimit(fields, body, limit)) limit++;
  return limit;
}

describe('exceedsMetadataLimit counts as Python’s json.dumps (spec 1.8)', () => {
  it.each([
    ['{"a":[1,2],"b":{}}', '{"a": [1, 2], "b": {}}'],
    ['{"a":[],"b":[true,false,null]}', '{"a": [], "b": [true, false, null]}'],
    ['{"é":"😀"}', '{"\\u00e9": "\\ud83d\\ude00"}'],
    ['{"a":"\\"\\\\\\n\\t\\u0001\\u007f/"}', '{"a": "\\"\\\\\\n\\t\\u0001\\u007f/"}'],
    ['{"a":5.0}', '{"a": 5.0}'],
    ['{"a":5}', '{"a": 5}'],
    ['{"a":1e15}', '{"a": 1000000000000000.0}'],
    ['{"a":1E16}', '{"a": 1e+16}'],
    ['{"a":100000000000000000000}', '{"a": 100000000000000000000}'],
    ['{"a":1e-7}', '{"a": 1e-07}'],
    ['{"a":-0}', '{"a": 0}'],
    ['{"a":-0.0}', '{"a": -0.0}'],
    ['{"a":[NaN,-Infinity,1e400]}', '{"a": [NaN, -Infinity, Infinity]}'],
  ])('%s', (metadata, python) => {
    expect(sizeOf(metadata)).toBe(python.length);
  });

  it('is skipped for empty metadata', () => {
    expect(sizeOf('{}')).toBe(0);
  });
});
