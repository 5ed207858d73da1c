/** A folder that is replaced by a link while patches name it: no patch writes through the link. */
import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import {
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  statSync,
  symlinkSync,
  unlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { suite, test } from 'mocha';
import * as vscode from 'vscode';
import { type DecidedChange, type FileChange, type FilePlace, WorkspaceError } from '../../src/core/ports.ts';
import { noSandbox, Playground } from '../support/sandboxed.ts';
import { exchangeForever } from '../support/exchange.ts';
import { isFullRun } from '../support/rounds.ts';
import { type TempFolder, tempFolder } from '../support/tempFolder.ts';
import { recoverBuffers } from '../../src/vscode/apply/recoverBuffers.ts';
import { type EditorPlace, inPlace, pause, until } from './support/editorPlace.ts';
import { say } from './support/say.ts';

/** Patches of each attack: more in a full run; `TILLER_ATTACKS=2000` for a long one. */
const ATTACKS = Number(process.env.TILLER_ATTACKS || (isFullRun() ? 60 : 24));

const noExchange = process.platform !== 'linux' || spawnSync('perl', ['-e', '1']).status !== 0;
const attackTest = noExchange ? test.skip : test;
const sandboxedTest = noExchange || noSandbox !== false ? test.skip : test;

const TEXT = 'one\ntwo\nthree\n';
const SECRET = 'one\ntwo\nthree\nSECRET\n';
/** Open in tabs during the whole test. */
const OPEN = ['open0.txt', 'open1.txt'];
const DIRTY = 'dirty.txt';

/** The same names on both sides, so that each patch would fit on either. */
function furnish(folder: string, text: string): void {
  mkdirSync(folder, { recursive: true });
  for (const name of [...OPEN, DIRTY]) writeFileSync(join(folder, name), text);
  for (let index = 0; index < ATTACKS; index++) {
    for (const kind of ['changed', 'moved', 'deleted']) writeFileSync(join(folder, `${kind}${index}.txt`), text);
  }
}

function contents(folder: string): Record<string, string> {
  const names = readdirSync(folder, { recursive: true, encoding: 'utf8' }).toSorted();
  const files = names.filter((name) => statSync(join(folder, name)).isFile());
  return Object.fromEntries(files.map((name) => [name, readFileSync(join(folder, name), 'utf8')]));
}

const inReal = (here: EditorPlace, name: string): FilePlace => ({
  name: here.at(`d/${name}`),
  target: here.at(`d/${name}`),
});

/** Resolved when `d` was the folder. */
function decidedInReal(change: FileChange): DecidedChange {
  const place = { name: change.path, target: change.path };
  const movedTo = change.kind === 'update' && change.movedTo !== null ? change.movedTo : undefined;
  return { ...change, places: { path: place, movedTo: movedTo ? { name: movedTo, target: movedTo } : null } };
}

/** Reads as a tool does; `undefined` where it is refused. */
async function readInReal(here: EditorPlace, name: string): Promise<string | undefined> {
  const path = here.at(`d/${name}`);
  const read = (await here.workspace.readPlaces(new Map([[path, inReal(here, name)]]))).get(path);
  return read === undefined || read instanceof WorkspaceError ? undefined : read.text;
}

const KINDS = ['add', 'closed', 'move', 'delete', 'open', 'dirty'];

/** One of each kind in turn. */
async function attackWith(here: EditorPlace, index: number): Promise<FileChange | undefined> {
  switch (index % KINDS.length) {
    case 0:
      return here.add(`d/new${index}/deep.txt`, TEXT);
    case 1:
      return updateOf(here, `changed${index}.txt`, index);
    case 2:
      return here.move(`d/moved${index}.txt`, `d/to${index}.txt`, TEXT, TEXT.replace('two', 'TWO'));
    case 3:
      return here.remove(`d/deleted${index}.txt`, TEXT);
    case 4:
      return updateOf(here, OPEN[index % OPEN.length] ?? '', index);
    default:
      return updateOf(here, DIRTY, index);
  }
}

async function updateOf(here: EditorPlace, name: string, index: number): Promise<FileChange | undefined> {
  const before = await readInReal(here, name);
  return before === undefined
    ? undefined
    : here.update(`d/${name}`, before, before.replace(/^one.*$/m, `one ${index}`));
}

type Where = 'in the sandbox' | 'another process';

/** Runs until it is disposed. */
async function startExchange(here: EditorPlace, where: Where, pauseMs: number): Promise<AsyncDisposable> {
  const [program, ...args] = exchangeForever(here.at('d'), here.at('link'), pauseMs);
  if (where === 'another process') {
    const child = spawn(program, args, { stdio: ['ignore', 'pipe', 'inherit'] });
    const ended = once(child, 'exit');
    await once(child.stdout, 'data');
    return {
      async [Symbol.asyncDispose]() {
        child.kill('SIGKILL');
        await ended;
      },
    };
  }
  const ground = new Playground({ workspace: here.root });
  const command = await ground.start([program, ...args]);
  await new Promise<void>((resolve) => command.onOutput(() => resolve()));
  return {
    async [Symbol.asyncDispose]() {
      await command.kill(0);
      ground[Symbol.dispose]();
    },
  };
}

/** Reads, plans and applies, again after a stale plan. */
async function landAsTool(here: EditorPlace, index: number): Promise<string> {
  let end = '';
  for (let plan = 0; plan < 3; plan++) {
    const change = await attackWith(here, index);
    const result = change === undefined ? undefined : await here.applyDecided([decidedInReal(change)]);
    if (result?.type === 'applied') return 'applied';
    end = result?.type === 'failed' ? result.message : (result?.type ?? 'unread');
    await pause(index % 17);
  }
  return end;
}

async function attacked(here: EditorPlace, where: Where, pauseMs: number): Promise<void> {
  using victim: TempFolder = tempFolder();
  furnish(victim.path, SECRET);
  const before = contents(victim.path);
  furnish(here.at('d'), TEXT);
  symlinkSync(victim.path, here.at('link'));
  for (const name of OPEN) await here.open(`d/${name}`);
  await here.type(`d/${DIRTY}`, 'mine ');

  const ends: string[] = [];
  {
    await using _attacker = await startExchange(here, where, pauseMs);
    for (let index = 0; index < ATTACKS; index++) {
      ends.push(await landAsTool(here, index));
    }
  }
  const tally = tallyOf(ends.map((end, index) => `${KINDS[index % KINDS.length]} ${end.replaceAll(here.root, '')}`));
  say(`ATTACK ${where}, every ${pauseMs} ms: ${tally}`);

  assert.deepEqual(contents(victim.path), before);
  const real = ['d', 'link'].find((name) => lstatSync(here.at(name)).isDirectory()) ?? '';
  const leaked = Object.entries(contents(here.at(real))).filter(([, text]) => text.includes('SECRET'));
  assert.deepEqual(leaked, []);
  // Both outcomes occurred, otherwise there was no attack.
  assert.ok(ends.includes('applied'), tally);
  assert.ok(ends.includes('stale') || ends.includes('unread'), tally);
}

function tallyOf(values: readonly string[]): string {
  const counts = new Map<string, number>();
  for (const value of values) counts.set(value, (counts.get(value) ?? 0) + 1);
  return [...counts].map(([value, count]) => `${count} ${value}`).join(', ');
}

suite(`${ATTACKS} patches while their folder and a link change places`, function () {
  this.retries(0);
  this.timeout(3_600_000);
  for (const pauseMs of [0, 2, 40]) {
    sandboxedTest(
      `by a command in the sandbox, every ${pauseMs} ms`,
      inPlace({}, (here) => attacked(here, 'in the sandbox', pauseMs)),
    );
    attackTest(
      `by another process, every ${pauseMs} ms`,
      inPlace({}, (here) => attacked(here, 'another process', pauseMs)),
    );
  }
});

// ---------------------------------------------------------------- once, at a chosen moment

const NEW = TEXT.replace('two', 'TWO');
/** The target of the link: files that every patch would fit. */
const VICTIM = { 'a.txt': TEXT, 'b.txt': TEXT };

/** Moves `d` aside and replaces it by a link to the victim. */
function swapIn(here: EditorPlace, victim: string): void {
  renameSync(here.at('d'), here.at('aside'));
  symlinkSync(victim, here.at('d'));
}

function swapOut(here: EditorPlace): void {
  unlinkSync(here.at('d'));
  renameSync(here.at('aside'), here.at('d'));
}

function withVictim(story: (here: EditorPlace, victim: TempFolder) => Promise<void>): () => Promise<void> {
  return inPlace({ 'd/a.txt': TEXT, 'd/b.txt': TEXT }, async (here) => {
    using victim = tempFolder();
    for (const [name, text] of Object.entries(VICTIM)) writeFileSync(victim.at(name), text);
    await story(here, victim);
  });
}

interface Kind {
  readonly name: string;
  readonly prepare?: (here: EditorPlace) => Promise<unknown>;
  readonly change: (here: EditorPlace) => FileChange;
  /** The content of the folder when the patch was applied through folders that were open already; none where it is refused. */
  readonly landsAs?: Readonly<Record<string, string>>;
}

const KINDS_OF_CHANGE: readonly Kind[] = [
  {
    name: 'an added file',
    change: (here) => here.add('d/new.txt', 'ours\n'),
    landsAs: { 'a.txt': TEXT, 'b.txt': TEXT, 'new.txt': 'ours\n' },
  },
  { name: 'a changed file', change: (here) => here.update('d/a.txt', TEXT, NEW) },
  {
    name: 'a moved file',
    change: (here) => here.move('d/a.txt', 'd/to.txt', TEXT),
    landsAs: { 'b.txt': TEXT, 'to.txt': TEXT },
  },
  { name: 'a deleted file', change: (here) => here.remove('d/a.txt', TEXT), landsAs: { 'b.txt': TEXT } },
  {
    name: 'a file in a tab',
    prepare: (here) => here.open('d/a.txt'),
    change: (here) => here.update('d/a.txt', TEXT, NEW),
  },
  {
    name: 'a moved file in a tab',
    prepare: (here) => here.open('d/a.txt'),
    change: (here) => here.move('d/a.txt', 'd/to.txt', TEXT),
  },
  {
    name: 'a deleted file in a tab',
    prepare: (here) => here.open('d/a.txt'),
    change: (here) => here.remove('d/a.txt', TEXT),
  },
];

suite('a folder that becomes a link', () => {
  for (const { name, prepare, change } of KINDS_OF_CHANGE) {
    test(
      `between the decision and the write is stale, and nothing is changed: ${name}`,
      withVictim(async (here, victim) => {
        await prepare?.(here);
        const decided = decidedInReal(change(here));
        swapIn(here, victim.path);
        const paths = decided.kind === 'update' && decided.movedTo ? [decided.path, decided.movedTo] : [decided.path];
        assert.deepEqual(await here.applyDecided([decided]), { type: 'stale', paths });
        assert.deepEqual(contents(victim.path), VICTIM);
        assert.deepEqual(contents(here.at('aside')), VICTIM);
        assert.deepEqual([here.dirty(), here.journals()], [[], []]);
      }),
    );
  }

  for (const { name, prepare, change, landsAs } of KINDS_OF_CHANGE) {
    test(
      `when the plan is made ${landsAs ? 'is not followed' : 'is stale, too'}: ${name}`,
      withVictim(async (here, victim) => {
        await prepare?.(here);
        here.beforeFirstWrite = () => swapIn(here, victim.path);
        const result = await here.applyDecided([decidedInReal(change(here))]);
        assert.equal(result.type, landsAs ? 'applied' : 'stale');
        assert.deepEqual(contents(victim.path), VICTIM);
        assert.deepEqual(contents(here.at('aside')), landsAs ?? VICTIM);
        assert.deepEqual([here.dirty(), here.journals()], [[], []]);
      }),
    );
  }

  test(
    'keeps a patch beside unsaved edits in its document, which is not saved there',
    withVictim(async (here, victim) => {
      await here.type('d/a.txt', 'mine ');
      here.beforeFirstWrite = () => swapIn(here, victim.path);
      const change = decidedInReal(here.update('d/a.txt', `mine ${TEXT}`, `mine ${NEW}`));
      const result = await here.applyDecided([change]);
      assert.deepEqual(result.type === 'applied' && result.files.map(({ saved }) => saved), [false]);
      assert.equal(here.document('d/a.txt')?.getText(), `mine ${NEW}`);
      assert.deepEqual(await here.workspace.save([here.at('d/a.txt')]), [here.at('d/a.txt')]);
      assert.deepEqual(contents(victim.path), VICTIM);
      assert.deepEqual(contents(here.at('aside')), VICTIM);
    }),
  );

  test(
    'is not followed, either, where a tab has the file under the name of a link',
    withVictim(async (here, victim) => {
      symlinkSync(here.at('d/a.txt'), here.at('link.txt'));
      await here.open('link.txt');
      const once = decidedInReal(here.update('d/a.txt', TEXT, NEW));
      const result = await here.applyDecided([once]);
      assert.deepEqual(result.type === 'applied' && result.files.map(({ saved }) => saved), [true]);
      assert.deepEqual(contents(here.at('d')), { ...VICTIM, 'a.txt': NEW });
      here.beforeFirstWrite = () => {
        unlinkSync(here.at('link.txt'));
        symlinkSync(victim.at('a.txt'), here.at('link.txt'));
      };
      const again = decidedInReal(here.update('d/a.txt', NEW, TEXT));
      assert.deepEqual(await here.applyDecided([again]), { type: 'stale', paths: [here.at('d/a.txt')] });
      assert.deepEqual(contents(victim.path), VICTIM);
      assert.deepEqual(contents(here.at('d')), { ...VICTIM, 'a.txt': NEW });
    }),
  );

  test(
    'is not read in its place',
    withVictim(async (here, victim) => {
      const places = new Map([[here.at('d/a.txt'), inReal(here, 'a.txt')]]);
      assert.deepEqual((await here.workspace.readPlaces(places)).get(here.at('d/a.txt')), {
        text: TEXT,
        source: 'disk',
        dirty: false,
      });
      swapIn(here, victim.path);
      const read = (await here.workspace.readPlaces(places)).get(here.at('d/a.txt'));
      assert.equal(read instanceof WorkspaceError && read.code, 'moved');
    }),
  );

  test(
    'prevents the undo of a patch there, until it is a folder again',
    withVictim(async (here, victim) => {
      await here.open('d/b.txt');
      const origin = { turnId: 'turn', itemId: 'item' };
      const changes = [
        here.update('d/a.txt', TEXT, NEW),
        here.update('d/b.txt', TEXT, NEW),
        here.add('d/new.txt', 'ours\n'),
      ];
      assert.equal((await here.apply(changes, origin)).type, 'applied');
      swapIn(here, victim.path);
      writeFileSync(victim.at('new.txt'), 'ours\n');
      const { leftAlone, restored } = await here.undo.undo('item');
      const reason = 'A folder in its path is a link now.';
      assert.deepEqual(restored, []);
      assert.deepEqual(
        leftAlone.toSorted((one, other) => (one.path < other.path ? -1 : 1)),
        ['d/a.txt', 'd/b.txt', 'd/new.txt'].map((name) => ({ path: here.at(name), reason })),
      );
      assert.deepEqual(contents(victim.path), { ...VICTIM, 'new.txt': 'ours\n' });
      swapOut(here);
      await until(() => here.document('d/b.txt')?.getText() === NEW);
      assert.deepEqual((await here.undo.undo('item')).leftAlone, []);
      assert.deepEqual(contents(here.at('d')), VICTIM);
    }),
  );

  test(
    'prevents the restoring of a file there that a patch has deleted or moved',
    withVictim(async (here, victim) => {
      const changes = [here.remove('d/a.txt', TEXT), here.move('d/b.txt', 'out.txt', TEXT)];
      assert.equal((await here.apply(changes, { turnId: 'turn', itemId: 'item' })).type, 'applied');
      swapIn(here, victim.path);
      for (const name of ['a.txt', 'b.txt']) unlinkSync(victim.at(name));
      const { restored } = await here.undo.undo('item');
      assert.deepEqual(restored, []);
      assert.deepEqual(contents(victim.path), {});
      assert.equal(here.disk('out.txt'), TEXT);
    }),
  );

  test(
    'prevents the undo of a reviewed change there',
    withVictim(async (here, victim) => {
      const origin = { turnId: 'turn', itemId: 'item', isUnseen: true };
      assert.equal((await here.apply([here.update('d/a.txt', TEXT, NEW)], origin)).type, 'applied');
      const [file] = here.reviews.pending;
      assert.ok(file);
      swapIn(here, victim.path);
      writeFileSync(victim.at('a.txt'), NEW);
      const reason = 'A folder in its path is a link now.';
      assert.deepEqual(await here.decisions.undo([{ file, hunks: 'all' }]), [{ path: file.path, reason }]);
      assert.deepEqual(contents(victim.path), { ...VICTIM, 'a.txt': NEW });
    }),
  );

  test(
    'prevents the save of a document there that a crash has left unsaved',
    withVictim(async (here, victim) => {
      const editor = await here.open('d/a.txt');
      await editor.edit((builder) => builder.replace(new vscode.Range(1, 0, 1, 3), 'TWO'));
      swapIn(here, victim.path);
      const text = { path: here.at('d/a.txt'), from: Buffer.from(NEW), to: Buffer.from(TEXT), staysUnsaved: false };
      const { moved, leftAlone, unsaved, readDisk } = await recoverBuffers([text], here.deps);
      await readDisk();
      assert.deepEqual({ moved, leftAlone, unsaved }, { moved: [here.at('d/a.txt')], leftAlone: [], unsaved: [] });
      assert.equal(editor.document.getText(), NEW);
      assert.deepEqual(contents(victim.path), VICTIM);
    }),
  );

  sandboxedTest(
    'by a command in the sandbox while VS Code saves the next file of a patch finds the command stopped',
    withVictim(async (here, victim) => {
      for (const name of ['a.txt', 'b.txt']) await here.open(`d/${name}`);
      symlinkSync(victim.path, here.at('link'));
      using ground = new Playground({ workspace: here.root });
      // Swaps them as soon as the first file is saved, while the second is delayed.
      const program = `$| = 1; my ($one, $other) = ("d", "link"); my $before = (stat "d/a.txt")[7]; print "watching\\n";
        select(undef, undef, undef, 0.002) while (stat "d/a.txt")[7] == $before;
        syscall(\`uname -m\` =~ /aarch64/ ? 276 : 316, -100, $one, -100, $other, 2) == 0 and print "exchanged\\n";`;
      const command = await ground.start(['perl', '-e', program]);
      let said = '';
      command.onOutput(({ bytes }) => (said += Buffer.from(bytes).toString()));
      await until(() => said.includes('watching'), 20_000);
      let isSlow = false;
      const slow = vscode.workspace.onWillSaveTextDocument(({ document, waitUntil }) => {
        if (!document.fileName.endsWith('b.txt')) return;
        isSlow = true;
        waitUntil(
          until(() => here.disk('d/a.txt') !== TEXT)
            .then(() => pause(300))
            .then(() => []),
        );
      });
      try {
        const longer = `${TEXT}four\n`;
        const changes = ['d/a.txt', 'd/b.txt'].map((name) => here.update(name, TEXT, longer));
        const result = await here.apply(changes);
        assert.deepEqual([result.type, isSlow], ['applied', true]);
        assert.deepEqual(contents(victim.path), VICTIM);
        await until(() => said.includes('exchanged'), 20_000);
        assert.deepEqual(contents(here.at('link')), { 'a.txt': longer, 'b.txt': longer });
      } finally {
        slow.dispose();
        await command.kill(0);
      }
    }),
  );

  test(
    'while VS Code saves a file in it is detected and reported',
    withVictim(async (here, victim) => {
      await here.open('d/a.txt');
      const swap = vscode.workspace.onWillSaveTextDocument(() => {
        swap.dispose();
        swapIn(here, victim.path);
      });
      try {
        const result = await here.apply([here.update('d/a.txt', TEXT, NEW)]);
        const path = here.at('d/a.txt');
        assert.deepEqual(result, {
          type: 'failed',
          message: `A folder on the way to ${path} became a link at the moment in which VS Code saved the file; the text was written where that link led.`,
          notRestored: [path],
        });
        assert.deepEqual(contents(here.at('aside')), VICTIM);
      } finally {
        swap.dispose();
      }
    }),
  );
});
