import assert from 'node:assert/strict';
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import * as fc from 'fast-check';
import { test } from 'vitest';
import type { FileChange } from '../../src/core/ports.ts';
import { applyPatch } from '../../src/node/apply/applyPatch.ts';
import { decidedHere } from '../support/decided.ts';
import { MemoryWorkspace } from '../support/memoryWorkspace.ts';
import { tempFolder } from '../support/tempFolder.ts';
import { rounds } from '../support/rounds.ts';
import { journalsIn } from '../support/journals.ts';

type Tree = Record<string, string>;

const names = fc.constantFrom('a', 'b', 'c', 'd/e', 'd/f', 'g/h/i');
const texts = fc.string({ unit: fc.constantFrom('x', 'ä', '🙂', '\n', '\r\n', '\r', '\uFEFFy'), maxLength: 6 });
const trees = fc.dictionary(names, texts, { maxKeys: 6 });
const wishes = fc.array(
  fc.record({ name: names, kind: fc.constantFrom('add', 'delete', 'update', 'move'), target: names, text: texts }),
  { maxLength: 6 },
);

/** Decoded as a workspace decodes: without the byte order mark. */
const shown = (text: string): string => (text.startsWith('\uFEFF') ? text.slice(1) : text);

/** Consistent changes: each name is changed once and written once. */
function changesFor(
  tree: Tree,
  wished: readonly { name: string; kind: string; target: string; text: string }[],
  root: string,
) {
  const changes: FileChange[] = [];
  const used = new Set<string>();
  const textOf = (name: string): string | null => (tree[name] === undefined ? null : shown(tree[name]));
  for (const { name, kind, target, text } of wished) {
    const before = textOf(name);
    const path = join(root, name);
    const free = (...wanted: string[]) => wanted.every((one) => !used.has(one));
    if (kind === 'add' && free(name)) changes.push({ kind, path, text, before });
    else if (kind === 'delete' && before !== null && free(name)) changes.push({ kind, path, before });
    else if (kind === 'update' && before !== null && free(name)) {
      changes.push({ kind, path, before, after: text, hunks: [], movedTo: null, movedOver: null });
    } else if (kind === 'move' && before !== null && name !== target && free(name, target)) {
      const movedTo = join(root, target);
      changes.push({ kind: 'update', path, before, after: text, hunks: [], movedTo, movedOver: textOf(target) });
      used.add(target);
    } else continue;
    used.add(name);
  }
  return changes;
}

function onDisk(root: string): Tree {
  const entries = readdirSync(root, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
  return Object.fromEntries(files.map((path) => [relative(root, path), readFileSync(path, 'utf8')]));
}

const withoutMarks = (tree: Tree): Tree =>
  Object.fromEntries(Object.entries(tree).map(([name, text]) => [name, shown(text)]));

test('an applied patch equals the model; a failed one, at whichever step, changes nothing', async () => {
  using folder = tempFolder();
  const [root, home] = [folder.at('work'), folder.at('home')];
  await fc.assert(
    fc.asyncProperty(trees, wishes, fc.nat(12), async (tree, wished, failing) => {
      rmSync(root, { recursive: true, force: true });
      mkdirSync(root);
      for (const [name, text] of Object.entries(tree)) {
        mkdirSync(dirname(join(root, name)), { recursive: true });
        writeFileSync(join(root, name), text);
      }
      const changes = changesFor(tree, wished, root).map((change) => decidedHere(change));
      const folders = () => readdirSync(root, { recursive: true }).length;
      const entries = folders();

      const beforeStep = (_path: string, index: number) => {
        if (index === failing) throw new Error('broken');
      };
      const failed = await applyPatch(changes, { home, beforeStep });
      if (failed.type !== 'applied') {
        assert.deepEqual([failed.type, onDisk(root), folders()], ['failed', { ...tree }, entries]);
        assert.equal((await applyPatch(changes, { home })).type, 'applied');
      }

      const model = new MemoryWorkspace(withoutMarks(tree), root);
      assert.equal((await model.apply(changes)).type, 'applied');
      const expected = model.files();
      for (const change of changes) {
        // A new text is written as it is given; one that starts with a byte order mark is read without it.
        const name = relative(root, change.kind === 'update' ? (change.movedTo ?? change.path) : change.path);
        const text = expected[name];
        if (typeof text === 'string') expected[name] = shown(text);
      }
      assert.deepEqual(withoutOneMark(onDisk(root)), expected);
      assert.deepEqual(journalsIn(home), []);
    }),
    { numRuns: rounds(60, 1500) },
  );
}, 60_000);

/** The byte order mark of the file and, where the change added one, that one too. */
function withoutOneMark(tree: Tree): Tree {
  return Object.fromEntries(Object.entries(tree).map(([name, text]) => [name, shown(shown(text))]));
}
