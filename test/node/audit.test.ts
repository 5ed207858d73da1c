import assert from 'node:assert/strict';
import { appendFileSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { describe, it } from 'vitest';
import { createAuditJournal } from '../../src/node/storage/audit.ts';
import { createRedactor } from '../../src/node/host/redact.ts';
import type { AuditEntry } from '../../src/protocol/audit.ts';
import { tempFolder } from '../support/tempFolder.ts';

const entry = (callId: string, argv: string[] = ['make']): AuditEntry => ({
  v: 1,
  type: 'decision',
  at: '2030-01-01T00:00:00.000Z',
  threadId: 't',
  agentId: null,
  turnId: 'turn',
  itemId: 'item',
  callId,
  act: { type: 'command', command: argv.join(' '), argv, cwd: '/w' },
  outcome: 'allowed',
  by: 'user',
  reason: { source: 'policy', id: 'untrusted', text: 'Because.' },
  box: 'none',
  escalated: false,
});

function journal(home: string, maxBytes?: number) {
  const redactor = createRedactor();
  redactor.hide('hunter2-of-mine');
  return createAuditJournal({ home, redact: redactor.redact, ...(maxBytes === undefined ? {} : { maxBytes }) });
}

describe('the audit log', () => {
  it('keeps a line for each entry, readable by its owner only, and returns the last ones', async () => {
    using home = tempFolder();
    const log = journal(home.at('home'));
    assert.deepEqual(await log.latest(10), []);
    for (const id of ['a', 'b', 'c']) log.append(entry(id));
    assert.deepEqual(await log.latest(2), [entry('b'), entry('c')]);
    assert.deepEqual(await log.latest(10), [entry('a'), entry('b'), entry('c')]);
    assert.equal(statSync(home.at('home', 'audit.jsonl')).mode & 0o777, 0o600);
    assert.equal(statSync(home.at('home')).mode & 0o777, 0o700);
    assert.equal(readFileSync(home.at('home', 'audit.jsonl'), 'utf8').split('\n').length, 4);
  });

  it('redacts secrets: known ones, likely ones, and the argument of --password', async () => {
    using home = tempFolder();
    const words = [
      'curl',
      '--password',
      'swordfish',
      '-H',
      'Authorization: Bearer abc.def',
      'x=hunter2-of-mine',
      'sk-12345678',
    ];
    journal(home.path).append(entry('a', words));
    const text = readFileSync(home.at('audit.jsonl'), 'utf8');
    for (const secret of ['swordfish', 'abc.def', 'hunter2', 'sk-12345678'])
      assert.equal(text.includes(secret), false, secret);
    assert.match(text, /"curl","--password","\[hidden\]","-H"/);
  });

  it('is rotated when it is large, with several writers too, and loses no line early', async () => {
    using home = tempFolder();
    const [one, other] = [journal(home.path, 4000), journal(home.path, 4000)];
    for (let count = 0; count < 80; count++) (count % 2 ? one : other).append(entry(`call-${count}`));
    assert.deepEqual(readdirSync(home.path).toSorted(), [
      'audit.1.jsonl',
      'audit.2.jsonl',
      'audit.3.jsonl',
      'audit.4.jsonl',
      'audit.jsonl',
    ]);
    for (const file of readdirSync(home.path)) assert.ok(statSync(home.at(file)).size <= 4000);
    const ids = (await one.latest(30)).map(({ callId }) => callId);
    assert.deepEqual(
      ids,
      Array.from({ length: 30 }, (_, index) => `call-${index + 50}`),
    );
  });

  it('continues after an incomplete line, and skips lines that are not entries', async () => {
    using home = tempFolder();
    writeFileSync(home.at('audit.jsonl'), '{"v":1,"type":"dec');
    const log = journal(home.path);
    log.append(entry('a'));
    appendFileSync(home.at('audit.jsonl'), `${JSON.stringify({ v: 2, type: 'dream' })}\n`);
    log.append(entry('b', ['echo', 'é'.repeat(70_000)]));
    assert.deepEqual(
      (await log.latest(10)).map(({ callId }) => callId),
      ['a', 'b'],
    );
    assert.deepEqual(await log.latest(1), [entry('b', ['echo', 'é'.repeat(70_000)])]);
  });

  it('reads the end of a large file without the rest of it', async () => {
    using home = tempFolder();
    writeFileSync(home.at('audit.jsonl'), `${JSON.stringify(entry('old'))}\n`.repeat(400_000));
    const log = journal(home.path, Infinity);
    log.append(entry('new'));
    const before = process.memoryUsage().arrayBuffers;
    assert.equal((await log.latest(50)).at(-1)?.callId, 'new');
    assert.ok(process.memoryUsage().arrayBuffers - before < 8 * 1024 * 1024);
  });
});
