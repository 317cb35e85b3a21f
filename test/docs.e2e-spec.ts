import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Injectable } from '@nestjs/common';
import { Agent } from '#osmosis';
import { toolCall, type MockScript } from '#testing';
import { Library } from '../docs/examples/agents/library.js';
import { ResearchAgent } from '../docs/examples/agents/research.agent.js';
import { AnswerRewards } from '../docs/examples/rewards/answer.rewards.js';
import { ClockTools, PerRequestTools } from '../docs/examples/agents/shared.tools.js';
import { toolMessages } from './support/assertions.js';
import { startRig } from './support/rig.js';

const ROOT = join(__dirname, '..');
const PAGES = [
  'README.md',
  ...readdirSync(join(ROOT, 'docs'))
    .filter((name) => name.endsWith('.md'))
    .map((name) => `docs/${name}`),
];

/** A code block that is a file, or a part of one: `<!-- file: path -->` stands before it. */
const EMBEDDED = /<!-- file: (\S+) -->\s*```\w*\n([\s\S]*?)```/g;

/** Prettier indents a block in a page from its own margin. */
const unindented = (code: string): string =>
  code
    .trim()
    .split('\n')
    .map((line) => line.trim())
    .join('\n');

describe('the documentation', () => {
  const embedded = PAGES.flatMap((page) =>
    [...readFileSync(join(ROOT, page), 'utf8').matchAll(EMBEDDED)].map(
      ([, file, code]) => [page, file!, code!] as const,
    ),
  );

  it('shows files that exist', () => {
    expect(embedded.length).toBeGreaterThan(4);
  });

  it.each(embedded)('%s shows %s as it is', (_page, file, code) => {
    expect(unindented(readFileSync(join(ROOT, file), 'utf8'))).toContain(unindented(code));
  });

  it('links to pages that exist', () => {
    for (const page of PAGES) {
      const text = readFileSync(join(ROOT, page), 'utf8');
      for (const [, target] of text.matchAll(/\]\((?!https?:|#)([^)#\s]+)/g)) {
        expect({ page, target, exists: exists(join(ROOT, page, '..', target!)) }).toMatchObject({ exists: true });
      }
    }
  });
});

function exists(path: string): boolean {
  try {
    readFileSync(path);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EISDIR';
  }
}

describe("the documentation's examples", () => {
  it('research: an own loop with nested input, defaults and injected services', async () => {
    const script: MockScript = (_request, turn) =>
      turn < 3 ? [toolCall('search', { query: 'sailing', filters: [{ field: 'year', value: '1900' }] })] : 'found';
    const rig = await startRig({ providers: [ResearchAgent, Library], trainer: { script } });
    const result = await rig.run();
    expect(result).toMatchObject({ status: 'COMPLETED', finish_reason: 'searched_out' });
    expect(toolMessages(result)[0]?.content).toBe('["Sailing alone", "Sailing in company"]');
    expect(rig.chatRequests().at(-1)?.['temperature']).toBe(0);
    await rig.close();
  });

  it('shared tools, and tools per request', async () => {
    @Agent({ name: 'expert' })
    @Injectable()
    class Expert extends PerRequestTools {}
    const script: MockScript = [
      [toolCall('now', { zone: 'UTC' }), toolCall('ask_expert', { question: 'why?' })],
      'done',
    ];
    const rig = await startRig({ providers: [Expert, ClockTools], trainer: { script } });
    const result = await rig.run({ metadata: { topic: 'knots' } });
    expect(toolMessages(result).map((message) => message.content)).toEqual([
      '00:00:00',
      'An expert on knots would not know either: why?',
    ]);
    await rig.close();
  });

  it('rewards: classic and full, for the agents they name', async () => {
    @Agent({ name: 'calculator' })
    class Calculator {}
    const rig = await startRig({ providers: [Calculator, AnswerRewards], trainer: { script: ['It is 41.995'] } });
    const result = await rig.run({ metadata: { ground_truth: 42 } });
    expect(result.reward).toBeCloseTo(1.1);
    await rig.close();
  });
});
