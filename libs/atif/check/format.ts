import { isoTime } from '../conversation/timestamp.js';
import {
  atLeast,
  finite,
  freeForm,
  integer,
  listOf,
  objectOf,
  oneOf,
  text,
  textOr,
  truth,
  type Shape,
} from './shapes.js';

const timestamp: Shape = (value, path, report) => {
  if (typeof value !== 'string' || isoTime(value) === null) report(path, 'is no ISO 8601 time');
};

const CONTENT_PART = objectOf(
  {
    type: oneOf('text', 'image'),
    text,
    source: objectOf({ media_type: oneOf('image/jpeg', 'image/png', 'image/gif', 'image/webp'), path: text }, [
      'media_type',
      'path',
    ]),
  },
  ['type'],
);
const CONTENT = textOr(listOf(CONTENT_PART));

const TOOL_CALL = objectOf({ tool_call_id: text, function_name: text, arguments: freeForm, extra: freeForm }, [
  'tool_call_id',
  'function_name',
  'arguments',
]);

const SUBAGENT_REF = objectOf({ trajectory_id: text, session_id: text, trajectory_path: text, extra: freeForm });

const RESULT = objectOf({
  source_call_id: text,
  content: CONTENT,
  subagent_trajectory_ref: listOf(SUBAGENT_REF),
  extra: freeForm,
});

const METRICS = objectOf({
  prompt_tokens: integer,
  completion_tokens: integer,
  cached_tokens: integer,
  cost_usd: finite,
  prompt_token_ids: listOf(integer),
  completion_token_ids: listOf(integer),
  logprobs: listOf(finite),
  extra: freeForm,
});

const STEP = objectOf(
  {
    step_id: atLeast(1),
    timestamp,
    source: oneOf('system', 'user', 'agent'),
    model_name: text,
    reasoning_effort: textOr(finite),
    message: CONTENT,
    reasoning_content: text,
    tool_calls: listOf(TOOL_CALL),
    observation: objectOf({ results: listOf(RESULT) }, ['results']),
    metrics: METRICS,
    is_copied_context: truth,
    llm_call_count: atLeast(0),
    extra: freeForm,
  },
  ['step_id', 'source', 'message'],
);

const AGENT = objectOf(
  { name: text, version: text, model_name: text, tool_definitions: listOf(freeForm), extra: freeForm },
  ['name', 'version'],
);

const FINAL_METRICS = objectOf({
  total_prompt_tokens: integer,
  total_completion_tokens: integer,
  total_cached_tokens: integer,
  total_cost_usd: finite,
  total_steps: atLeast(0),
  extra: freeForm,
});

/** The fields and types of a document (spec 0.3, 2.3), without the rules between fields. */
export const DOCUMENT: Shape = objectOf(
  {
    schema_version: oneOf(...Array.from({ length: 8 }, (_, minor) => `ATIF-v1.${minor}`)),
    session_id: text,
    trajectory_id: text,
    agent: AGENT,
    steps: listOf(STEP, 1),
    notes: text,
    final_metrics: FINAL_METRICS,
    continued_trajectory_ref: text,
    extra: freeForm,
    subagent_trajectories: listOf((value, path, report) => DOCUMENT(value, path, report)),
  },
  ['schema_version', 'agent', 'steps'],
);
