import { AgentNotFoundError, TransportError } from './errors.js';
import { ERROR_TABLE, EXIT, OsmosisError, type ErrorCode } from './osmosis.error.js';

const codes = Object.keys(ERROR_TABLE) as ErrorCode[];

describe('ERROR_TABLE', () => {
  it.each(codes)('%s has an HTTP status, an exit code of the list, and what an error of it says of itself', (code) => {
    const { httpStatus, exitCode, failureClass, retryable } = ERROR_TABLE[code];
    expect(httpStatus).toBeGreaterThanOrEqual(400);
    expect(httpStatus).toBeLessThan(600);
    expect(Object.values(EXIT)).toContain(exitCode);
    expect(exitCode).not.toBe(EXIT.ok);
    expect(failureClass).toMatch(/^[a-z]+$/);
    expect(new OsmosisError(code, 'text')).toMatchObject({ code, httpStatus, exitCode, retryable });
  });

  it('gives every exit code one meaning', () => {
    expect(new Set(Object.values(EXIT)).size).toBe(Object.keys(EXIT).length);
  });

  it.each([
    ['UNAUTHORIZED', 401],
    ['BODY_UNREADABLE', 400],
    ['REQUEST_INVALID', 422],
    ['DUPLICATE_CONFLICT', 409],
    ['BODY_TOO_LARGE', 413],
    ['OVERLOADED', 429],
    ['DRAINING', 503],
  ] as const)('answers %s with the status that trainers know: %d', (code, status) => {
    expect(ERROR_TABLE[code].httpStatus).toBe(status);
  });

  it('never blames the agent for what the trainer, the judge or the clock did', () => {
    const blame = { TRANSPORT: 'transport', PROTOCOL: 'model', JUDGE_FAILED: 'judge', DEADLINE: 'deadline' } as const;
    for (const [code, failureClass] of Object.entries(blame)) {
      expect(ERROR_TABLE[code as keyof typeof blame].failureClass).toBe(failureClass);
    }
  });
});

describe('OsmosisError', () => {
  it('12.2: is an Error whose text is its message and whose name is its class', () => {
    const error = new TransportError('no route to host');
    expect(error).toBeInstanceOf(OsmosisError);
    expect(error).toBeInstanceOf(Error);
    expect(error.message).toBe('no route to host');
    expect(String(error)).toBe('TransportError: no route to host');
  });

  it('carries cause and details, and may know better than the table whether a retry helps', () => {
    const cause = new Error('inner');
    const error = new OsmosisError('INTERNAL', 'text', { cause, retryable: true, details: { id: 7 } });
    expect(error).toMatchObject({ cause, retryable: true, details: { id: 7 } });
    const plain = new OsmosisError('INTERNAL', 'text');
    expect(plain.details).toEqual({});
    expect('cause' in plain).toBe(false);
  });

  describe('is', () => {
    it('knows its own kind', () => {
      expect(OsmosisError.is(new AgentNotFoundError('a', []))).toBe(true);
    });

    it.each([[new Error('foreign')], [{ code: 'INTERNAL' }], ['INTERNAL'], [null], [undefined]])(
      'and not %p',
      (other) => {
        expect(OsmosisError.is(other)).toBe(false);
      },
    );

    it('recognises errors of a second copy of the package, which instanceof does not', async () => {
      await jest.isolateModulesAsync(async () => {
        const copy = await import('./osmosis.error.js');
        const error = new copy.OsmosisError('DEADLINE', 'too late');
        expect(error).not.toBeInstanceOf(OsmosisError);
        expect(OsmosisError.is(error)).toBe(true);
        expect(copy.OsmosisError.is(new OsmosisError('DEADLINE', 'too late'))).toBe(true);
      });
    });
  });
});
