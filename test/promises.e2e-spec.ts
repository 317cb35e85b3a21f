import { readFileSync } from 'node:fs';
import { join } from 'node:path';

const ROOT = join(__dirname, '..');

/** A list item of the page: a file in backticks, then names in quotes. */
const ITEM = /^- `((?:test|libs)\/[^`]+)`([\s\S]*?)(?=\n\n|\n- |\n#)/gm;
const NAME = /"((?:[^"\\]|\\.)+)"/g;

interface Shown {
  readonly file: string;
  readonly name: string;
}

function testsShown(page: string): Shown[] {
  return [...page.matchAll(ITEM)].flatMap(([, file = '', names = '']) =>
    [...names.replace(/\s+/g, ' ').matchAll(NAME)].map(([, name = '']) => ({
      file,
      name: name.replaceAll('\\"', '"'),
    })),
  );
}

describe('docs/promises.md', () => {
  const page = readFileSync(join(ROOT, 'docs/promises.md'), 'utf8');
  const shown = testsShown(page);

  it('names the tests of every promise', () => {
    expect(shown.length).toBeGreaterThan(40);
    const promises = page.slice(0, page.indexOf('## Not promised')).split(/^### /m).slice(1);
    for (const promise of promises) expect(testsShown(`${promise}\n\n`)).not.toEqual([]);
  });

  it.each(shown)('$file has the test "$name"', ({ file, name }) => {
    const source = readFileSync(join(ROOT, file), 'utf8');
    expect(["'", '"', '`'].some((quote) => source.includes(`${quote}${name}${quote}`))).toBe(true);
  });
});
