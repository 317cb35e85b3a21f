import { inspect } from 'node:util';
import { minimalInit } from '../../../test/support/init-server.js';
import { parseBody } from '../http/body.js';
import { readInitRequest } from './init-request.js';
import { InvalidRequestError, type RequestFault } from '../http/request-fault.js';

const MEBIBYTE = 1_048_576;

function read(fields: Record<string, unknown>, maxMetadataBytes = MEBIBYTE) {
  return readInitRequest(parseBody(Buffer.from(JSON.stringify(fields)), undefined), 'calculator', maxMetadataBytes);
}

function faultsOf(fields: Record<string, unknown>, maxMetadataBytes?: number): readonly RequestFault[] {
  try {
    read(fields, maxMetadataBytes);
    return [];
  } catch (error) {
    if (error instanceof InvalidRequestError) return error.faults;
    throw error;
  }
}

// What one request of each kind gets is in test/init-vectors.e2e-spec.ts.
describe('readInitRequest (spec 12.1)', () => {
  it('fills in the defaults of a minimal body', () => {
    expect(read(minimalInit())).toEqual({
      rolloutId: 'r1',
      agent: 'calculator',
      trainer: { dialect: 'osmosis-v0.2', url: 'http://127.0.0.1:9', apiKey: null },
      messages: [{ role: 'user', content: 'hi' }],
      completionParams: { temperature: 0.5 },
      toolServerUrl: null,
      maxTurns: 10,
      maxTokensTotal: 8192,
      metadata: {},
      idempotencyKey: null,
    });
  });

  it('keeps messages as they came, nulls and unknown fields included', () => {
    const messages = [{ role: 'assistant', content: null, tool_calls: [], vendor: { x: [null] } }];
    expect(read(minimalInit({ messages })).messages).toEqual(messages);
  });

  it('reports the faults in the order of the fields, and the metadata rule only when there are none', () => {
    const fields = { ...minimalInit({ server_url: 'ftp://h', max_turns: 'x', metadata: { d: 'x'.repeat(100) } }) };
    delete fields['messages'];
    expect(faultsOf(fields, 10).map(({ loc }) => loc)).toEqual([
      ['body', 'server_url'],
      ['body', 'messages'],
      ['body', 'max_turns'],
    ]);
    expect(faultsOf(minimalInit({ metadata: { d: 'x'.repeat(100) } }), 10)).toEqual([
      {
        type: 'value_error',
        loc: ['body'],
        msg: 'Value error, metadata size exceeds maximum allowed size of 0MB (10 bytes as JSON)',
      },
    ]);
  });

  it('a raised limit lets larger metadata pass unchanged', () => {
    const metadata = { data: 'x'.repeat(1_500_000), nested: { a: [1] } };
    expect(read(minimalInit({ metadata }), 2 * MEBIBYTE).metadata).toEqual(metadata);
    expect(faultsOf(minimalInit({ metadata }))[0]?.msg).toContain('exceeds maximum allowed size of 1MB');
  });

  it.each(['r1\n[Nest] ERROR fake', '\u001b[2J', 'a\u0000b', 'a\u0085b', 'a\u007f'])(
    'LC-18: refuses the rollout_id %j',
    (id) => {
      expect(faultsOf(minimalInit({ rollout_id: id }))).toMatchObject([
        { type: 'value_error', loc: ['body', 'rollout_id'] },
      ]);
    },
  );

  it('LC-18: refuses half a surrogate pair, blank and long ids', () => {
    const typeOf = (id: string): string | undefined => faultsOf(minimalInit({ rollout_id: id }))[0]?.type;
    expect(typeOf('a\ud83d')).toBe('string_unicode');
    expect(typeOf('   ')).toBe('value_error');
    expect(typeOf('x'.repeat(300))).toBe('string_too_long');
    expect(typeOf('../😀'.repeat(64))).toBeUndefined();
  });

  it('NT-15: trims the api_key, and refuses control characters inside without showing the key', () => {
    expect(read(minimalInit({ api_key: ' tok\r\n' })).trainer.apiKey?.reveal()).toBe('tok');
    expect(read(minimalInit({ api_key: ' ' })).trainer.apiKey).toBeNull();
    const faults = faultsOf(minimalInit({ api_key: 'SECRET-7f3a\r\nX-Evil: 1' }));
    expect(faults).toMatchObject([{ type: 'value_error', loc: ['body', 'api_key'] }]);
    expect(JSON.stringify(faults)).not.toContain('SECRET');
  });

  it('AU-05: the key does not show when the request is printed', () => {
    const request = read(minimalInit({ api_key: 'SECRET-7f3a' }));
    expect(inspect(request, { depth: null }) + JSON.stringify(request)).not.toContain('SECRET');
  });

  it('reads huge integers from the text, because the values cannot tell', () => {
    const body = (number: string) => JSON.stringify(minimalInit()).replace(/}$/, `,"max_turns":${number}}`);
    const parse = (number: string) => readInitRequest(parseBody(Buffer.from(body(number)), undefined), 'a', MEBIBYTE);
    expect(parse('100000000000000000000').maxTurns).toBe(Number.MAX_SAFE_INTEGER);
    expect(() => parse('1e20')).toThrow(InvalidRequestError);
  });
});
