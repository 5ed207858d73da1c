// Opens the list of a thousand threads, as in a new window: the index is on disk, nothing in memory.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { loadTypeScript } from '../../scripts/oracle/loadTypeScript.mjs';

const THREADS = 1000;
const TURNS = 20;

let home;

/** Milliseconds of one opening. */
export async function openThreadList() {
  const { ThreadCatalog, createNodePorts } = await loadTypeScript('src/core/rollout/catalog.ts', 'src/node/ports.ts');
  const opened = () =>
    new ThreadCatalog(createNodePorts({ roots: [], environment: { TILLER_HOME: home } }), async () => {});
  if (home === undefined) {
    home = mkdtempSync(path.join(tmpdir(), 'tiller-bench-threads-'));
    process.once('exit', () => rmSync(home, { recursive: true, force: true }));
    for (let number = 0; number < THREADS; number++) writeThread(number);
    await opened().list(['/work']);
  }
  const catalog = opened();
  const start = performance.now();
  const threads = await catalog.list(['/work']);
  const wallMs = performance.now() - start;
  if (threads.length !== THREADS) throw new Error(`${threads.length} threads were listed`);
  return { wallMs };
}

function writeThread(number) {
  const day = String(1 + (number % 28)).padStart(2, '0');
  const id = `019a0000-0000-7000-8000-${String(number).padStart(12, '0')}`;
  const folder = path.join(home, 'threads', '2026', '11', day);
  mkdirSync(folder, { recursive: true });
  const timestamp = `2026-11-${day}T00:00:00.000Z`;
  const line = (type, payload) => JSON.stringify({ timestamp, type, payload });
  const event = (turnId, msg) => line('event_msg', { turnId, submissionId: null, msg });
  const settings = {
    model: 'm',
    effort: null,
    summary: 'auto',
    cwd: '/work',
    approvalPolicy: 'on-request',
    sandboxPolicy: { type: 'danger-full-access' },
    box: 'none',
  };
  const meta = { format: 'tiller-rollout', version: 1, id, timestamp, cwd: '/work', originator: 'cli' };
  const about = { tiller_version: '0', model: 'm', provider: 'p', instructions: 'x'.repeat(6000) };
  const lines = [line('session_meta', { ...meta, ...about })];
  for (let turn = 0; turn < TURNS; turn++) {
    const content = [{ type: 'text', text: `message ${turn} of thread ${number}` }];
    const output = 'a line of output\n'.repeat(100);
    lines.push(
      event(`t${turn}`, { type: 'turn_started', settings, contextWindow: null }),
      event(`t${turn}`, {
        type: 'item_completed',
        item: { id: `u${turn}`, type: 'user_message', status: 'completed', content },
      }),
      line('response_item', { type: 'function_call_output', call_id: `c${turn}`, output }),
      event(`t${turn}`, { type: 'turn_completed', lastMessage: 'Done.' }),
    );
  }
  writeFileSync(path.join(folder, `rollout-2026-11-${day}T00-00-00-${id}.jsonl`), `${lines.join('\n')}\n`);
}
