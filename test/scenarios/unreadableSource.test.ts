/** `sandbox.unreadable` for patches: a patch does not show, change or remove a file that commands may not read. */
import { existsSync, readFileSync, renameSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { describe, expect, it } from 'vitest';
import type { AuditEntry } from '../../src/protocol/audit.ts';
import { calls, says } from '../support/modelServer.ts';
import { startScenario, type ScenarioOptions } from '../support/startScenario.ts';
import { tempFolder, type TempFolder } from '../support/tempFolder.ts';

const patch = (...lines: readonly string[]) =>
  calls('apply_patch', { input: ['*** Begin Patch', ...lines, '*** End Patch'].join('\n') });

/** An unreadable folder with a key in it, and a chat in the folder beside it. */
async function beside(call: (keys: TempFolder) => ReturnType<typeof patch>, options: Partial<ScenarioOptions> = {}) {
  const keys = tempFolder();
  writeFileSync(keys.at('id'), 'SECRET\n');
  const chat = await startScenario({
    model: [[call(keys)], [says('Ok.')]],
    unreadable: [keys.path],
    ...options,
  });
  return {
    chat,
    keys,
    async [Symbol.asyncDispose]() {
      await chat[Symbol.asyncDispose]();
      keys[Symbol.dispose]();
    },
  };
}

const refused = (path: string) =>
  `Not allowed: ${path} may not be read (sandbox.unreadable), so a patch may not change, move, replace or delete it. Only the user can do that.`;

describe('a patch to a file that may not be read is refused', () => {
  it.each<[string, (keys: TempFolder) => ReturnType<typeof patch>]>([
    ['to move it', ({ at }) => patch(`*** Update File: ${at('id')}`, '*** Move to: mine', '@@', '-SECRET', '+SECRET!')],
    ['to change it', ({ at }) => patch(`*** Update File: ${at('id')}`, '@@', '-SECRET', '+ours')],
    ['to delete it', ({ at }) => patch(`*** Delete File: ${at('id')}`)],
    ['to replace it', ({ at }) => patch(`*** Add File: ${at('id')}`, '+ours')],
    [
      'to move another file over it',
      ({ at }) => patch('*** Update File: a.txt', `*** Move to: ${at('id')}`, '@@', '-one', '+two'),
    ],
  ])('%s, without an approval request, and the refusal is logged', async (_what, call) => {
    await using here = await beside(call, { files: { 'a.txt': 'one\n' } });
    const { chat, keys } = here;
    await chat.send('go');
    expect(chat.outputs()).toEqual([refused(keys.at('id'))]);
    expect(chat.said('approval_requested')).toEqual([]);
    expect(chat.items('file_change')).toMatchObject([{ status: 'declined', diff: '' }]);
    expect(chat.files()).toEqual({ 'a.txt': 'one\n' });
    expect(readFileSync(keys.at('id'), 'utf8')).toBe('SECRET\n');
    const entries = readFileSync(chat.home.at('audit.jsonl'), 'utf8').trimEnd().split('\n');
    const decisions = entries.map((line): AuditEntry => JSON.parse(line));
    expect(JSON.stringify(decisions)).toContain('unreadable-path');
  });

  it('when a link leads there', async () => {
    await using here = await beside(() => patch('*** Update File: d/id', '*** Move to: mine', '@@', '-SECRET', '+x'));
    const { chat, keys } = here;
    symlinkSync(keys.path, chat.folder.at('d'));
    await chat.send('go');
    const what = `${chat.folder.at('d/id')} leads to ${keys.at('id')}, which`;
    expect(chat.outputs()).toEqual([refused(what)]);
    expect(readFileSync(keys.at('id'), 'utf8')).toBe('SECRET\n');
  });

  it('when it is the target of a link in the setting', async () => {
    using real = tempFolder();
    writeFileSync(real.at('id'), 'SECRET\n');
    using links = tempFolder();
    symlinkSync(real.path, links.at('keys'));
    await using here = await beside(() => patch(`*** Delete File: ${real.at('id')}`), {
      unreadable: [links.at('keys')],
    });
    await here.chat.send('go');
    expect(here.chat.outputs()).toEqual([refused(real.at('id'))]);
    expect(existsSync(real.at('id'))).toBe(true);
  });

  it('when its folder becomes a link while the approval is pending', async () => {
    await using here = await beside(() => patch('*** Update File: d/id', '*** Move to: mine', '@@', '-SECRET', '+x'), {
      files: { 'd/id': 'SECRET\n' },
      review: 'before',
    });
    const { chat, keys } = here;
    const over = chat.send('go');
    await chat.next('approval_requested');
    renameSync(chat.folder.at('d'), chat.folder.at('aside'));
    symlinkSync(keys.path, chat.folder.at('d'));
    await chat.answer('approved');
    await over;
    expect(chat.outputs()).toEqual([refused(`${chat.folder.at('d/id')} leads to ${keys.at('id')}, which`)]);
    expect(readFileSync(keys.at('id'), 'utf8')).toBe('SECRET\n');
    expect(existsSync(chat.folder.at('mine'))).toBe(false);
  });
});

it('but a new file there needs approval like any other outside', async () => {
  await using here = await beside(({ at }) => patch(`*** Add File: ${at('new')}`, '+ours'));
  const over = here.chat.send('go');
  const question = await here.chat.next('approval_requested');
  expect(question.reason.id).toBe('outside-writable-roots');
  await here.chat.answer('approved');
  await over;
  expect(readFileSync(here.keys.at('new'), 'utf8')).toBe('ours\n');
});

it('but the working directory is readable although its parent is not', async () => {
  await using here = await beside(() => patch('*** Update File: a.txt', '*** Move to: b.txt', '@@', '-one', '+two'), {
    files: { 'a.txt': 'one\n' },
    unreadable: [tmpdir()],
  });
  await here.chat.send('go');
  expect(here.chat.files()).toEqual({ 'b.txt': 'two\n' });
});

it('but under full access it is applied', async () => {
  await using here = await beside(
    ({ at }) => patch(`*** Update File: ${at('id')}`, '*** Move to: mine', '@@', '-SECRET', '+open'),
    { sandbox: 'danger-full-access' },
  );
  await here.chat.send('go');
  expect(here.chat.files()).toEqual({ mine: 'open\n' });
});
