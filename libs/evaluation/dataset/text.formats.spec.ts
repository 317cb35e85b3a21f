import { truncateSync } from 'node:fs';
import { DatasetFiles, jsonl, row, rowsOf } from '../testing/dataset-files.js';

const files = new DatasetFiles();
afterAll(() => files.remove());

const BOM = '\ufeff';

describe('text (cases DS-01, DS-17)', () => {
  it.each([
    ['jsonl', jsonl(row('grüße 😀'))],
    ['json', JSON.stringify([row('grüße 😀')])],
    ['csv', 'user_prompt,system_prompt,ground_truth\ngrüße 😀,s,1\n'],
  ])('DS-01: a byte order mark before %s is not seen', async (format, text) => {
    const [only] = await rowsOf(files.write(`bom.${format}`, BOM + text));
    expect(only?.values).toMatchObject({ user_prompt: 'grüße 😀' });
  });

  it.each([
    ['UTF-16LE', (text: string) => Buffer.from(BOM + text, 'utf16le')],
    ['UTF-16BE', (text: string) => Buffer.from(BOM + text, 'utf16le').swap16()],
  ])('DS-17: %s with a byte order mark is read', async (_name, encode) => {
    const path = files.write('utf16.jsonl', encode(jsonl(row('größe'), row('b'))));
    expect((await rowsOf(path)).map(({ values }) => values['user_prompt'])).toEqual(['größe', 'b']);
  });

  it('DS-17: UTF-16 without a mark is told', async () => {
    const path = files.write('unmarked.jsonl', Buffer.from(jsonl(row('a')), 'utf16le'));
    await expect(rowsOf(path)).rejects.toThrow('looks like UTF-16 without a byte order mark');
  });

  it.each([0, 1, 262_143, 262_144, 600_000])('DS-17: Latin-1 is told with its byte, here %d', async (before) => {
    const head = Buffer.from('x'.repeat(before));
    const path = files.write('latin1.jsonl', Buffer.concat([head, Buffer.from([0xe9, 0x20, 0x20])]));
    await expect(rowsOf(path)).rejects.toThrow(`latin1.jsonl: invalid UTF-8 at byte ${before}.`);
  });

  it('a character cut off by the end of the file is told with its byte', async () => {
    const path = files.write('cut.jsonl', Buffer.concat([Buffer.from('{"a":"'), Buffer.from('€').subarray(0, 2)]));
    await expect(rowsOf(path)).rejects.toThrow('invalid UTF-8 at byte 6');
  });

  it('characters that lie across chunks stay whole', async () => {
    // 262,144 bytes a chunk: at each shift another byte of the euro signs lies on the border.
    for (const shift of ['', 'x', 'xx']) {
      const text = shift + '€'.repeat(200_000);
      const [only] = await rowsOf(files.write('borders.jsonl', jsonl(row(text))));
      expect(only?.values['user_prompt']).toBe(text);
    }
  });
});

describe('JSONL', () => {
  it('DS-03: CRLF, blank lines, white-space lines, no final newline', async () => {
    const [first, second] = [JSON.stringify(row('a')), JSON.stringify(row('b'))];
    const path = files.write('crlf.jsonl', `${first}\r\n\r\n  \r\n${second}`);
    expect((await rowsOf(path)).map(({ index, line }) => [index, line])).toEqual([
      [0, 1],
      [1, 4],
    ]);
  });

  it('DS-03: a final row that was cut off is an error with its place, not a shorter dataset', async () => {
    const path = files.write('cut.jsonl', `${jsonl(row('a'))}{"user_prompt": "b"`);
    await expect(rowsOf(path)).rejects.toThrow(/cut\.jsonl:2:20: bad JSON: Expecting ',' delimiter/);
  });

  it('DS-04: a row without a key is named; later rows keep their own values', async () => {
    const rows = [row('a', '1'), { user_prompt: 'b', system_prompt: 's' }, row('c', '3')];
    const path = files.write('lacking.jsonl', jsonl(...rows));
    await expect(rowsOf(path)).rejects.toThrow('lacking.jsonl:2: row 1: missing ground_truth');
    const [third] = await rowsOf({ path, offset: 2 });
    expect([third?.values['user_prompt'], third?.groundTruth]).toEqual(['c', '3']);
  });

  it.each([
    ['[1]', 'a list'],
    ['"x"', 'text'],
    ['null', 'null'],
    ['17', 'the number 17'],
  ])('Expected object: a line that is %s', async (line, found) => {
    const path = files.write('shape.jsonl', `${line}\n`);
    await expect(rowsOf(path)).rejects.toThrow(`shape.jsonl:1: Expected object, but the line is ${found}`);
  });

  it('DS-13: a key that stands twice is told, also when written differently; the same text deeper is none', async () => {
    const twice = files.write('twice.jsonl', '{"ground_truth":"a","x":{"ground_truth":1},"ground_truth":"b"}\n');
    await expect(rowsOf(twice)).rejects.toThrow('twice.jsonl:1: the key "ground_truth" stands twice in this row');
    const once = files.write('once.jsonl', jsonl(row('a', '1', { x: { user_prompt: 'not this "user_prompt"' } })));
    expect(await rowsOf(once)).toHaveLength(1);
  });

  it('keeps integers that a double cannot hold, as text', async () => {
    const text = JSON.stringify(row('a')).replace('}', ',"id":9007199254740993,"n":123,"f":0.12345678901234568}');
    const [only] = await rowsOf(files.write('ids.jsonl', text));
    expect(only?.values).toMatchObject({ id: '9007199254740993', n: 123, f: 0.12345678901234568 });
  });

  it('DS-16: text that looks like a structure stays text', async () => {
    const metadata = '{"k": [1,2]}';
    const note = 'a | b; c\nd';
    const [only] = await rowsOf(files.write('text.jsonl', jsonl(row('a', '1', { metadata, note }))));
    expect(only?.values).toMatchObject({ metadata, note });
  });
});

