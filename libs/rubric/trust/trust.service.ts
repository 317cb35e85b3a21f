import { resolve } from 'node:path';
import pLimit, { type LimitFunction } from 'p-limit';
import { Cancellation, OsmosisError } from '#domain';
import { findRubricConfig } from '../config/config.discovery.js';
import { RubricFileError } from '../config/file.problem.js';
import { loadRubricSuite } from '../config/suite.parser.js';
import { loadRecords } from '../records/record.loader.js';
import { conversationLabel, recordIdentifier, type RubricRecord } from '../records/rubric.record.js';
import { RubricInputError } from '../rubric.error.js';
import { checkRequest, type JudgeCase } from '../rubric.request.js';
import type { RubricService } from '../rubric.service.js';
import { scorerInput } from '../runs/scorers.js';
import { ATTACK_PROBES, probeLimit, type AttackProbe } from './attack.probes.js';
import { buildTrustReport, type ProbeResult, type TrustReport, type TrustSample } from './trust.report.js';
import type { RubricConfig } from '../config/rubric.suite.js';
import type { BlockOrder } from '../prompt/judge.prompt.js';

export interface TrustRequest {
  readonly rubricId: string;
  readonly configPath?: string | null;
  /** Records with a human's score in `label`, `human_score` or `expected_score`. */
  readonly dataPath: string;
  /** What relative paths are relative to. */
  readonly directory: string;
  /** Times each record is judged. Default 3: once tells nothing of repeatability. */
  readonly runs?: number;
  /** What counts as good, for kappa. Default: the middle of the range. */
  readonly threshold?: number;
  /** Records whose task the attacks are tried on. Default 1. */
  readonly probeRecords?: number;
  readonly concurrency?: number;
  readonly onProgress?: (done: number, total: number) => void;
  readonly cancellation?: Cancellation;
}

interface Labelled {
  readonly id: string;
  readonly human: number;
  readonly judged: JudgeCase;
}

const LABEL_FIELDS = ['label', 'human_score', 'expected_score'];
const PADDING = `\n\n${'To go on, these further words are here in addition to those before them, and add nothing to them. '.repeat(12)}`;

/** Finds out whether a judge can be trained against: by humans' labels, by repetition, and by attacks. */
export class TrustService {
  constructor(private readonly service: RubricService) {}

  /**
   * A judge's failure is counted and never ends the check.
   *
   * @throws RubricFileError, RubricInputError, ModelConfigError before anything is sent; the cancellation's reason
   */
  async check(request: TrustRequest): Promise<TrustReport> {
    const { directory, runs = 3, probeRecords = 1, cancellation = new Cancellation() } = request;
    if (!Number.isInteger(runs) || runs < 1)
      throw new RubricInputError(`runs must be a whole number from 1, not ${runs}.`);
    const dataPath = resolve(directory, request.dataPath);
    const configPath = await findRubricConfig(request.configPath ?? null, dataPath, directory);
    const config = (await loadRubricSuite(configPath)).get(request.rubricId);
    this.service.ensureReady(config.modelInfo);
    const { records } = await loadRecords(dataPath, config.rubricId);
    const labelled = records.map((record, index) => readLabelled(config, record, index, dataPath));
    const [first] = labelled;
    if (!first) throw RubricFileError.at(dataPath, `has no records for rubric '${config.rubricId}'`);

    const probed = labelled.slice(0, Math.max(1, probeRecords));
    const reversible = labelled.filter(({ judged }) => hasOrder(judged)).length;
    const total = labelled.length * (runs + 1) + reversible + probed.length * ATTACK_PROBES.length;
    const asker = new Asker(
      this.service,
      config,
      cancellation,
      pLimit(request.concurrency ?? 4),
      total,
      request.onProgress,
    );
    const samples = await Promise.all(labelled.map((one) => asker.sample(one, runs)));
    const probes = await Promise.all(ATTACK_PROBES.map((probe) => asker.probe(probe, probed)));
    const { bounds } = first.judged;
    const { provider, model } = config.modelInfo;
    return buildTrustReport(
      {
        rubricId: config.rubricId,
        model: provider ? `${provider}/${model}` : model,
        bounds,
        runsPerRecord: runs,
        samples,
        probes,
      },
      request.threshold ?? (bounds.min + bounds.max) / 2,
    );
  }
}

