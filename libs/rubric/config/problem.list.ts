import type { FileProblem } from './file.problem.js';
import type { Place, YamlEntry, YamlMap, YamlNode } from './yaml.tree.js';

/** Collects what is wrong while a file is read, so that one run reports all of it. */
export class ProblemList {
  readonly problems: FileProblem[] = [];
  readonly warnings: FileProblem[] = [];

  add(place: Place, message: string): void {
    this.problems.push({ line: place.line, column: place.column, message });
  }

  warn(place: Place, message: string): void {
    this.warnings.push({ line: place.line, column: place.column, message });
  }

  /** A number, or null for an absent or null one. Booleans and numeric texts are no numbers. */
  number(map: YamlMap, key: string): number | null {
    const entry = given(map, key);
    if (!entry) return null;
    const value = scalar(entry.node);
    if (typeof value === 'number' && Number.isFinite(value)) return value;
    this.add(entry.node, `${key} must be a number, not ${describe(entry.node)}`);
    return null;
  }

  /** Text that is not blank, trimmed, or null for an absent or null one. */
  text(map: YamlMap, key: string): string | null {
    const entry = given(map, key);
    if (!entry) return null;
    const value = scalar(entry.node);
    if (typeof value === 'string') return value.trim() || null;
    this.add(entry.node, `${key} must be text, not ${describe(entry.node)}`);
    return null;
  }

  unknownKeys(map: YamlMap, known: ReadonlySet<string>, what: string): void {
    for (const [key, entry] of map.entries) {
      if (known.has(key)) continue;
      this.warn(entry, `unknown key '${key}' in ${what} is ignored. Known: ${[...known].join(', ')}`);
    }
  }
}

/** The entry of a key, unless it is absent or null: an explicit null is as good as nothing (weakness H 8). */
export function given(map: YamlMap, key: string): YamlEntry | undefined {
  const entry = map.entries.get(key);
  return entry && scalar(entry.node) !== null ? entry : undefined;
}

export function scalar(node: YamlNode): unknown {
  return node.kind === 'scalar' ? node.value : undefined;
}

export function describe(node: YamlNode): string {
  if (node.kind === 'list') return 'a list';
  if (node.kind === 'map') return 'a mapping';
  const { value } = node;
  if (value === null) return 'nothing';
  return typeof value === 'string' ? `the text '${value.slice(0, 40)}'` : JSON.stringify(value);
}
