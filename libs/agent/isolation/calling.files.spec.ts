import { runInThisContext } from 'node:vm';
import { pathToFileURL } from 'node:url';
import { callingFiles } from './calling.files.js';

/** A decorator that notes where it was applied. */
function Noting(): MethodDecorator & { files: readonly string[] } {
  const decorate = Object.assign(() => void (decorate.files = callingFiles(decorate)), {
    files: [] as readonly string[],
  });
  return decorate;
}

const here = pathToFileURL(__filename).href;

describe('callingFiles', () => {
  it('tells the file of a decorated class first, and leaves the decorator itself out', () => {
    const noting = Noting();
    class Tools {
      @noting
      add(): void {}
    }
    expect(Tools.prototype.add).toBeDefined();
    expect(noting.files[0]).toBe(here);
  });

  it('does not count functions on the way, such as the helpers that apply decorators', () => {
    const noting = Noting();
    Reflect.decorate([noting], class {}.prototype, 'add', {});
    expect(noting.files[0]).toBe(here);
    expect(noting.files.filter((file) => file.includes('reflect-metadata'))).toEqual([]);
  });

  it('gives file URLs that can be imported again, and no others', () => {
    const noting = Noting();
    noting({}, 'add', {});
    expect(noting.files.length).toBeGreaterThan(0);
    for (const file of noting.files) expect(new URL(file).protocol).toBe('file:');
  });

  it('works where stack traces are switched off or rewritten, and leaves that as it was', () => {
    const { prepareStackTrace, stackTraceLimit } = Error;
    const rewritten = (): string => 'rewritten';
    try {
      Error.stackTraceLimit = 0;
      Error.prepareStackTrace = rewritten;
      expect(callingFiles(Noting)).toEqual(expect.any(Array));
      const noting = Noting();
      noting({}, 'add', {});
      expect(noting.files[0]).toBe(here);
      expect(Error.stackTraceLimit).toBe(0);
      expect(Error.prepareStackTrace).toBe(rewritten);
    } finally {
      Error.stackTraceLimit = stackTraceLimit;
      Error.prepareStackTrace = prepareStackTrace;
    }
  });

  it('knows nothing of code without a file', () => {
    const apply = runInThisContext('(decorate) => decorate()', { filename: 'made-up' }) as (
      decorate: () => void,
    ) => void;
    const noting = Noting();
    apply(noting as unknown as () => void);
    expect(noting.files).not.toContain('made-up');
  });
});
