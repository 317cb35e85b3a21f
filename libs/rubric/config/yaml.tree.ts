import type * as Yaml from 'yaml';
import type { Alias, Document, LineCounter, ParsedNode } from 'yaml';
import { onDemand } from '#domain';
import { RubricFileError, type FileProblem } from './file.problem.js';

/** Loaded with the first file: seventy modules, which a server without rubric files does not need. */
const yaml = onDemand<typeof Yaml>('yaml');

/** A place in a file; both count from 1. */
export interface Place {
  readonly line: number;
  readonly column: number;
}

export interface YamlScalar extends Place {
  readonly kind: 'scalar';
  readonly value: unknown;
}

export interface YamlList extends Place {
  readonly kind: 'list';
  readonly items: readonly YamlNode[];
}

export interface YamlMap extends Place {
  readonly kind: 'map';
  /** In the order of the file, own keys before merged ones. */
  readonly entries: ReadonlyMap<string, YamlEntry>;
}

export interface YamlEntry extends Place {
  readonly node: YamlNode;
}

/** A YAML value whose every part knows its place; aliases and merge keys are resolved. */
export type YamlNode = YamlScalar | YamlList | YamlMap;

/** More than any honest file holds; what a chain of aliases of aliases grows into is stopped here (case YM-04). */
const MOST_NODES = 200_000;
const MERGE_KEY = '<<';

/**
 * Reads all documents of a file, by YAML 1.2: `no` and `on` are text (case YM-02), a key twice is an error (YM-01), of
 * merged maps the first wins (YM-06).
 *
 * @returns one node a document; null for an empty one
 * @throws RubricFileError with every syntax error and its place
 */
export function readYaml(text: string, path: string): (YamlNode | null)[] {
  const lineCounter = new (yaml().LineCounter)();
  const parsed = yaml().parseAllDocuments(text, { lineCounter, version: '1.2', prettyErrors: false, uniqueKeys: true });
  const documents = Array.isArray(parsed) ? parsed : [];
  const problems = documents.flatMap((document) =>
    document.errors.map((error): FileProblem => {
      const { line, col } = lineCounter.linePos(error.pos[0]);
      return { line, column: col, message: error.message.replace(/\.?$/, '') };
    }),
  );
  if (problems.length > 0) throw new RubricFileError(path, problems);
  return documents.map((document) => new TreeBuilder(document, lineCounter, path).build());
}

class TreeBuilder {
  private count = 0;
  private readonly open = new Set<object>();
  private readonly targets = new Map<Alias, object>();

  constructor(
    private readonly document: Document.Parsed,
    private readonly lines: LineCounter,
    private readonly path: string,
  ) {}

  build(): YamlNode | null {
    const contents = this.document.contents;
    if (!contents || (yaml().isScalar(contents) && contents.value === null)) return null;
    return this.node(contents, this.placeOf(contents));
  }

  private node(source: unknown, fallback: Place): YamlNode {
    const node = source as ParsedNode | null;
    const place = node ? this.placeOf(node) : fallback;
    if (++this.count > MOST_NODES) {
      throw this.error(place, `the aliases expand to more than ${MOST_NODES} values`);
    }
    if (yaml().isAlias(node)) return this.aliased(node, place);
    if (yaml().isMap(node)) return this.guarded(node, place, () => this.map(node.items, place));
    if (yaml().isSeq(node)) {
      const items = node.items as readonly unknown[];
      return this.guarded(node, place, () => ({
        kind: 'list',
        ...place,
        items: items.map((item) => this.node(item, place)),
      }));
    }
    return { kind: 'scalar', ...place, value: yaml().isScalar(node) ? node.value : null };
  }

  /** An aliased value is reported where it is used: that is where the reader looks. */
  private aliased(alias: Alias, place: Place): YamlNode {
    let target = this.targets.get(alias);
    if (!target) {
      // Looks through the whole document, so each alias is asked once however often it is expanded.
      target = alias.resolve(this.document);
      if (!target) throw this.error(place, `there is no anchor &${alias.source} before this alias`);
      this.targets.set(alias, target);
    }
    return { ...this.node(target, place), ...place };
  }

  private map(pairs: readonly { key: unknown; value: unknown }[], place: Place): YamlMap {
    const own = new Map<string, YamlEntry>();
    const merged: YamlMap[] = [];
    for (const pair of pairs) {
      const key = this.key(pair.key, place);
      const node = this.node(pair.value, key.place);
      if (key.name === MERGE_KEY) merged.push(...this.mergeSources(node));
      else own.set(key.name, { ...key.place, node });
    }
    for (const source of merged) {
      for (const [name, entry] of source.entries) if (!own.has(name)) own.set(name, entry);
    }
    return { kind: 'map', ...place, entries: own };
  }

  private mergeSources(node: YamlNode): YamlMap[] {
    const sources = node.kind === 'list' ? node.items : [node];
    return sources.map((source) => {
      if (source.kind === 'map') return source;
      throw this.error(source, 'a merge key (<<) takes a mapping or a list of mappings');
    });
  }

  private key(source: unknown, place: Place): { name: string; place: Place } {
    const node = source as ParsedNode;
    const at = node ? this.placeOf(node) : place;
    if (!yaml().isScalar(node)) throw this.error(at, 'a key must be plain text');
    return { name: String(node.value), place: at };
  }

  /** A value that contains itself through an alias would never end. */
  private guarded(node: object, place: Place, build: () => YamlNode): YamlNode {
    if (this.open.has(node)) throw this.error(place, 'the value contains itself');
    this.open.add(node);
    try {
      return build();
    } finally {
      this.open.delete(node);
    }
  }

  private placeOf(node: { range?: readonly number[] | null }): Place {
    const { line, col } = this.lines.linePos(node.range?.[0] ?? 0);
    return { line, column: col };
  }

  private error(place: Place, message: string): RubricFileError {
    return new RubricFileError(this.path, [{ ...place, message }]);
  }
}

/** The plain value of a node. */
export function toPlain(node: YamlNode): unknown {
  switch (node.kind) {
    case 'scalar':
      return node.value;
    case 'list':
      return node.items.map(toPlain);
    case 'map':
      return Object.fromEntries([...node.entries].map(([key, entry]) => [key, toPlain(entry.node)]));
  }
}