describe('large files', () => {
  it('DS-10: the first rows of 700 MB cost what the first rows cost', async () => {
    const path = files.write('large.jsonl', jsonl(row('a'), row('b'), row('c')));
    truncateSync(path, 700_000_000);
    const before = process.memoryUsage().rss;
    expect(await rowsOf({ path, limit: 3 })).toHaveLength(3);
    expect(process.memoryUsage().rss - before).toBeLessThan(100_000_000);
  });

  it('DS-10: a JSON document that is too large is told to become JSONL', async () => {
    const path = files.write('large.json', '[    ');
    truncateSync(path, 300_000_000);
    await expect(rowsOf(path)).rejects.toThrow(
      'a JSON document may have 268435456 characters at most. Turn it into JSONL',
    );
  });

  it('a line that cannot be a row is told', async () => {
    const path = files.write('endless.jsonl', '[    ');
    truncateSync(path, 140_000_000);
    await expect(rowsOf(path)).rejects.toThrow('endless.jsonl:1: the line is longer than');
  });
});

describe('JSON (case DS-12)', () => {
  it('a list of objects', async () => {
    expect(await rowsOf(files.write('list.json', JSON.stringify([row('a'), row('b')], null, 2)))).toHaveLength(2);
  });

  it.each([
    ['object.json', JSON.stringify(row('a')), 'a list of objects is needed, not one object (keys: user_prompt'],
    ['data.json', '{"data":[{"a":1}]}', 'Take the list out: jq .data file.json'],
    ['comma.json', '[\n  {"a":1},\n]', 'comma.json:3:1: bad JSON: Expecting value'],
    ['text.json', '["a"]', 'text.json: row 0: Expected object, but the row is text'],
    ['lines.json', jsonl(row('a'), row('b')), 'This looks like JSONL: call it .jsonl'],
    ['number.json', '5', 'a list of objects is needed, not the number 5'],
  ])('DS-12: %s', async (name, text, message) => {
    await expect(rowsOf(files.write(name, text))).rejects.toThrow(message);
  });
});

describe('CSV', () => {
  const header = 'user_prompt,system_prompt,ground_truth\n';

  it('quoted commas, doubled quotes and line breaks; blank lines are passed over', async () => {
    const path = files.write('quotes.csv', `${header}"a, ""b""\r\nc",s,1\r\n\r\n   \r\nd,s,42\r\n`);
    expect(
      (await rowsOf(path)).map(({ line, values }) => [line, values['user_prompt'], values['ground_truth']]),
    ).toEqual([
      [2, 'a, "b"\r\nc', '1'],
      [6, 'd', '42'],
    ]);
  });

  it.each(['', header])('an empty file has no rows: %j', async (text) => {
    expect(await rowsOf(files.write('empty.csv', text))).toEqual([]);
  });

  it.each([
    ['a,b,a\n1,2,3\n', 'bad.csv:1: the header has the column "a" twice'],
    [`${header}a,s,1,2\n`, 'bad.csv:2: the row has 4 cells, the header 3 columns'],
    [`${header}x,s,1\na,s\n`, 'bad.csv:3: row 1: ground_truth cannot be null'],
    [`${header}x,s,1\n"a,s,1\n`, 'bad.csv:3: bad CSV'],
  ])('%j: %s', async (text, message) => {
    await expect(rowsOf(files.write('bad.csv', text))).rejects.toThrow(message);
  });
});
