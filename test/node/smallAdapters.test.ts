import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { systemClock } from '../../src/node/host/clock.ts';
import { describeHost } from '../../src/node/host/host.ts';
import type { Exec, ExecRequest } from '../../src/core/ports.ts';
import { createIds } from '../../src/node/host/ids.ts';
import { createLog } from '../../src/node/storage/log.ts';
import { StdioTransport } from '../../src/node/mcp/stdioTransport.ts';
import { createNodePorts } from '../../src/node/ports.ts';
import { identify, isReplaced, isRunning, thisProcess } from '../../src/node/host/processIdentity.ts';
import { createRedactor } from '../../src/node/host/redact.ts';
import { createEnvironmentSecrets } from '../../src/node/host/secrets.ts';
import { localDay } from '../../src/core/util/localDay.ts';
import { tempFolder } from '../support/tempFolder.ts';

describe('ids', () => {
  test('sort by time, also within a millisecond and when the clock goes back', () => {
    const times = [1_000, 1_000, 999, 1_001];
    const ids = createIds(() => times.shift() ?? 1_001);
    const made = Array.from({ length: 10_000 }, () => ids.uuid());
    assert.deepEqual(made, made.toSorted());
    assert.equal(new Set(made).size, made.length);
    for (const id of made) assert.match(id, /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
  });

  test('are short and distinct', () => {
    const ids = createIds();
    assert.match(ids.next('item'), /^item_[0-9a-z]{7}$/);
    assert.notEqual(ids.next('item'), ids.next('item'));
  });
});

describe('the clock', () => {
  test('cancels a sleep, before and during it', async () => {
    const reason = new Error('wake up');
    await assert.rejects(systemClock.sleep(10_000, AbortSignal.abort(reason)), reason);
    const controller = new AbortController();
    const sleeping = systemClock.sleep(10_000, controller.signal);
    controller.abort(reason);
    await assert.rejects(sleeping, reason);
    await systemClock.sleep(1, new AbortController().signal);
  });
});

describe('secrets', () => {
  test('sends a key to its own origin only', async () => {
    const secrets = createEnvironmentSecrets(
      { TILLER_API_KEY: 't', OPENAI_API_KEY: 'o', ANTHROPIC_API_KEY: 'a' },
      'https://models.example/v1',
    );
    const origins = [
      'https://models.example',
      'https://models.example:443/v1/responses',
      'http://models.example',
      'https://models.example:8443',
      'https://models.example.evil.test',
      'https://api.openai.com',
      'http://api.openai.com',
      'https://api.anthropic.com',
      'nonsense',
    ];
    const keys = await Promise.all(origins.map((origin) => secrets.keyFor(origin)));
    assert.deepEqual(keys, ['t', 't', undefined, undefined, undefined, 'o', undefined, 'a', undefined]);
    const direct = createEnvironmentSecrets({ TILLER_API_KEY: 't', OPENAI_API_KEY: 'o' }, 'https://api.openai.com/v1');
    assert.equal(await direct.keyFor('https://api.openai.com'), 't');
    const unbound = createEnvironmentSecrets({ TILLER_API_KEY: 't' }, undefined);
    assert.equal(await unbound.keyFor('https://api.openai.com'), undefined);
  });
});

describe('the log', () => {
  test('is created with the first entry, and redacts keys', () => {
    using folder = tempFolder();
    const redactor = createRedactor();
    redactor.hide('my-own-secret');
    const log = createLog({ home: folder.path, now: () => new Date(0), redactor });
    log.debug('not written');
    assert.equal(existsSync(folder.at('logs')), false);
    log.info('asked', { headers: { Authorization: 'Bearer abc.def', 'x-api-key': 'zzz' }, key: 'sk-abcdefghijkl' });
    log.error('said my-own-secret\naloud');
    const [name = ''] = readdirSync(folder.at('logs'));
    assert.deepEqual(readFileSync(folder.at('logs', name), 'utf8').split('\n'), [
      "1970-01-01T00:00:00.000Z info asked { headers: { Authorization: 'Bearer [hidden]', 'x-api-key': '[hidden]' }, key: '[hidden]' }",
      '1970-01-01T00:00:00.000Z error said [hidden]',
      '    aloud',
      '',
    ]);
  });
});

test('a process is distinguished from a later one with the same pid', () => {
  const here = thisProcess();
  assert.equal(isRunning(here), true);
  assert.equal(isRunning({ ...here, startTime: '1' }), false);
  assert.equal(isRunning({ ...here, bootId: 'another boot' }), false);
  assert.equal(isRunning({ ...here, pid: 2 ** 22 + 1 }), false);
  // When that is uncertain, it is left alone.
  assert.equal(isRunning({ ...here, bootId: null, startTime: null }), true);
  const uncertain = { ...here, startTime: null };
  const known = process.platform === 'linux';
  assert.deepEqual([here, { ...here, startTime: '1' }, uncertain].map(isReplaced), [false, known, false]);
});

test.skipIf(process.platform !== 'linux')(
  'a killed process that its parent has not collected is not running',
  async () => {
    // The shell is replaced by another program, which does not collect children.
    const parent = spawn('/bin/sh', ['-c', 'sleep 60 & echo $!; exec tail -f /dev/null'], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    try {
      const pid = Number(await new Promise((resolve) => parent.stdout.once('data', resolve)));
      const child = identify(pid);
      assert.equal(isRunning(child), true);
      await expect.poll(() => readFileSync(`/proc/${parent.pid}/comm`, 'utf8')).toBe('tail\n');
      process.kill(pid, 'SIGKILL');
      await expect.poll(() => isRunning(child)).toBe(false);
      // It still has its pid.
      process.kill(pid, 0);
      assert.equal(isReplaced(child), false);
    } finally {
      parent.kill('SIGKILL');
    }
  },
);

test('a server that is closed while its process is being started is not started', async () => {
  const spawned: (AbortSignal | undefined)[] = [];
  const exec: Exec = {
    spawn: (_, signal) => {
      spawned.push(signal);
      return new Promise((_resolve, reject) => signal?.addEventListener('abort', () => reject(signal.reason)));
    },
  };
  const request: ExecRequest = { argv: ['server'], cwd: '/', env: {}, stdin: 'pipe', confinement: { type: 'none' } };
  const transport = new StdioTransport({ exec, request, log: () => {}, clock: systemClock });
  const starting = transport.start();
  await transport.close();
  await assert.rejects(starting, /^Error: It was stopped\.$/);
  assert.equal(spawned.length, 1);
});

test('all ports together start nothing and leave no files', async () => {
  using folder = tempFolder();
  const ports = createNodePorts({
    roots: [folder.path],
    environment: { TILLER_HOME: folder.at('home'), SHELL: '/bin/zsh' },
  });
  assert.deepEqual(
    [ports.storage.home, ports.host.shell, ports.workspace.roots],
    [folder.at('home'), '/bin/zsh', [folder.path]],
  );
  const host = describeHost({});
  assert.equal(host.timeZone, Intl.DateTimeFormat().resolvedOptions().timeZone);
  for (const at of ['2026-01-01T00:30:00Z', '2026-11-30T23:30:00Z']) {
    assert.equal(host.localDay(new Date(at)), localDay(new Date(at), host.timeZone));
  }
  assert.deepEqual(readdirSync(folder.path), []);
});
