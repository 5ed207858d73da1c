/** Computes from the final working tree the one change of each file. */
import type { FileChange } from '../ports.ts';
import { hunksBetween } from './hunks.ts';
import type { TreeEntry, WorkingTree } from './workingTree.ts';

type TextEntry = Extract<TreeEntry, { type: 'text' }>;

/** Files that end unchanged are left out. A file that was moved and not created again is one `update`. */
export function netChanges(tree: WorkingTree): FileChange[] {
  const changes: FileChange[] = [];
  const movedAway = new Set<string>();
  const removed: string[] = [];
  for (const path of tree.touched) {
    const entry = tree.get(path);
    if (entry.type !== 'text') {
      removed.push(path);
      continue;
    }
    const continued = continuedFile(path, entry, tree);
    if (continued !== null) movedAway.add(continued);
    const change = continued === null ? addition(path, entry, tree) : update(continued, path, entry, tree);
    if (change !== undefined) changes.push(change);
  }
  for (const path of removed) {
    const { type } = tree.found(path);
    const wasThere = type === 'text' || type === 'not_text';
    if (wasThere && !movedAway.has(path)) changes.push({ kind: 'delete', path, before: textFound(path, tree) });
  }
  return changes;
}

/** The file that continues at `path`: itself, or one that moved there; `null` when the patch wrote it anew. */
function continuedFile(path: string, { source }: TextEntry, tree: WorkingTree): string | null {
  return source === null || source === path || tree.get(source).type !== 'text' ? source : null;
}

function addition(path: string, entry: TextEntry, tree: WorkingTree): FileChange | undefined {
  const { text } = entry.lines;
  const before = textFound(path, tree);
  return text === before ? undefined : { kind: 'add', path, text, before };
}

function update(path: string, target: string, entry: TextEntry, tree: WorkingTree): FileChange | undefined {
  const before = textFound(path, tree) ?? '';
  const after = entry.lines.text;
  const hunks = hunksBetween(tree.foundLines(path), entry.lines);
  if (target !== path) {
    return { kind: 'update', path, before, after, hunks, movedTo: target, movedOver: textFound(target, tree) };
  }
  return after === before ? undefined : { kind: 'update', path, before, after, hunks, movedTo: null, movedOver: null };
}

function textFound(path: string, tree: WorkingTree): string | null {
  const snapshot = tree.found(path);
  return snapshot.type === 'text' ? snapshot.text : null;
}
