import { closeSync, openSync, writeSync } from 'node:fs';

/** Parquet's numbers for what is written here. */
const BYTE_ARRAY = 6;
const REQUIRED = 0;
const UTF8 = 0;
const PLAIN = 0;
const RLE = 3;
const ROWS_A_GROUP = 10_000;
const MAGIC = Buffer.from('PAR1');

type Row = Readonly<Record<string, string>>;

/** Writes rows of texts as a Parquet file: one plain page for each column of a row group. Enough for a benchmark. */
export function writeParquet(
  path: string,
  columns: readonly string[],
  count: number,
  rowOf: (index: number) => Row,
): void {
  const file = openSync(path, 'w');
  let offset = 0;
  const write = (bytes: Buffer): void => void (offset += writeSync(file, bytes));
  write(MAGIC);
  const groups: Buffer[] = [];
  for (let from = 0; from < count; from += ROWS_A_GROUP) {
    const rows = Array.from({ length: Math.min(ROWS_A_GROUP, count - from) }, (_, index) => rowOf(from + index));
    const start = offset;
    const chunks = columns.map((name) => {
      const data = Buffer.concat(rows.map((row) => text(row[name] ?? '')));
      const header = pageHeader(data.length, rows.length);
      const at = offset;
      write(header);
      write(data);
      return struct([2, i64(at)], [3, columnMeta(name, rows.length, header.length + data.length, at)]);
    });
    groups.push(struct([1, list(12, chunks)], [2, i64(offset - start)], [3, i64(rows.length)]).bytes);
  }
  const schema = [
    struct([4, binary('schema')], [5, i32(columns.length)]),
    ...columns.map((name) => struct([1, i32(BYTE_ARRAY)], [3, i32(REQUIRED)], [4, binary(name)], [6, i32(UTF8)])),
  ];
  const all = groups.map((bytes) => ({ type: 12, bytes }));
  const footer = struct([1, i32(1)], [2, list(12, schema)], [3, i64(count)], [4, list(12, all)]).bytes;
  const length = Buffer.alloc(4);
  length.writeUInt32LE(footer.length);
  for (const bytes of [footer, length, MAGIC]) write(bytes);
  closeSync(file);
}

function text(value: string): Buffer {
  const bytes = Buffer.from(value);
  const length = Buffer.alloc(4);
  length.writeUInt32LE(bytes.length);
  return Buffer.concat([length, bytes]);
}

function pageHeader(size: number, values: number): Buffer {
  const data = struct([1, i32(values)], [2, i32(PLAIN)], [3, i32(RLE)], [4, i32(RLE)]);
  return struct([1, i32(0)], [2, i32(size)], [3, i32(size)], [5, data]).bytes;
}

function columnMeta(name: string, values: number, size: number, offset: number): Value {
  return struct(
    [1, i32(BYTE_ARRAY)],
    [2, list(5, [i32(PLAIN)])],
    [3, list(8, [binary(name)])],
    [4, i32(0)],
    [5, i64(values)],
    [6, i64(size)],
    [7, i64(size)],
    [9, i64(offset)],
  );
}

/** A value of Thrift's compact protocol. */
interface Value {
  readonly type: number;
  readonly bytes: Buffer;
}

function varint(value: number): Buffer {
  const bytes: number[] = [];
  let left = BigInt(value);
  for (; left > 127n; left >>= 7n) bytes.push(Number(left & 127n) | 128);
  return Buffer.from([...bytes, Number(left)]);
}

/** Zigzag; only for values that are not negative. */
const i32 = (value: number): Value => ({ type: 5, bytes: varint(value * 2) });
const i64 = (value: number): Value => ({ type: 6, bytes: varint(value * 2) });

function binary(value: string): Value {
  const bytes = Buffer.from(value);
  return { type: 8, bytes: Buffer.concat([varint(bytes.length), bytes]) };
}

function list(type: number, items: readonly Value[]): Value {
  const head =
    items.length < 15
      ? Buffer.from([(items.length << 4) | type])
      : Buffer.concat([Buffer.from([0xf0 | type]), varint(items.length)]);
  return { type: 9, bytes: Buffer.concat([head, ...items.map(({ bytes }) => bytes)]) };
}

function struct(...fields: readonly (readonly [id: number, value: Value])[]): Value {
  let last = 0;
  const parts = fields.flatMap(([id, { type, bytes }]) => {
    const head = Buffer.from([((id - last) << 4) | type]);
    last = id;
    return [head, bytes];
  });
  return { type: 12, bytes: Buffer.concat([...parts, Buffer.from([0])]) };
}
