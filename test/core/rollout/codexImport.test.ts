/** Rollouts of Codex, imported as threads of Tiller (docs/reference/codex-behaviour.md §10). */
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { importCodex } from '../../../src/core/rollout/codexImport.ts';
import { type ReplayedThread, replay } from '../../../src/core/rollout/replay.ts';

const about = {
  format: 'tiller-rollout',
  version: 1,
  id: 'new',
  timestamp: '2026-11-21T00:00:00.000Z',
  cwd: '/work',
  originator: 'vscode',
  tiller_version: '0',
  model: 'm',
  provider: 'p',
  instructions: 'You are Tiller.',
} as const;

function imported(file: string): ReplayedThread {
  const text = readFileSync(path.join(import.meta.dirname, '../../fixtures/codex-rollout', file), 'utf8');
  const result = importCodex(text, about);
  if (result.type !== 'imported') throw new Error(result.message);
  const read = replay(result.text);
  if (read.type !== 'thread') throw new Error(read.message);
  expect(read.thread.dropped).toBe(0);
  return read.thread;
}

describe('a rollout of Codex', () => {
  it('shows its messages and commands', () => {
    const { meta, state } = imported('2026.jsonl');
    expect(meta).toMatchObject({
      id: 'new',
      cwd: '/home/me/shop',
      model: 'gpt-5.2-codex',
      provider: 'openai',
      imported_from: 'codex:019c0000-1111-7222-8333-444444444444',
    });
    expect(state.title).toBe('fix the total');
    expect(state.turns.map(({ status, startedAt }) => [status.type, startedAt])).toEqual([
      ['completed', '2026-02-01T10:00:01.000Z'],
      ['aborted', '2026-02-01T10:00:09.000Z'],
    ]);
    expect(state.turns.flatMap(({ items }) => items.map(({ type, status }) => `${type} ${status}`))).toEqual([
      'user_message completed',
      'reasoning completed',
      'command_execution completed',
      'file_change completed',
      'dynamic_tool_call completed',
      'agent_message completed',
      'user_message completed',
      'command_execution completed',
    ]);
    expect(state.turns[0]?.items[2]).toMatchObject({ command: 'cat total.js', exitCode: 0, cwd: '/home/me/shop' });
    expect(state.turns[0]?.items[3]).toMatchObject({
      changes: [{ path: 'total.js', kind: 'update', added: 1, removed: 1 }],
      diff: expect.stringContaining('+return a + b;'),
    });
    expect(state.tokens).toMatchObject({ total: { total: 950 }, contextWindow: 272_000 });
  });

  it('gives the model the messages and outputs, without context that holds in Codex only', () => {
    const { history } = imported('2026.jsonl');
    expect(history.map((item) => [item.type, 'role' in item ? item.role : ''].join(' ').trim())).toEqual([
      'message user',
      'function_call',
      'function_call_output',
      'custom_tool_call',
      'custom_tool_call_output',
      'function_call',
      'function_call_output',
      'message assistant',
      'message user',
      'function_call',
    ]);
    expect(JSON.stringify(history)).not.toMatch(/AGENTS|environment_context|gAAAA|turn_aborted/);
  });

  it('of 2025, without envelopes, is read too', () => {
    const { state, history } = imported('2025-bare.jsonl');
    expect(state.turns[0]?.items).toMatchObject([
      { type: 'user_message', content: [{ text: 'list files' }] },
      { type: 'command_execution', command: 'ls -l', exitCode: 2, output: 'a.txt\n', status: 'failed' },
      { type: 'agent_message', text: 'One file.' },
    ]);
    expect(history).toHaveLength(4);
  });

  it('counts the lines that could not be read, and refuses other files', () => {
    const text = readFileSync(path.join(import.meta.dirname, '../../fixtures/codex-rollout/2026.jsonl'), 'utf8');
    expect(importCodex(text, about)).toMatchObject({ type: 'imported', dropped: 1 });
    const damaged = [
      { type: 'response_item', payload: { type: 'message', role: 'user', content: 7 } },
      { type: 'response_item', payload: { type: 'ghost_snapshot' } },
    ].map((line) => JSON.stringify(line));
    const worse = `${text}\n${damaged.join('\n')}`;
    expect(importCodex(worse, about)).toMatchObject({ type: 'imported', dropped: 2 });
    for (const other of ['', 'hello', '{"a":1}', '[]\n'])
      expect(importCodex(other, about)).toMatchObject({ type: 'unreadable' });
  });
});
