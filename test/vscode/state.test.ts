import assert from 'node:assert/strict';
import { suite, test } from 'mocha';
import * as vscode from 'vscode';
import type { Session } from '../../src/core/session/session.ts';
import type { Event } from '../../src/protocol/event.ts';
import { initialThreadState } from '../../src/protocol/thread.ts';
import { KeyStore } from '../../src/vscode/secrets.ts';
import { readSettings } from '../../src/vscode/settings.ts';
import { Threads } from '../../src/vscode/threads.ts';

const unexpected = (error: unknown) => assert.fail(String(error));
const shownBy = (threads: Threads) => threads.state?.threadId;

/** What VS Code keeps for a window, in memory. */
class Memory implements vscode.Memento {
  readonly #values = new Map<string, unknown>();
  keys = () => [...this.#values.keys()];
  get = <Value>(key: string, otherwise?: Value) => (this.#values.get(key) as Value | undefined) ?? otherwise;
  async update(key: string, value: unknown): Promise<void> {
    this.#values.set(key, value);
  }
}

/** As much of a session as a window sees of it. */
function sessionOf(threadId: string, log: string[]): Session {
  const session = {
    threadId,
    initialState: initialThreadState(threadId),
    onEvent: (_listener: (event: Event) => void) => ({ dispose: () => {} }),
    start: () => void log.push(`start ${threadId}`),
    submit: ({ op }: { op: { type: string } }) => void log.push(`${op.type} ${threadId}`),
    suspend: async () => void log.push(`suspend ${threadId}`),
  };
  return session as unknown as Session;
}

suite('what a window keeps', () => {
  test('a thread begins with the first message, and the next window takes it up', async () => {
    const log: string[] = [];
    const memory = new Memory();
    const source = {
      start: async () => sessionOf('new', log),
      resume: async (id: string) => sessionOf(id, log),
    };
    const first = new Threads(source, memory, unexpected);
    assert.equal(shownBy(first), undefined);
    await first.submit({ type: 'steer', input: [{ type: 'text', text: 'hi' }] });
    assert.equal(shownBy(first), 'new');
    await first.close();
    assert.deepEqual(log, ['start new', 'steer new', 'suspend new']);

    const second = new Threads(source, memory, unexpected);
    await second.restore();
    assert.equal(shownBy(second), 'new');
    await second.clear();
    assert.equal(shownBy(second), undefined);
    const third = new Threads(source, memory, unexpected);
    await third.restore();
    assert.equal(shownBy(third), undefined);
  });

  test('a thread that cannot be read is reported, and the window is empty', async () => {
    const memory = new Memory();
    await memory.update('tiller.currentThread', 'gone');
    const reported: unknown[] = [];
    const source = { start: () => assert.fail('nobody asked'), resume: () => Promise.reject(new Error('unreadable')) };
    const threads = new Threads(source, memory, (error) => void reported.push(error));
    await threads.restore();
    assert.equal(shownBy(threads), undefined);
    assert.equal(reported.length, 1);
  });
});

suite('what only the person may say', () => {
  test('a key is kept under its origin and given to no other', async () => {
    const kept = new Map<string, string>();
    const storage = {
      get: async (key: string) => kept.get(key),
      store: async (key: string, value: string) => void kept.set(key, value),
      delete: async (key: string) => void kept.delete(key),
    } as unknown as vscode.SecretStorage;
    const heard: string[] = [];
    const keys = new KeyStore(storage, (key) => void heard.push(key));
    await keys.store('https://models.example.com/v1', 'secret');
    assert.equal(await keys.keyFor('https://models.example.com'), 'secret');
    assert.equal(await keys.keyFor('https://models.example.com:8443'), undefined);
    assert.equal(await keys.keyFor('http://models.example.com'), undefined);
    assert.deepEqual(heard, ['secret', 'secret']);
  });

  test('a workspace sets nothing of Tiller', async () => {
    const configuration = vscode.workspace.getConfiguration('tiller');
    await assert.rejects(
      Promise.resolve(configuration.update('approvalPolicy', 'never', vscode.ConfigurationTarget.Workspace)),
    );
    assert.equal(readSettings(assert.fail).approvalPolicy, 'on-request');
  });

  test('a value that does not fit is said and left at its default', async () => {
    const configuration = vscode.workspace.getConfiguration('tiller');
    await configuration.update('maxToolRounds', -1, vscode.ConfigurationTarget.Global);
    const complaints: string[] = [];
    const { maxToolRounds } = readSettings((message) => void complaints.push(message));
    await configuration.update('maxToolRounds', undefined, vscode.ConfigurationTarget.Global);
    assert.equal(maxToolRounds, 200);
    assert.match(complaints.join(), /maxToolRounds/);
  });
});
