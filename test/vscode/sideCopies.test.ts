/** Changes of a side copy on their way home, in the diff editors and the buffers of VS Code. */
import assert from 'node:assert/strict';
import { chmodSync, existsSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { suite, test } from 'mocha';
import * as vscode from 'vscode';
import type { SideCopy } from '../../src/core/sideCopies/sideCopy.ts';
import { systemClock } from '../../src/node/host/clock.ts';
import { initialThreadState, type ThreadState } from '../../src/protocol/thread.ts';
import { SideCopies } from '../../src/node/sideCopies/sideCopies.ts';
import { createLocks } from '../../src/node/storage/locks.ts';
import { ProposalTabs } from '../../src/vscode/proposals/proposalTabs.ts';
import { agentCopies } from '../../src/vscode/sideCopies/agentCopy.ts';
import { BringHome } from '../../src/vscode/sideCopies/bringHome.ts';
import { SideCopyCommands } from '../../src/vscode/sideCopies/sideCopyCommands.ts';
import { unsavedTexts } from '../../src/vscode/sideCopies/unsavedTexts.ts';
import { UndoCommand } from '../../src/vscode/undo/undoCommand.ts';
import { tempFolder } from '../support/tempFolder.ts';
import { type EditorPlace, inPlace } from './support/editorPlace.ts';

const NEVER = new AbortController().signal;
const IMAGE = Buffer.of(0x89, 0x50, 0x4e, 0x47, 0, 1, 0xff, 0xfe, 0);
const OTHER_IMAGE = Buffer.of(0x89, 0x50, 0x4e, 0x47, 0, 2, 0xff, 0xfe, 0);
const LINES = Array.from({ length: 20 }, (_, index) => `line ${index + 1}`);
/** The text with other words in some lines. */
const text = (changed: Readonly<Record<number, string>> = {}) =>
  LINES.map((line, index) => `${changed[index + 1] ?? line}\n`).join('');

interface Desk {
  readonly here: EditorPlace;
  readonly copies: SideCopies;
  readonly copy: SideCopy;
  readonly tabs: ProposalTabs;
  readonly bringHome: BringHome;
  readonly undo: UndoCommand;
  /** The id of the review. */
  readonly id: string;
  /** Changes that came home and were undone. */
  readonly news: readonly string[];
  /** Messages to the user. */
  readonly told: readonly string[];
  /** In the copy. */
  at(name: string): string;
  /** Which rows of the list of whole files and permissions are selected from now on. */
  select(which: (item: vscode.QuickPickItem) => boolean): void;
  /** Runs `act` while that list is open, from now on. */
  whileListed(act: () => Promise<void>): void;
  /** The rows of that list, when it was shown last. */
  asked(): readonly string[];
  /** Paths that the copy still offers. */
  offered(): Promise<readonly string[]>;
  /** The next time that something has come home, or was undone. */
  settled(): Promise<void>;
}

function fail(error: unknown): void {
  throw error;
}

/** `before`: what the user does before the copy is made. Of files that are taken as a whole, all or none are selected. */
function withCopy(
  files: Readonly<Record<string, string | Uint8Array>>,
  story: (desk: Desk) => Promise<void>,
  {
    before,
    whole = true,
    report = fail,
  }: {
    readonly before?: (here: EditorPlace) => Promise<void>;
    readonly whole?: boolean;
    readonly report?: (error: unknown) => void;
  } = {},
): () => Promise<void> {
  return inPlace(files, async (here) => {
    using home = tempFolder();
    const { showQuickPick, showInformationMessage, showWarningMessage, showErrorMessage } = vscode.window;
    const told: string[] = [];
    let select: (item: vscode.QuickPickItem) => boolean = () => whole;
    let whileListed: () => Promise<void> = async () => {};
    let asked: readonly string[] = [];
    const message = async (sentence: string) => void told.push(sentence);
    Object.assign(vscode.window, {
      showQuickPick: async (items: readonly vscode.QuickPickItem[]) => {
        asked = items.map(({ label, description = '' }) => `${label}: ${description}`);
        await whileListed();
        return items.filter((item) => select(item));
      },
      showInformationMessage: message,
      showWarningMessage: message,
      showErrorMessage: message,
    });
    const tabs = new ProposalTabs();
    const copies = new SideCopies({ home: home.path, locks: createLocks(home.path, 'vscode'), clock: systemClock });
    const waiting: (() => void)[] = [];
    const news: string[] = [];
    const undo = new UndoCommand(here.undo, fail);
    const bringHome = new BringHome({
      store: copies,
      workspace: here.workspace,
      holdFolders: here.deps.holdFolders,
      journal: here.deps.journal,
      tabs: {
        propose: (...proposal) => tabs.propose(...proposal),
        show: (...which) => tabs.show(...which),
        close: (id) => tabs.close(id),
        reviewOf: (id) => tabs.reviewOf(id),
        stateOf: (id) => tabs.proposals.stateOf(id),
      },
      apply: (changes, origin) => here.workspace.apply(changes, undefined, origin),
      onUndone: undo.onUndone,
      onSettled: ({ what, paths }) => {
        news.push(`${what}: ${paths.map((file) => path.relative(here.root, file)).join(', ')}`);
        for (const resolve of waiting.splice(0)) resolve();
      },
      report,
    });
    try {
      await before?.(here);
      const given = { roots: [here.root], links: [], unsaved: await unsavedTexts(), signal: NEVER, progress: () => {} };
      const { copy } = await copies.make(given);
      const folder = copy.folders[0]?.copy ?? '';
      await story({
        here,
        copies,
        copy,
        tabs,
        bringHome,
        undo,
        told,
        select: (which) => (select = which),
        whileListed: (act) => (whileListed = act),
        asked: () => asked,
        id: `side-copy-${copy.id}`,
        at: (name) => path.join(folder, name),
        news,
        settled: () => new Promise((resolve) => waiting.push(resolve)),
        offered: async () =>
          (await copies.changes(copy.id, NEVER)).map((change) => path.relative(here.root, change.home)),
      });
    } finally {
      bringHome.dispose();
      tabs.dispose();
      Object.assign(vscode.window, { showQuickPick, showInformationMessage, showWarningMessage, showErrorMessage });
    }
  });
}

async function lensTitles(tabs: ProposalTabs, id: string): Promise<readonly (string | undefined)[]> {
  const [file] = tabs.proposals.filesOf(id);
  const found = await vscode.commands.executeCommand<vscode.CodeLens[]>(
    'vscode.executeCodeLensProvider',
    file?.after,
    99,
  );
  return found.map(({ command }) => command?.title);
}

suite('a side copy comes home', () => {
  test(
    'hunk by hunk, beside text that is not saved, and Undo Patch offers it again',
    withCopy({ 'a.txt': text() }, async ({ here, copy, tabs, bringHome, undo, id, at, offered, settled, told }) => {
      writeFileSync(at('a.txt'), text({ 3: 'of the copy', 15: 'also' }));
      await here.type('a.txt', 'typed\n');
      await bringHome.open(copy);
      assert.equal(bringHome.has(id), true);
      assert.equal(here.disk('a.txt'), text(), 'nothing is written before the user approves');
      await tabs.proposals.choose(id, 'a.txt', 1, 'out');
      // No model reads why a hunk stays in the copy.
      assert.deepEqual(await lensTitles(tabs, id), [
        '$(check) Approve 1 of 2 Hunks',
        '$(close) Deny…',
        '$(discard) Reject',
        '$(redo) Restore (rejected)',
      ]);
      await bringHome.approve(id);
      assert.equal(here.document('a.txt')?.getText(), `typed\n${text({ 3: 'of the copy' })}`);
      assert.deepEqual([here.dirty(), here.disk('a.txt')], [[here.at('a.txt')], text()]);
      assert.match(told.at(-1) ?? '', /^Brought home 1 file\. Changes of 1 file are left/);
      // The other hunk alone.
      await bringHome.open(copy);
      assert.deepEqual(
        tabs.proposals.stateOf(id).files.map(({ hunks }) => hunks),
        [['in']],
      );
      await bringHome.approve(id);
      assert.equal(here.document('a.txt')?.getText(), `typed\n${text({ 3: 'of the copy', 15: 'also' })}`);
      assert.deepEqual(await offered(), []);
      const unsettled = settled();
      await undo.undo(undefined);
      await unsettled;
      assert.equal(here.document('a.txt')?.getText(), `typed\n${text({ 3: 'of the copy' })}`);
      assert.deepEqual(await offered(), ['a.txt']);
    }),
  );

  test(
    'without the lines that the user changed, too, until the user restores them',
    withCopy({ 'a.txt': text() }, async ({ here, copy, tabs, bringHome, id, at, offered, told }) => {
      writeFileSync(at('a.txt'), text({ 3: 'of the copy', 15: 'also' }));
      here.write('a.txt', text({ 3: 'of the user' }));
      await bringHome.open(copy);
      assert.match(told.at(-1) ?? '', /^1 change is at lines that you changed/);
      assert.deepEqual(
        tabs.proposals.stateOf(id).files.map(({ hunks }) => hunks),
        [['out', 'in']],
      );
      await bringHome.approve(id);
      assert.equal(here.disk('a.txt'), text({ 3: 'of the user', 15: 'also' }));
      assert.deepEqual(await offered(), ['a.txt']);
      await bringHome.open(copy);
      await tabs.proposals.choose(id, 'a.txt', 0, 'in');
      await bringHome.approve(id);
      assert.equal(here.disk('a.txt'), text({ 3: 'of the copy', 15: 'also' }));
      assert.deepEqual(await offered(), []);
    }),
  );

  for (const order of ['first', 'second'] as const) {
    test(
      `beside another copy of the same files, which loses nothing (the ${order} comes home first)`,
      withCopy({ 'a.txt': text(), 'b.txt': 'b\n' }, async ({ here, copies, copy, tabs, bringHome, at }) => {
        const given = { roots: [here.root], links: [], unsaved: new Map(), signal: NEVER, progress: () => {} };
        const other = (await copies.make(given)).copy;
        const inOther = (name: string) => path.join(other.folders[0]?.copy ?? '', name);
        writeFileSync(at('a.txt'), text({ 3: 'first', 10: 'first' }));
        writeFileSync(inOther('a.txt'), text({ 3: 'second', 15: 'second' }));
        rmSync(at('b.txt'));
        writeFileSync(inOther('b.txt'), 'B\n');
        const [earlier, later] = order === 'first' ? [copy, other] : [other, copy];
        for (const each of [earlier, later]) {
          await bringHome.open(each);
          await bringHome.approve(`side-copy-${each.id}`);
        }
        assert.equal(here.disk('a.txt'), text({ 3: order, 10: 'first', 15: 'second' }));
        assert.equal(existsSync(here.at('b.txt')), order === 'second');
        assert.deepEqual(await copies.changes(earlier.id, NEVER), []);
        const left = (await copies.changes(later.id, NEVER)).map(({ home }) => path.relative(here.root, home));
        assert.deepEqual(left, ['a.txt', 'b.txt']);
        await bringHome.open(later);
        await tabs.proposals.choose(`side-copy-${later.id}`, 'a.txt', 0, 'in');
        await bringHome.approve(`side-copy-${later.id}`);
        const last = order === 'first' ? 'second' : 'first';
        assert.equal(here.disk('a.txt'), text({ 3: last, 10: 'first', 15: 'second' }));
      }),
    );
  }

  test(
    'while the user types: at other lines it fits, at the same lines nothing is written and the review is shown again',
    withCopy({ 'a.txt': text() }, async ({ here, copy, tabs, bringHome, id, at, told }) => {
      writeFileSync(at('a.txt'), text({ 10: 'of the copy' }));
      await bringHome.open(copy);
      await here.type('a.txt', 'typed\n');
      await bringHome.approve(id);
      assert.equal(here.document('a.txt')?.getText(), `typed\n${text({ 10: 'of the copy' })}`);
      writeFileSync(at('a.txt'), text({ 5: 'fifth', 10: 'of the copy' }));
      await here.document('a.txt')?.save();
      await bringHome.open(copy);
      const editor = await here.open('a.txt');
      await editor.edit((builder) => builder.replace(new vscode.Range(5, 0, 5, 6), 'typed now'));
      await bringHome.approve(id);
      assert.ok(told.some((sentence) => sentence.startsWith('These files changed at the same moment')));
      assert.equal(editor.document.getText(), `typed\n${text({ 5: 'typed now', 10: 'of the copy' })}`);
      assert.deepEqual(
        tabs.proposals.stateOf(id).files.map(({ hunks }) => hunks),
        [['out']],
      );
    }),
  );

  test(
    'with new, deleted and binary files, links left behind, and permissions',
    withCopy(
      { 'gone.txt': 'old\n', 'image.bin': IMAGE, 'run.sh': '#!/bin/sh\n' },
      async ({ here, copy, bringHome, id, at, offered }) => {
        rmSync(at('gone.txt'));
        writeFileSync(at('new.sh'), '#!/bin/sh\n', { mode: 0o755 });
        writeFileSync(at('image.bin'), OTHER_IMAGE);
        writeFileSync(at('run.sh'), '#!/bin/sh\n', { mode: 0o755 });
        rmSync(at('run.sh'));
        writeFileSync(at('run.sh'), '#!/bin/sh\n', { mode: 0o755 });
        await bringHome.open(copy);
        await bringHome.approve(id);
        assert.equal(existsSync(here.at('gone.txt')), false);
        assert.deepEqual(readFileSync(here.at('image.bin')), OTHER_IMAGE);
        assert.deepEqual(
          ['new.sh', 'run.sh'].map((name) => statSync(here.at(name)).mode & 0o777),
          [0o755, 0o755],
        );
        assert.deepEqual(await offered(), []);
      },
    ),
  );

  test(
    'with permissions only where the user selects them, beside the text of the same file',
    withCopy({ 'run.sh': 'one\n', 'tool.sh': 'same\n' }, async (desk) => {
      const { here, copy, tabs, bringHome, undo, id, at, offered, told, settled } = desk;
      const modes = () => ['run.sh', 'tool.sh'].map((name) => statSync(here.at(name)).mode & 0o777);
      writeFileSync(at('run.sh'), 'two\n');
      chmodSync(at('run.sh'), 0o755);
      chmodSync(at('tool.sh'), 0o755);
      desk.select(() => false);
      await bringHome.open(copy);
      assert.deepEqual(
        tabs.proposals.stateOf(id).files.map((file) => file.path),
        ['run.sh'],
      );
      await bringHome.approve(id);
      assert.deepEqual([here.disk('run.sh'), modes()], ['two\n', [0o644, 0o644]]);
      assert.deepEqual(desk.asked(), [
        'run.sh: becomes executable · permissions: 644 → 755',
        'tool.sh: becomes executable · permissions: 644 → 755',
      ]);
      assert.deepEqual(await offered(), ['run.sh', 'tool.sh'], 'what was not selected is offered again');
      desk.select(({ label }) => label === 'run.sh');
      await bringHome.open(copy);
      assert.deepEqual([modes(), await offered()], [[0o755, 0o644], ['tool.sh']]);
      assert.match(told.at(-1) ?? '', /^Brought home 1 file\./);
      // Permissions come home and go back with the patch that they came with.
      writeFileSync(at('run.sh'), 'three\n');
      desk.select(() => true);
      await bringHome.open(copy);
      await bringHome.approve(id);
      assert.deepEqual([here.disk('run.sh'), modes(), await offered()], ['three\n', [0o755, 0o755], []]);
      const unsettled = settled();
      await undo.undo(undefined);
      await unsettled;
      assert.deepEqual([here.disk('run.sh'), modes()], ['two\n', [0o755, 0o644]]);
      assert.deepEqual(await offered(), ['run.sh', 'tool.sh']);
      assert.deepEqual(desk.news, [
        'brought_home: run.sh',
        'brought_home: run.sh',
        'brought_home: run.sh, tool.sh',
        'undone: run.sh, tool.sh',
      ]);
    }),
  );

  for (const end of ['finish', 'rollback'] as const) {
    test(
      `with the permissions of all files or of none after the window was killed in between (${end})`,
      withCopy({ 'a.sh': 'one\n', 'b.sh': 'two\n' }, async ({ here, copy, bringHome, at, offered }) => {
        const modes = () => ['a.sh', 'b.sh'].map((name) => statSync(here.at(name)).mode & 0o777);
        for (const name of ['a.sh', 'b.sh']) chmodSync(at(name), 0o755);
        here.beforeFirstWrite = () => here.keepJournalOfDeadHost();
        await bringHome.open(copy);
        assert.deepEqual([modes(), await offered()], [[0o755, 0o755], []]);
        // As if the window had been killed after the first file.
        chmodSync(here.at('b.sh'), 0o644);
        const [interrupted, ...others] = await here.interruptedApplies();
        assert.deepEqual(
          [interrupted?.changes.map((change) => path.basename(change.path)), others],
          [['a.sh', 'b.sh'], []],
        );
        const settled = await interrupted?.settle((choices) => choices[end](), { signal: NEVER });
        assert.equal(settled?.type, 'settled');
        assert.deepEqual(modes(), end === 'finish' ? [0o755, 0o755] : [0o644, 0o644]);
        assert.deepEqual([here.disk('a.sh'), here.disk('b.sh')], ['one\n', 'two\n']);
      }),
    );
  }

  test(
    'with permissions that are never set through a link',
    withCopy(
      { 'run.sh': 'one\n' },
      async (desk) => {
        const { here, copy, bringHome, at } = desk;
        using outside = tempFolder();
        writeFileSync(outside.at('target.sh'), 'one\n');
        chmodSync(at('run.sh'), 0o755);
        // The user looks at the list while the file is replaced.
        desk.select(() => {
          rmSync(here.at('run.sh'));
          symlinkSync(outside.at('target.sh'), here.at('run.sh'));
          return true;
        });
        await bringHome.open(copy);
        assert.equal(statSync(outside.at('target.sh')).mode & 0o777, 0o644);
      },
      { report: () => {} },
    ),
  );

  test(
    'with the permissions of the workspace for whole files, and those of the copy for new ones, also private ones',
    withCopy({ 'tool.bin': IMAGE }, async (desk) => {
      const { here, copy, bringHome, id, at, offered } = desk;
      const modes = (...names: string[]) => names.map((name) => statSync(here.at(name)).mode & 0o777);
      chmodSync(here.at('tool.bin'), 0o600);
      writeFileSync(at('tool.bin'), OTHER_IMAGE);
      chmodSync(at('tool.bin'), 0o755);
      writeFileSync(at('key.txt'), 'private\n', { mode: 0o600 });
      writeFileSync(at('new.bin'), IMAGE);
      chmodSync(at('new.bin'), 0o755);
      desk.select(({ picked }) => picked === true);
      await bringHome.open(copy);
      await bringHome.approve(id);
      assert.deepEqual(desk.asked(), [
        'new.bin: new, executable',
        'tool.bin: replaced',
        'tool.bin: becomes executable · permissions: 600 → 755 · conflict: the workspace has changed them, too',
      ]);
      assert.deepEqual(readFileSync(here.at('tool.bin')), OTHER_IMAGE);
      assert.deepEqual(modes('key.txt', 'new.bin', 'tool.bin'), [0o600, 0o755, 0o600]);
      assert.deepEqual(await offered(), ['tool.bin']);
      desk.select(() => true);
      await bringHome.open(copy);
      assert.deepEqual([modes('tool.bin'), await offered()], [[0o755], []]);
    }),
  );

  test(
    'not by choices of a review that was shown again while the list of whole files was open',
    withCopy({ 'a.txt': text(), 'image.bin': IMAGE }, async (desk) => {
      const { here, copy, bringHome, id, at, told } = desk;
      writeFileSync(at('a.txt'), text({ 15: 'of the copy' }));
      writeFileSync(at('image.bin'), OTHER_IMAGE);
      await bringHome.open(copy);
      desk.whileListed(() => {
        writeFileSync(at('a.txt'), text({ 3: 'new since', 15: 'of the copy' }));
        return bringHome.open(copy);
      });
      await bringHome.approve(id);
      assert.ok(told.includes('The side copy was compared again while the list was open. Nothing was changed.'));
      assert.deepEqual([here.disk('a.txt'), readFileSync(here.at('image.bin'))], [text(), IMAGE]);
      desk.whileListed(async () => {});
      await bringHome.approve(id);
      assert.equal(here.disk('a.txt'), text({ 3: 'new since', 15: 'of the copy' }));
    }),
  );

  test(
    'and is offered again file by file where Undo Patch leaves some of them alone',
    withCopy({ 'a.txt': text(), 'b.txt': text() }, async (desk) => {
      const { here, copy, bringHome, undo, id, at, offered, settled } = desk;
      for (const name of ['a.txt', 'b.txt']) writeFileSync(at(name), text({ 3: 'of the copy' }));
      await bringHome.open(copy);
      await bringHome.approve(id);
      for (const name of ['a.txt', 'b.txt']) here.write(name, text({ 3: 'of the user' }));
      await undo.undo(undefined);
      assert.deepEqual([desk.news, await offered()], [['brought_home: a.txt, b.txt'], []], 'nothing was undone');
      here.write('a.txt', text({ 3: 'of the copy' }));
      const first = settled();
      await undo.undo(undefined);
      await first;
      assert.deepEqual([desk.news.at(-1), await offered()], ['undone: a.txt', ['a.txt']]);
      here.write('b.txt', text({ 3: 'of the copy' }));
      const second = settled();
      await undo.undo(undefined);
      await second;
      assert.deepEqual([desk.news.at(-1), await offered()], ['undone: b.txt', ['a.txt', 'b.txt']]);
    }),
  );

  test(
    'with files that are not text only where the user selects them',
    withCopy(
      { 'image.bin': IMAGE },
      async ({ here, copy, bringHome, id, at, offered, told }) => {
        writeFileSync(at('image.bin'), OTHER_IMAGE);
        await bringHome.open(copy);
        assert.deepEqual(readFileSync(here.at('image.bin')), IMAGE);
        assert.equal(told.at(-1), 'No changes are selected to bring home.');
        assert.deepEqual([bringHome.has(id), await offered()], [true, ['image.bin']]);
      },
      { whole: false },
    ),
  );

  test(
    'from the text that was not saved when the copy was made',
    withCopy(
      { 'a.txt': text() },
      async ({ here, copy, bringHome, id, at }) => {
        assert.equal(readFileSync(at('a.txt'), 'utf8'), `typed\n${text()}`);
        writeFileSync(at('a.txt'), `typed\n${text({ 5: 'of the copy' })}`);
        await bringHome.open(copy);
        await bringHome.approve(id);
        assert.equal(here.document('a.txt')?.getText(), `typed\n${text({ 5: 'of the copy' })}`);
        assert.equal(here.disk('a.txt'), text());
      },
      { before: (here) => here.type('a.txt', 'typed\n') },
    ),
  );

  test(
    'and is left as it is when the user denies the review',
    withCopy({ 'a.txt': text() }, async ({ here, copy, bringHome, id, at, offered }) => {
      writeFileSync(at('a.txt'), text({ 5: 'of the copy' }));
      await bringHome.open(copy);
      await bringHome.leave(id);
      assert.deepEqual([bringHome.has(id), here.disk('a.txt'), await offered()], [false, text(), ['a.txt']]);
      assert.deepEqual(here.tabs(), []);
    }),
  );

  test(
    'without a conflict that is new when the review is shown again, and with the one that the user restored',
    withCopy({ 'a.txt': text() }, async ({ here, copy, tabs, bringHome, id, at, told }) => {
      writeFileSync(at('a.txt'), text({ 3: 'of the copy', 10: 'of the copy', 15: 'of the copy' }));
      here.write('a.txt', text({ 3: 'of the user' }));
      await bringHome.open(copy);
      await tabs.proposals.choose(id, 'a.txt', 0, 'in');
      const editor = await here.open('a.txt');
      await editor.edit((builder) => builder.replace(new vscode.Range(14, 0, 14, 7), 'typed now'));
      await bringHome.open(copy);
      assert.deepEqual(
        tabs.proposals.stateOf(id).files.map(({ hunks }) => hunks),
        [['in', 'in', 'out']],
      );
      assert.match(told.at(-1) ?? '', /^1 change is at lines that you changed/);
      await bringHome.approve(id);
      assert.equal(editor.document.getText(), text({ 3: 'of the copy', 10: 'of the copy', 15: 'typed now' }));
    }),
  );

  test(
    'with the same hunks left out however often and quickly the review is shown again while the copy changes',
    withCopy({ 'a.txt': text(), 'b.txt': text() }, async ({ here, copy, tabs, bringHome, id, at }) => {
      const hunks = () => tabs.proposals.stateOf(id).files.map((file) => [file.isEdited, ...file.hunks]);
      const lines: Record<number, string> = { 3: 'of the copy', 9: 'not wanted' };
      for (let round = 1; round <= 8; round++) {
        // Each time one hunk more, or another text in one that is in.
        if (round % 2 === 0) lines[10 + round] = `new in round ${round}`;
        else lines[3] = `of the copy in round ${round}`;
        writeFileSync(at('a.txt'), text(lines));
        if (round === 5) writeFileSync(at('b.txt'), text({ 3: 'in another file' }));
        await bringHome.open(copy);
        if (round === 1) await tabs.proposals.choose(id, 'a.txt', 1, 'out');
        const further = Array.from({ length: Math.floor(round / 2) }, () => 'in');
        assert.deepEqual(hunks()[0], [false, 'in', 'out', ...further], `round ${round}`);
      }
      // Choices are not lost where the user makes them right after the review was shown again.
      writeFileSync(at('a.txt'), text({ ...lines, 1: 'first' }));
      await bringHome.open(copy);
      await tabs.proposals.choose(id, 'a.txt', 0, 'out');
      writeFileSync(at('a.txt'), text({ ...lines, 1: 'first', 20: 'last' }));
      await bringHome.open(copy);
      const wanted = ['out', 'in', 'out', 'in', 'in', 'in', 'in', 'in'];
      assert.deepEqual(hunks()[0], [false, ...wanted]);
      await bringHome.approve(id);
      assert.equal(here.disk('a.txt'), text({ ...lines, 9: LINES[8] ?? '', 20: 'last' }));
      assert.equal(here.disk('b.txt'), text({ 3: 'in another file' }));
    }),
  );

  test(
    'also where another window has removed the copy while the review was open',
    withCopy({ 'a.txt': text(), 'image.bin': IMAGE }, async (desk) => {
      const { here, copies, copy, bringHome, id, at, told, news } = desk;
      writeFileSync(at('a.txt'), text({ 3: 'of the copy' }));
      writeFileSync(at('image.bin'), OTHER_IMAGE);
      await bringHome.open(copy);
      await copies.remove(copy.id);
      await bringHome.approve(id);
      assert.match(told.at(-1) ?? '', /^image\.bin was changed in the side copy/);
      assert.equal(here.disk('a.txt'), text());
      desk.select(() => false);
      await bringHome.approve(id);
      assert.equal(here.disk('a.txt'), text({ 3: 'of the copy' }));
      assert.deepEqual([bringHome.has(id), news], [false, ['brought_home: a.txt']]);
      const unsettled = desk.settled();
      await desk.undo.undo(undefined);
      await unsettled;
      assert.equal(here.disk('a.txt'), text());
    }),
  );

  test(
    'not where the folder of the workspace is gone, and the user reads why',
    withCopy({ 'x/a.txt': text() }, async ({ here, copies, bringHome, told }) => {
      const given = { roots: [here.at('x')], links: [], unsaved: new Map(), signal: NEVER, progress: () => {} };
      const { copy } = await copies.make(given);
      writeFileSync(path.join(copy.folders[0]?.copy ?? '', 'a.txt'), text({ 3: 'of the copy' }));
      rmSync(here.at('x'), { recursive: true });
      await bringHome.open(copy);
      assert.match(told.at(-1) ?? '', /^The folder of which this side copy was made is gone: /);
      assert.equal(bringHome.has(`side-copy-${copy.id}`), false);
    }),
  );

  test(
    'each file under its own name where two folders have one name',
    withCopy({ 'x/app/a.txt': text(), 'y/app/a.txt': text() }, async ({ here, copies, tabs, bringHome }) => {
      const roots = [here.at('x/app'), here.at('y/app')];
      const given = { roots, links: [], unsaved: new Map(), signal: NEVER, progress: () => {} };
      const { copy } = await copies.make(given);
      for (const folder of copy.folders) writeFileSync(path.join(folder.copy, 'a.txt'), text({ 3: 'of the copy' }));
      await bringHome.open(copy);
      const id = `side-copy-${copy.id}`;
      const names = tabs.proposals.stateOf(id).files.map((file) => file.path);
      assert.deepEqual(names.toSorted(), [path.join('app', 'a.txt'), path.join('app-2', 'a.txt')].toSorted());
      await tabs.proposals.choose(id, path.join('app', 'a.txt'), null, 'out');
      await bringHome.approve(id);
      assert.deepEqual(
        ['x/app/a.txt', 'y/app/a.txt'].map((name) => here.disk(name)),
        [text(), text({ 3: 'of the copy' })],
      );
    }),
  );
});

/** `others`: threads that work in the copy, beside that of the copy. */
function commandsOn({ copies, copy, bringHome }: Desk, live: readonly ThreadState[], others: readonly string[]) {
  return new SideCopyCommands({
    store: copies,
    bringHome,
    shown: () => copy,
    threads: { adopt: async () => {}, live },
    startIn: () => Promise.reject(new Error('not called')),
    hasModel: async () => true,
    links: () => [],
    titleOf: async () => undefined,
    threadsIn: async () => others,
    showThread: async () => {},
    leaveCopy: async () => {},
    onRemoved: () => {},
    report: fail,
  });
}

suite('the side copy of an agent', () => {
  test(
    'is offered when the agent has ended, and from its row, where something differs in it',
    withCopy({ 'a.txt': text() }, async (desk) => {
      const { copies, copy, bringHome, tabs, id, at, told } = desk;
      const commands = commandsOn(desk, [], []);
      await copies.assign(copy.id, 'agent');
      const before = told.length;
      await commands.offer('agent', 'worker');
      await commands.offer('another', 'worker');
      assert.equal(told.length, before, 'nothing differs yet');
      writeFileSync(at('a.txt'), text({ 3: 'of the agent' }));
      // The user presses the first button.
      const asked: string[] = [];
      const press = async (sentence: string, ...buttons: readonly string[]) => {
        asked.push(`${sentence} [${buttons.join('] [')}]`);
        return buttons[0];
      };
      Object.assign(vscode.window, { showInformationMessage: press });
      await commands.offer('agent', 'worker');
      assert.deepEqual(asked, ['The agent worker has changed 1 file in a side copy. [Bring Home] [Show Side Copies]']);
      assert.equal(bringHome.has(id), true);
      await bringHome.leave(id);
      await commands.bringHome('agent');
      assert.equal(bringHome.has(id), true);
      assert.equal(tabs.proposals.stateOf(id).files.length, 1);
    }),
  );
});

suite('an agent that would write beside another one', () => {
  test(
    'gets a copy where its thread works in an open folder, also by a link, and begins at the same place in it',
    withCopy({ 'a.txt': text(), 'inner/b.txt': 'b\n', '.gitignore': 'built\n', 'built/x': 'x' }, async (desk) => {
      const { here, copies } = desk;
      using elsewhere = tempFolder();
      const link = elsewhere.at('link');
      symlinkSync(here.root, link);
      const make = agentCopies({ store: copies, links: () => [], report: fail });
      const before = copies.all.length;
      const [root = ''] = vscode.workspace.workspaceFolders?.map(({ uri }) => uri.fsPath) ?? [];
      assert.equal(await make(`${root}-beside`, NEVER), 'other_folder');
      assert.equal(await make(elsewhere.path, NEVER), 'other_folder');
      assert.equal(copies.all.length, before, 'no copy is made for a thread of another folder');
      assert.equal(await make(desk.at('inner'), NEVER), undefined);
      const below = path.relative(root, here.root);
      for (const [cwd, place] of [
        [here.at('inner'), path.join(below, 'inner')],
        [path.join(link, 'inner'), path.join(below, 'inner')],
        [here.at('built'), ''],
      ] as const) {
        const made = await make(cwd, NEVER);
        assert.ok(typeof made === 'object');
        assert.equal(path.relative(made.folders[0]?.copy ?? '', made.cwd), place);
        await made.discard();
      }
      assert.equal(copies.all.length, before);
    }),
  );

  test(
    'gets no copy where none can be made, which is reported',
    withCopy({ 'a.txt': text() }, async (desk) => {
      const problems: string[] = [];
      const unused = () => Promise.reject(new Error('unused'));
      const store = {
        foldersAround: () => undefined,
        make: () => Promise.reject(new Error('full')),
        assign: unused,
        remove: unused,
      };
      const make = agentCopies({ store, links: () => [], report: (error) => void problems.push(String(error)) });
      assert.deepEqual([await make(desk.here.root, NEVER), problems], ['not_made', ['Error: full']]);
    }),
  );
});

suite('Remove Side Copy', () => {
  test(
    'is refused while a command runs in the background, or another window owns a thread of it',
    withCopy({ 'a.txt': text() }, async (desk) => {
      const { copy, copies, told } = desk;
      const inCopy: ThreadState = {
        ...initialThreadState('t'),
        started: { type: 'thread_started', cwd: desk.at('inner') } as NonNullable<ThreadState['started']>,
        processes: [
          {
            processId: '1',
            itemId: 'i',
            command: 'sleep 9',
            cwd: desk.at('inner'),
            box: 'none',
            startedAt: '',
            output: '',
            status: { type: 'running' },
          },
        ],
      };
      await commandsOn(desk, [inCopy], []).remove();
      assert.equal(told.at(-1), 'Tiller is working in this side copy. Stop the thread first.');
      await copies.alone('of-another-window', async () => {
        await commandsOn(desk, [], ['copy-of-another-window']).remove();
      });
      assert.equal(told.at(-1), 'Another window uses this side copy.');
      assert.deepEqual(
        copies.all.map(({ id }) => id),
        [copy.id],
      );
      await commandsOn(desk, [], []).remove();
      assert.deepEqual(copies.all, []);
    }),
  );

  test(
    'asks before it loses what does not come home',
    withCopy({ 'a.txt': text(), '.gitignore': 'built\n' }, async (desk) => {
      writeFileSync(desk.at('built'), 'x');
      await commandsOn(desk, [], []).remove();
      assert.match(desk.told.at(-1) ?? '', /^Remove the side copy\? What it holds besides/);
      assert.deepEqual([desk.copies.all.length, readFileSync(desk.at('built'), 'utf8')], [1, 'x']);
    }),
  );
});