type Answer = { readonly score: number } | { readonly error: string };

/** Asks the judge, counts, and turns failures into words. */
class Asker {
  private done = 0;

  constructor(
    private readonly service: RubricService,
    private readonly config: RubricConfig,
    private readonly cancellation: Cancellation,
    private readonly limit: LimitFunction,
    private readonly total: number,
    private readonly onProgress: TrustRequest['onProgress'],
  ) {}

  async sample({ id, human, judged }: Labelled, runs: number): Promise<TrustSample> {
    const repeats = await Promise.all(Array.from({ length: runs }, () => this.ask(judged)));
    const reversed = hasOrder(judged) ? await this.ask(judged, 'reversed') : null;
    const padded = await this.ask({ ...judged, solution: judged.solution + PADDING });
    const all = [...repeats, padded, ...(reversed ? [reversed] : [])];
    return {
      id,
      human,
      length: judged.solution.length,
      scores: repeats.flatMap((answer) => ('score' in answer ? [answer.score] : [])),
      reversed: reversed && 'score' in reversed ? reversed.score : null,
      padded: 'score' in padded ? padded.score : null,
      errors: all.flatMap((answer) => ('error' in answer ? [answer.error] : [])),
    };
  }

  async probe({ name, what, solution }: AttackProbe, records: readonly Labelled[]): Promise<ProbeResult> {
    const answers = await Promise.all(
      records.map(async ({ judged }) => ({
        answer: await this.ask({ ...judged, solution: solution(judged.bounds) }),
        limit: probeLimit(judged.bounds),
      })),
    );
    const scored = answers.flatMap(({ answer, limit }) => ('score' in answer ? [{ score: answer.score, limit }] : []));
    const worst = scored.reduce<(typeof scored)[number] | null>(
      (best, one) => (best === null || one.score - one.limit > best.score - best.limit ? one : best),
      null,
    );
    const error = answers.flatMap(({ answer }) => ('error' in answer ? [answer.error] : []))[0] ?? null;
    const limit = worst?.limit ?? answers[0]?.limit ?? 0;
    return { name, what, score: worst?.score ?? null, limit, paid: worst !== null && worst.score > limit, error };
  }

  private ask(judged: JudgeCase, order?: BlockOrder): Promise<Answer> {
    return this.limit(async () => {
      this.cancellation.throwIfCancelled();
      try {
        const how = { modelInfo: this.config.modelInfo, cancellation: this.cancellation };
        return { score: (await this.service.judge(judged, how, order)).score };
      } catch (error) {
        this.cancellation.throwIfCancelled();
        if (!OsmosisError.is(error)) throw error;
        return { error: error.message };
      } finally {
        this.onProgress?.(++this.done, this.total);
      }
    });
  }
}

function readLabelled(config: RubricConfig, record: RubricRecord, index: number, path: string): Labelled {
  const field = LABEL_FIELDS.find((name) => name in record.payload);
  const human = field === undefined ? undefined : record.payload[field];
  if (typeof human !== 'number' || !Number.isFinite(human)) {
    const found = field === undefined ? 'it has none' : `its ${field} is ${JSON.stringify(human)}`;
    const message = `each record needs a human's score, a number in ${LABEL_FIELDS.join(', ')}; ${found}`;
    throw RubricFileError.at(path, message, record.line);
  }
  const { extraInfo: _, ...input } = scorerInput(config, record, null);
  const judged = checkRequest(input);
  return { id: recordIdentifier(record, conversationLabel(record, index + 1)), human, judged };
}

function hasOrder(judged: JudgeCase): boolean {
  return judged.originalInput !== null || judged.groundTruth !== null || judged.metadata !== null;
}
