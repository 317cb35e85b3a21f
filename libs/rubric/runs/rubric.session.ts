import { resolve } from 'node:path';
import { Cancellation, systemClock } from '#domain';
import type { ChatModels } from '#model/plain';
import { findRubricConfig } from '../config/config.discovery.js';
import type { FileProblem } from '../config/file.problem.js';
import { loadRubricSuite } from '../config/suite.parser.js';
import { requireFile } from '../config/text.file.js';
import { toModelSpec } from '../model.info.js';
import { loadRecords } from '../records/record.loader.js';
import { RubricInputError } from '../rubric.error.js';
import type { RubricService } from '../rubric.service.js';
import { ensureWritable, writeAtomically } from './atomic.file.js';
import { loadBaseline } from './baseline.js';
import { resolveOutput } from './output.path.js';
import { buildReport, redacted } from './report.builder.js';
import { runEngine, type RunProgress } from './rubric.engine.js';
import { RunJournal, sessionFingerprint } from './run.journal.js';
import { histogram, type HistogramBin } from './run.statistics.js';
import { judgeScorer } from './scorers.js';
import { judgeSession, type SessionVerdict } from './session.verdict.js';
import type { RubricConfig } from '../config/rubric.suite.js';
import type { RubricReport, RubricScorer } from './run.types.js';

export interface RubricSessionRequest {
  readonly rubricId: string;
  readonly dataPath: string;
  /** Runs a record. Default 1. */
  readonly number?: number;
  /** Runs at once. Default 4; each provider has a limit of its own besides. */
  readonly concurrency?: number;
  readonly configPath?: string | null;
  /** A file, or a directory for it. */
  readonly output?: string | null;
  readonly baselinePath?: string | null;
  /** Takes up the session that was broken off: of the named file, or the last one of the directory. */
  readonly resume?: boolean;
  /** Keeps texts out of the report: numbers and errors only. */
  readonly redact?: boolean;
  /** The session fails when the mean is below this. */
  readonly minMean?: number | null;
  /** Scores in the judge's place. */
  readonly scorer?: RubricScorer;
  readonly votes?: number;
  /** What relative paths are relative to. */
  readonly directory: string;
  readonly identifier?: string;
  readonly onStart?: (start: SessionStart) => void;
  readonly onProgress?: (progress: RunProgress) => void;
  readonly cancellation?: Cancellation;
}

/** What is known before the first run. */
export interface SessionStart {
  readonly config: RubricConfig;
  readonly provider: string;
  readonly model: string;
  readonly dataPath: string;
  readonly records: number;
  readonly number: number;
  readonly resumedRuns: number;
  readonly outputPath: string;
  /** Records of other rubrics that are wrong and were passed over. */
  readonly warnings: readonly FileProblem[];
}

export interface RubricSessionResult {
  readonly start: SessionStart;
  readonly report: RubricReport;
  readonly histogram: readonly HistogramBin[];
  readonly verdict: SessionVerdict;
}

const DEFAULT_CONCURRENCY = 4;

/** Applies one rubric of a file to the records of a data set, and writes the report (spec C.9). */
export class RubricSession {
  /** @param reportDirectory where reports go when no output is named. Default `~/.cache/osmosis/eval_result` */
  constructor(
    private readonly service: RubricService,
    private readonly models: ChatModels,
    private readonly reportDirectory?: string,
  ) {}

  /**
   * Everything that can be wrong is found before the first request. A failed run never ends a session; the report is
   * written also when all failed, and when the session was cancelled.
   *
   * @throws RubricInputError, RubricFileError, ModelConfigError, MissingApiKeyError
   */
  async run(request: RubricSessionRequest): Promise<RubricSessionResult> {
    const { cancellation = new Cancellation(), redact = false } = request;
    const clock = systemClock;
    const plan = await this.prepare(request);
    const { config, records, number, output } = plan;
    const journal = await RunJournal.open(output.path, sessionFingerprint(config, records), request.resume ?? false);
    const start: SessionStart = {
      config,
      provider: plan.model.provider,
      model: plan.model.model,
      dataPath: plan.dataPath,
      records: records.length,
      number,
      resumedRuns: journal.resumedRuns,
      outputPath: output.path,
      warnings: plan.warnings,
    };
    request.onStart?.(start);
    const runs = await runEngine({
      config,
      records,
      number,
      concurrency: plan.concurrency,
      scorer: request.scorer ?? judgeScorer(this.service, { votes: request.votes, cancellation }),
      defaultKeyEnv: plan.model.definition.keyEnv[0] ?? null,
      known: (recordIndex, runIndex) => journal.known(recordIndex, runIndex),
      onRun: async (progress) => {
        const { recordIndex, run } = progress;
        if (!progress.resumed) await journal.append(recordIndex, redact ? redacted(run) : run);
        request.onProgress?.(progress);
      },
      cancellation,
      clock,
    });
    const report = buildReport({
      ...plan,
      provider: start.provider,
      model: start.model,
      runs,
      identifier: output.identifier,
      redact,
      generatedAt: new Date(clock.now()),
    });
    await writeAtomically(output.path, `${JSON.stringify(report, null, 2)}\n`);
    if (!cancellation.reason) await journal.remove();
    const scores = runs.flat().flatMap((run) => run.score ?? []);
    const low = config.scoreMin ?? config.modelInfo.scoreMin ?? 0;
    const high = config.scoreMax ?? config.modelInfo.scoreMax ?? 1;
    return {
      start,
      report,
      histogram: histogram(scores, low, high),
      verdict: judgeSession(report.overall_statistics, request.minMean ?? null, cancellation.reason !== null),
    };
  }

  /** The checks, in the reference's order: cheap ones first, the key before any data is read. */
  private async prepare(request: RubricSessionRequest) {
    const { directory } = request;
    const rubricId = request.rubricId.trim();
    if (rubricId === '') throw new RubricInputError('The rubric is not named. Give the id of one in the file.');
    const number = wholeNumber('number', request.number ?? 1);
    const concurrency = wholeNumber('concurrency', request.concurrency ?? DEFAULT_CONCURRENCY);
    const dataPath = resolve(directory, request.dataPath);
    await requireFile(dataPath);
    const configPath = await findRubricConfig(request.configPath ?? null, dataPath, directory);
    const config = (await loadRubricSuite(configPath)).get(rubricId);
    const model = this.models.resolve(toModelSpec(config.modelInfo, undefined));
    const { records, warnings } = await loadRecords(dataPath, config.rubricId);
    const { baselinePath } = request;
    const baseline = baselinePath ? await loadBaseline(resolve(directory, baselinePath)) : null;
    const identifier = request.identifier ?? String(Math.floor(systemClock.now() / 1000));
    const output = await resolveOutput(
      request.output ?? null,
      config.rubricId,
      identifier,
      directory,
      this.reportDirectory,
      request.resume,
    );
    await ensureWritable(output.path);
    return { number, concurrency, dataPath, configPath, config, model, records, warnings, baseline, output };
  }
}

function wholeNumber(name: string, value: number): number {
  if (Number.isInteger(value) && value >= 1) return value;
  throw new RubricInputError(`${name} must be a whole number from 1, not ${value}.`);
}
