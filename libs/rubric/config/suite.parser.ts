import { RubricFileError } from './file.problem.js';
import { readEntry, toItem, type DocumentDefaults } from './entry.reader.js';
import { describe, given, ProblemList, scalar } from './problem.list.js';
import { RubricSuite, type ParsedItem, type ParsedRubrics, type RubricConfig } from './rubric.suite.js';
import { readTextFile } from './text.file.js';
import { readYaml, type Place, type YamlMap, type YamlNode } from './yaml.tree.js';

const SUPPORTED_VERSION = 1;
const DOCUMENT_KEYS = new Set([
  'version',
  'default_model_info',
  'default_score_min',
  'default_score_max',
  'default_system_prompt',
  'default_original_input',
  'default_ground_truth',
  'default_extra_info',
  'rubrics',
]);
/** Never searched for entries, whatever they hold (weakness H 8). */
const NO_CONTAINERS = /^(default_.*|model_info)$/;

const SHAPE = 'Expected: version: 1, then rubrics: with a list of entries that have id, rubric and model_info';

/** Reads a rubric file strictly. @throws RubricFileError with every problem, or when there is no entry */
export async function loadRubricSuite(path: string): Promise<RubricSuite> {
  const { suite, problems } = parseRubrics(await readTextFile(path), path);
  if (problems.length > 0) throw new RubricFileError(path, problems);
  if (suite.configs.size === 0) throw RubricFileError.at(path, `no rubric entries. ${SHAPE}`);
  return suite;
}

/**
 * Reads what there is, and says what is wrong with the rest.
 *
 * @throws RubricFileError only for text that is no YAML
 */
export function parseRubrics(text: string, path: string): ParsedRubrics {
  return new SuiteParser(path).parse(readYaml(text, path));
}

class SuiteParser {
  private readonly list = new ProblemList();
  private readonly items: ParsedItem[] = [];
  private readonly configs = new Map<string, RubricConfig>();
  private readonly idPlaces = new Map<string, Place>();
  private version: { value: number; place: Place } | null = null;

  constructor(private readonly path: string) {}

  parse(documents: readonly (YamlNode | null)[]): ParsedRubrics {
    documents.forEach((root, index) => {
      if (root) this.document(root, `document[${index}]`);
    });
    return {
      suite: new RubricSuite(this.path, this.version?.value ?? null, this.configs),
      items: this.items,
      problems: this.list.problems,
      warnings: this.list.warnings,
    };
  }

  private document(root: YamlNode, label: string): void {
    const before = this.items.length;
    const defaults = root.kind === 'map' ? this.defaults(root) : NO_DEFAULTS;
    if (root.kind === 'map') this.readVersion(root);
    const isEntry = root.kind === 'map' && root.entries.has('rubric');
    if (isEntry) this.entry(root, label, defaults, DOCUMENT_KEYS);
    else this.walk(root, label, defaults);
    const found = this.items.length > before;
    if (root.kind === 'scalar') this.list.add(root, `found ${describe(root)} where rubrics should be. ${SHAPE}`);
    else if (!found) this.list.add(root, `no rubric entries. ${SHAPE}`);
    if (root.kind === 'map' && !isEntry) this.warnOfTypos(root);
  }

  private readVersion(map: YamlMap): void {
    const entry = given(map, 'version');
    if (!entry) return;
    const value = scalar(entry.node);
    if (typeof value !== 'number' || !Number.isInteger(value) || value < 0) {
      this.list.add(entry.node, `version must be a whole number, not ${describe(entry.node)}`);
    } else if (this.version && this.version.value !== value) {
      const { value: first, place } = this.version;
      this.list.add(entry.node, `version ${value} differs from version ${first} on line ${place.line}`);
    } else if (value !== SUPPORTED_VERSION) {
      this.list.add(entry.node, `version ${value} is unsupported. Supported: ${SUPPORTED_VERSION}`);
    } else {
      this.version ??= { value, place: entry.node };
    }
  }

  private defaults(map: YamlMap): DocumentDefaults {
    const extraInfo = map.entries.get('default_extra_info');
    if (extraInfo) this.list.add(extraInfo, "there is no 'default_extra_info': that belongs to the records");
    const modelInfo = given(map, 'default_model_info')?.node ?? null;
    if (modelInfo && modelInfo.kind !== 'map') {
      this.list.add(modelInfo, `default_model_info must be a mapping, not ${describe(modelInfo)}`);
    }
    return {
      modelInfo: modelInfo?.kind === 'map' ? modelInfo : null,
      scoreMin: this.list.number(map, 'default_score_min'),
      scoreMax: this.list.number(map, 'default_score_max'),
      systemPrompt: this.list.text(map, 'default_system_prompt'),
      originalInput: this.list.text(map, 'default_original_input'),
      groundTruth: this.list.text(map, 'default_ground_truth'),
    };
  }

  /** Depth first. A mapping with a `rubric` is an entry; other mappings and lists are searched. */
  private walk(node: YamlNode, label: string, defaults: DocumentDefaults): void {
    if (node.kind === 'list') {
      node.items.forEach((item, index) => this.walk(item, `${label}[${index}]`, defaults));
      return;
    }
    if (node.kind === 'scalar') return;
    if (node.entries.has('rubric')) {
      this.entry(node, label, defaults);
      return;
    }
    for (const [key, entry] of node.entries) {
      if (!NO_CONTAINERS.test(key)) this.walk(entry.node, key, defaults);
    }
  }

  /** @param alsoKnown keys that are no entry's own, and right here all the same */
  private entry(map: YamlMap, label: string, defaults: DocumentDefaults, alsoKnown?: ReadonlySet<string>): void {
    const before = this.list.problems.length;
    const read = readEntry(map, label, this.path, defaults, this.list, alsoKnown);
    this.items.push(toItem(map, label, this.list.problems.slice(before)));
    if (!read) return;
    const { config, idPlace } = read;
    const first = this.idPlaces.get(config.rubricId);
    if (first) {
      this.list.add(idPlace, `rubric id '${config.rubricId}' is used twice, first on line ${first.line}`);
      return;
    }
    this.idPlaces.set(config.rubricId, idPlace);
    this.configs.set(config.rubricId, config);
  }

  /** `rubic: …` would otherwise vanish without a word (case YM-10). */
  private warnOfTypos(map: YamlMap): void {
    for (const [key, entry] of map.entries) {
      if (DOCUMENT_KEYS.has(key) || entry.node.kind !== 'scalar') continue;
      this.list.warn(entry, `unknown key '${key}' is ignored. ${SHAPE}`);
    }
  }
}

const NO_DEFAULTS: DocumentDefaults = {
  modelInfo: null,
  scoreMin: null,
  scoreMax: null,
  systemPrompt: null,
  originalInput: null,
  groundTruth: null,
};
