import { setTimeout as wait } from 'node:timers/promises';
import { endProcesses, ensureBuilt, removeProjects, startCli } from './support/cli.js';
import { EvalProject, row } from './support/eval-project.js';

jest.setTimeout(300_000);

beforeAll(ensureBuilt);
afterEach(endProcesses);
afterAll(removeProjects);

const keyOf = ({ row_index: rowIndex, run_index: runIndex }: Record<string, unknown>): string =>
  `${String(rowIndex)}/${String(runIndex)}`;

describe('kill -9', () => {
  it('three times in the middle of 500 runs, sixteen at once, then --resume: 500 distinct runs, none scored twice', async () => {
    const project = new EvalProject(Array.from({ length: 100 }, (_, index) => row(`wait 20 ${index}`)));
    const args = project.args('-n', '5', '-c', '16', '--resume', '--pass-k', '5');
    for (const enough of [60, 200, 350]) {
      // With a model that falls silent a little later, the program cannot come to its end before this one looks.
      const env = { ANSWERS: String(enough - committed(project) + 50) };
      const running = startCli(args, { cwd: project.folder, env });
      let ended = false;
      void running.ended.then(() => (ended = true));
      while (committed(project) < enough) {
        if (ended) throw new Error(`It ended by itself. ${running.stderr}`);
        await wait(5);
      }
      await running.stop('SIGKILL');
    }
    const killed = committed(project);
    expect(killed).toBeLessThan(500);

    const { code, stderr } = await project.run(args);
    expect(code).toBe(0);
    expect(stderr).toContain(`${killed} runs of an earlier session kept\n`);
    // A line of the log is a run that was scored.
    const runs = project.runs();
    expect(runs).toHaveLength(500);
    expect(new Set(runs.map(keyOf)).size).toBe(500);
    expect(runs.every(({ scores }) => typeof (scores as { score?: unknown }).score === 'number')).toBe(true);
    expect(project.report().summary).toMatchObject({ total_runs: 500, total_rows: 100, stopped_early: false });
  });
});

/** Finished lines: a process that was killed may have left a part of one. */
function committed(project: EvalProject): number {
  const text = project.read('out/report.runs.jsonl');
  const whole = text.slice(0, text.lastIndexOf('\n') + 1);
  return whole.split('\n').filter((line) => line.startsWith('{"type":"run"')).length;
}
