// The user moves files, or deletes folders, while a patch that changes them is pending.
import { mkdirSync, renameSync, rmSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { MoveLog } from '../../src/core/util/moveLog.ts';
import type { ProposalChoices } from '../../src/protocol/policy.ts';
import { calls, says } from '../support/modelServer.ts';
import { type Scenario, startScenario } from '../support/startScenario.ts';

const LINES = Array.from({ length: 20 }, (_, index) => `line ${index + 1}`);
const TEXT = `${LINES.join('\n')}\n`;
const CHUNKS = ['@@', '-line 2', '+TWO', '@@', '-line 18', '+EIGHTEEN'];
const patch = (...lines: string[]) => ['*** Begin Patch', ...lines, '*** End Patch'].join('\n');

interface Pending {
  readonly chat: Scenario;
  readonly ended: Promise<unknown>;
  /** As VS Code does it: the file first, then the event. */
  readonly move: (from: string, to: string) => void;
}

async function pending(files: Record<string, string>, input: string, reviewed?: ProposalChoices): Promise<Pending> {
  const log = new MoveLog((error) => {
    throw error;
  });
  let review = reviewed;
  const chat = await startScenario({
    review: 'before',
    files,
    model: [[calls('apply_patch', { input })], [says('Done.')]],
    deps: ({ workspace }) => ({ workspace: { ...workspace, moves: log } }),
    host: {
      proposals: {
        propose: (_approvalId, _files, carried) => void (review = carried ?? review),
        reviewOf: () => review,
      },
    },
  });
  const ended = chat.turnEnds();
  chat.submit({ type: 'user_turn', input: [{ type: 'text', text: 'go' }] });
  await chat.next('approval_requested');
  const move = (from: string, to: string) => {
    renameSync(chat.folder.at(from), chat.folder.at(to));
    log.add({ from: chat.folder.at(from), to: chat.folder.at(to) });
  };
  return { chat, ended, move };
}

describe('a pending patch', () => {
  it('follows a renamed file at once, with the choices, and the model gets the new path', async () => {
    const input = patch('*** Update File: old.txt', ...CHUNKS);
    const { chat, ended, move } = await pending({ 'old.txt': TEXT }, input, [{ path: 'old.txt', leftOut: [1] }]);
    const again = chat.next('approval_requested');
    move('old.txt', 'new.txt');
    const { changes, moved, reviewed, missingFolders } = await again;
    expect(changes).toMatchObject([{ path: 'new.txt', added: 2, removed: 2 }]);
    expect(moved).toEqual([{ from: 'old.txt', to: 'new.txt' }]);
    expect(reviewed).toEqual([{ path: 'new.txt', leftOut: [1] }]);
    expect(missingFolders).toBeUndefined();
    expect(chat.said('approval_resolved')).toMatchObject([{ decision: 'abort', by: 'turn_ended' }]);
    await chat.answer('approved');
    await ended;
    expect(chat.files()).toEqual({ 'new.txt': TEXT.replace('line 2\n', 'TWO\n') });
    expect(chat.outputs()[0]).toContain('Patch applied to these files:\nM new.txt');
    expect(chat.outputs()[0]).toContain('The user has moved old.txt to new.txt since; the patch was applied there.');
    await chat[Symbol.asyncDispose]();
  });

  it('follows a renamed folder, for new files in it, too, and a rename that is undone', async () => {
    const input = patch('*** Update File: src/a.txt', ...CHUNKS, '*** Add File: src/b.txt', '+b');
    const { chat, ended, move } = await pending({ 'src/a.txt': TEXT }, input);
    const second = chat.next('approval_requested');
    move('src', 'lib');
    expect((await second).changes?.map(({ path }) => path)).toEqual(['lib/a.txt', 'lib/b.txt']);
    const third = chat.next('approval_requested');
    move('lib', 'src');
    const { changes, moved, missingFolders } = await third;
    expect(changes?.map(({ path }) => path)).toEqual(['src/a.txt', 'src/b.txt']);
    expect([moved, missingFolders]).toEqual([undefined, undefined]);
    await chat.answer('approved');
    await ended;
    expect(Object.keys(chat.files())).toEqual(['src/a.txt', 'src/b.txt']);
    await chat[Symbol.asyncDispose]();
  });

  it('stays as it is when another file moves', async () => {
    const { chat, ended, move } = await pending(
      { 'a.txt': TEXT, 'b.txt': '' },
      patch('*** Update File: a.txt', ...CHUNKS),
    );
    move('b.txt', 'c.txt');
    await chat.answer('approved');
    await ended;
    expect(chat.said('approval_requested')).toHaveLength(1);
    await chat[Symbol.asyncDispose]();
  });

  it('asks again before it creates a folder that is gone since', async () => {
    const { chat, ended } = await pending({ 'docs/old.txt': '' }, patch('*** Add File: docs/new/a.txt', '+a'));
    rmSync(chat.folder.at('docs'), { recursive: true });
    const again = chat.next('approval_requested');
    await chat.answer('approved');
    expect((await again).missingFolders).toEqual(['docs']);
    expect(chat.files()).toEqual({});
    await chat.answer('approved');
    await ended;
    expect(chat.files()).toEqual({ 'docs/new/a.txt': 'a\n' });
    await chat[Symbol.asyncDispose]();
  });

  it('asks once where a folder is to be created anyway, and where it is there again', async () => {
    const { chat, ended } = await pending({ 'docs/old.txt': '' }, patch('*** Add File: docs/new/a.txt', '+a'));
    rmSync(chat.folder.at('docs'), { recursive: true });
    mkdirSync(chat.folder.at('docs'));
    await chat.answer('approved');
    await ended;
    expect(chat.said('approval_requested')).toHaveLength(1);
    expect(chat.files()).toEqual({ 'docs/new/a.txt': 'a\n' });
    await chat[Symbol.asyncDispose]();
  });
});
