import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { CompiledPackage } from './support/compiled.package.js';

const run = promisify(execFile);

interface Completion {
  readonly status: string;
  readonly final_messages: readonly unknown[];
  readonly reward?: number;
  readonly extra_fields: { readonly failure: { readonly class: string } };
}

/** What only a process of its own can show: its memory, and that nothing ends it. */
describe('a process that serves rollouts', () => {
  let compiled: CompiledPackage;
  beforeAll(async () => {
    compiled = await CompiledPackage.create();
    await compiled.compile('test/fixtures/reliable-app', 'js/fixtures/reliable-app');
    await compiled.compile('test/support', 'js/support');
  }, 120_000);
  afterAll(() => compiled.remove());

  /** Runs a fixture to its end, and gives what it found. */
  async function findings<Report>(entry: string): Promise<Report> {
    const { stdout } = await run(process.execPath, [compiled.path('js/fixtures/reliable-app', entry)], {
      timeout: 280_000,
    });
    const line = stdout.split('\n').find((text) => text.startsWith('{"event":"report"'));
    return JSON.parse(line ?? `no report in ${stdout}`) as Report;
  }

  it('LC-16: after 5,000 rollouts of 20 kB the heap is back, and nothing is left running', async () => {
    const found = await findings<Record<string, number>>('memory.main.js');
    expect(found['completed']).toBe(5_500);
    // All are still remembered, without their conversations.
    expect(found['remembered']).toBe(5_000);
    expect(found['doneMb']! - found['warmMb']!).toBeLessThan(30);
    expect(found['forgottenMb']! - found['warmMb']!).toBeLessThan(30);
    expect(found['moreTimers']).toBeLessThanOrEqual(2);
  }, 300_000);

  it('what comes after the end of a rollout changes nothing: no second completion, no chat, no crash', async () => {
    const found = await findings<{
      unhandled: string[];
      late: string[];
      loops: string[];
      completions: Record<string, Completion[]>;
      chats: Record<string, number>;
      chatsAtTheEnd: Record<string, number>;
    }>('late.main.js');
    // The late code did run to its end…
    expect(new Set(found.late)).toEqual(
      new Set([
        'asks on',
        'completes late',
        'rejects late',
        'reward fails',
        'reward scores',
        'runs tools late',
        'tool rejects',
        'tool resolves',
      ]),
    );
    // …and nobody noticed.
    expect(found.unhandled).toEqual([]);
    expect(found.chats).toEqual(found.chatsAtTheEnd);
    const told = (id: string): Completion => {
      expect(found.completions[id]).toHaveLength(1);
      return found.completions[id]![0]!;
    };
    for (const loop of found.loops) {
      const [late, cancelled] = [told(`deadline: ${loop}`), told(`cancel: ${loop}`)];
      expect(late.extra_fields.failure.class).toBe('deadline');
      expect(cancelled).toMatchObject({ status: 'ERROR', extra_fields: { failure: { class: 'cancelled' } } });
      // Only what had ended before its rewards stands.
      expect(late.status).toBe(loop === 'goes on to its rewards' ? 'COMPLETED' : 'ERROR');
      for (const completion of [late, cancelled]) {
        expect(completion).not.toHaveProperty('reward');
        expect(JSON.stringify(completion.final_messages)).not.toContain('too late');
      }
    }
  }, 300_000);
});
