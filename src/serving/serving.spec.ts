import { EventEmitter } from 'node:events';
import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Secret } from '#domain';
import { generateApiKey, readApiKeyFile } from './api-keys.js';
import { bannerText, listeningEvent, type ServerFacts } from './banner.js';
import { overlay } from './options-adjustment.js';
import { StopSignals } from './stop-signals.js';

describe('API keys (spec 9.1, pinned cases 12.5)', () => {
  it('12.5: a hundred keys are a hundred different ones, of 55 URL-safe characters', () => {
    const keys = Array.from({ length: 100 }, () => generateApiKey().reveal());
    expect(new Set(keys).size).toBe(100);
    for (const key of keys) expect(key).toMatch(/^osm_rollout_[A-Za-z0-9_-]{43}$/);
  });

  it('a file gives one key a line, without comments, empty lines and a byte order mark', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'osmosis-keys-'));
    writeFileSync(join(folder, 'keys'), '\uFEFFone\r\n# two\n\n  three  \n');
    const keys = await readApiKeyFile('keys', folder);
    expect(keys.map((key) => key.reveal())).toEqual(['one', 'three']);
    writeFileSync(join(folder, 'none'), '# nothing\n');
    await expect(readApiKeyFile('none', folder)).rejects.toThrow('has no keys. Write one a line.');
    await expect(readApiKeyFile('absent', folder)).rejects.toThrow('Cannot read the API key file absent (ENOENT).');
  });
});

describe('StopSignals', () => {
  const make = () => {
    const source = new EventEmitter();
    const exits: number[] = [];
    return { source, exits, signals: new StopSignals(source, (code) => exits.push(code)) };
  };

  it('the first signal of a serving server asks it to drain, the second ends it with 130', async () => {
    const { source, exits, signals } = make();
    signals.serving();
    source.emit('SIGTERM', 'SIGTERM');
    expect(await signals.received).toBe('SIGTERM');
    expect(exits).toEqual([]);
    source.emit('SIGTERM', 'SIGTERM');
    expect(exits).toEqual([130]);
  });

  it.each([
    ['SIGINT', 130],
    ['SIGTERM', 143],
  ])('before it serves, %s ends the process with %d', (signal, code) => {
    const { source, exits } = make();
    source.emit(signal, signal);
    expect(exits).toEqual([code]);
  });

  it('leaves no listeners', () => {
    const { source, signals } = make();
    signals.dispose();
    expect(source.listenerCount('SIGINT') + source.listenerCount('SIGTERM')).toBe(0);
  });
});

describe('overlay', () => {
  it('lays what is defined over what is there, group by group', () => {
    const base = { a: 1, group: { x: 1, y: 2 }, keys: ['old'] };
    expect(overlay(base, { a: undefined, group: { x: 5, y: 2 }, keys: ['new'] })).toEqual({
      a: 1,
      group: { x: 5, y: 2 },
      keys: ['new'],
    });
    expect(base.group.x).toBe(1);
  });

  it('takes instances of classes whole', () => {
    const key = Secret.from('k');
    expect(overlay<{ key: unknown }>({ key: { a: 1 } }, { key }).key).toBe(key);
  });
});

describe('what is shown of a listening server (spec 11.3)', () => {
  const facts: ServerFacts = {
    host: '0.0.0.0',
    port: 8000,
    url: 'http://127.0.0.1:8000',
    agent: 'calculator',
    agents: ['calculator'],
    keySource: 'generated',
    generatedKey: 'osm_rollout_x',
    publicHost: undefined,
    registrationSkipped: 'local testing mode',
    traceDir: '/t/1',
  };

  it('a box whose sides are straight', () => {
    const lines = bannerText(facts, (_, text) => text)
      .trim()
      .split('\n')
      .slice(0, -1);
    expect(new Set(lines.map((line) => line.length)).size).toBe(1);
    expect(lines.join('\n')).toMatch(/API Key: +osm_rollout_x[\s\S]*Debug Log: +\/t\/1\//);
  });

  it('names the workers, where there are several', () => {
    const several: ServerFacts = { ...facts, workers: [1, 2].map((number) => ({ number, pid: 70 + number })) };
    expect(bannerText(several, (_, text) => text)).toMatch(/Workers: +1 \(pid 71\), 2 \(pid 72\)/);
    expect(JSON.parse(listeningEvent(several))).toMatchObject({
      workers: [
        { worker: 1, pid: 71 },
        { worker: 2, pid: 72 },
      ],
    });
    expect(JSON.parse(listeningEvent(facts))).not.toHaveProperty('workers');
  });

  it('the key shows only when it was generated', () => {
    const provided: ServerFacts = { ...facts, keySource: 'provided', generatedKey: undefined };
    expect(bannerText(provided, (_, text) => text)).toContain('(provided)');
    expect(JSON.parse(listeningEvent(provided))).not.toHaveProperty('apiKey');
    expect(JSON.parse(listeningEvent(facts))).toMatchObject({ event: 'listening', apiKey: 'osm_rollout_x' });
    const local: ServerFacts = { ...provided, keySource: 'disabled' };
    expect(bannerText(local, (_, text) => text)).toContain('(disabled - local debug)');
  });
});
