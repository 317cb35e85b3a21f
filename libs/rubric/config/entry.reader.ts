import { blankFields } from './blank.keys.js';
import type { FileProblem } from './file.problem.js';
import type { ParsedItem, RubricConfig } from './rubric.suite.js';
import { mergeModelInfo, readModelInfo } from './model.info.reader.js';
import { describe, given, scalar, type ProblemList } from './problem.list.js';
import { toPlain, type Place, type YamlMap } from './yaml.tree.js';

/** What a document gives to its entries. */
export interface DocumentDefaults {
  readonly modelInfo: YamlMap | null;
  readonly scoreMin: number | null;
  readonly scoreMax: number | null;
  readonly systemPrompt: string | null;
  readonly originalInput: string | null;
  readonly groundTruth: string | null;
}

const ENTRY_KEYS = new Set([
  'id',
  'title',
  'description',
  'rubric',
  'model_info',
  'score_min',
  'score_max',
  'system_prompt',
  'original_input',
  'ground_truth',
]);

export interface ReadEntry {
  readonly config: RubricConfig;
  readonly idPlace: Place;
}

/** Reads one entry; null when it has problems, all of which are then in the list (spec C.1). */
export function readEntry(
  map: YamlMap,
  label: string,
  path: string,
  defaults: DocumentDefaults,
  list: ProblemList,
  alsoKnown: ReadonlySet<string> = new Set(),
): ReadEntry | null {
  const before = list.problems.length;
  const extraInfo = map.entries.get('extra_info');
  if (extraInfo) list.add(extraInfo, "a rubric takes no 'extra_info': that belongs to the records");
  list.unknownKeys(map, new Set([...ENTRY_KEYS, 'extra_info', ...alsoKnown]), `the rubric at ${label}`);
  const id = requiredText(map, 'id', label, list);
  const text = requiredText(map, 'rubric', label, list);
  const modelInfo = entryModelInfo(map, label, defaults, list);
  const scoreMin = list.number(map, 'score_min') ?? defaults.scoreMin;
  const scoreMax = list.number(map, 'score_max') ?? defaults.scoreMax;
  const [low, high] = [scoreMin ?? modelInfo?.scoreMin ?? 0, scoreMax ?? modelInfo?.scoreMax ?? 1];
  if (low >= high) {
    const place = map.entries.get('score_min') ?? map.entries.get('score_max') ?? map;
    list.add(place, `score_min (${low}) must be below score_max (${high})`);
  }
  const config = {
    systemPrompt: list.text(map, 'system_prompt') ?? defaults.systemPrompt,
    originalInput: list.text(map, 'original_input') ?? defaults.originalInput,
    groundTruth: list.text(map, 'ground_truth') ?? defaults.groundTruth,
    sourceLabel: `${path}:${label}`,
    scoreMin,
    scoreMax,
  };
  if (list.problems.length > before || id === null || text === null || modelInfo === null) return null;
  const idPlace = map.entries.get('id')?.node ?? map;
  return { config: { ...config, rubricId: id, rubricText: text, modelInfo }, idPlace };
}

export function toItem(map: YamlMap, label: string, problems: readonly FileProblem[]): ParsedItem {
  return { label, payload: blankFields(toPlain(map) as object), line: map.line, problems };
}

function entryModelInfo(
  map: YamlMap,
  label: string,
  defaults: DocumentDefaults,
  list: ProblemList,
): RubricConfig['modelInfo'] | null {
  const entry = given(map, 'model_info');
  if (entry && entry.node.kind !== 'map') {
    list.add(entry.node, `model_info must be a mapping, not ${describe(entry.node)}`);
    return null;
  }
  const own = entry?.node.kind === 'map' ? entry.node : null;
  const merged = mergeModelInfo(own, defaults.modelInfo);
  if (merged) return readModelInfo(merged, list);
  list.add(map, `the rubric at ${label} has no model_info, and its document no default_model_info`);
  return null;
}

function requiredText(map: YamlMap, key: string, label: string, list: ProblemList): string | null {
  const node = map.entries.get(key)?.node;
  const value = node && scalar(node);
  if (typeof value === 'string' && value.trim() !== '') return value.trim();
  const found = !node ? 'it is missing' : typeof value === 'string' ? 'it is blank' : `it is ${describe(node)}`;
  list.add(node ?? map, `the rubric at ${label} needs ${key}, as text that is not blank; ${found}`);
  return null;
}
