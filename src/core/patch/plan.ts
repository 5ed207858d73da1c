/**
 * Decides what a patch does to each file, without touching any: the caller reads the files that `pathsOf` names, and
 * shows or applies what `planPatch` returns. A patch that fails anywhere changes nothing (design decision 4, difference
 * (a)).
 */
import { resolve } from 'node:path';
import type { FileChange } from '../ports.ts';
import { assertNever } from '../util/assertNever.ts';
import { BYTE_ORDER_MARK } from '../util/textBytes.ts';
import { applyChunks, type ChunksResult } from './applyChunks.ts';
import { type TextLines, textLines } from './lines.ts';
import { describeMismatch, type Mismatch } from './mismatch.ts';
import { netChanges } from './netChanges.ts';
import { isCells, notebookFault, notebookHint } from './notebookFault.ts';
import type { FileOperation, PatchChunk, PatchOperation } from './operation.ts';
import type { PatchReportEntry } from './report.ts';
import { createWorkingTree, type FileSnapshot, type WorkingTree } from './workingTree.ts';

/** The reason why a patch cannot be applied to the files (codex-behaviour.md §1.6). */
export type PlanFaultCategory =
  | 'nothing_modified'
  | 'cannot_read'
  | 'context_not_found'
  | 'lines_not_found'
  | 'lines_taken'
  | 'indentation_differs'
  | 'cannot_delete'
  | 'cannot_write';

export type PatchPlan =
  | {
      readonly type: 'planned';
      /** The net change of all operations, one entry per file. Empty if no file changes. */
      readonly changes: readonly FileChange[];
      /** One entry per operation. */
      readonly report: readonly PatchReportEntry[];
    }
  | { readonly type: 'failed'; readonly category: PlanFaultCategory; readonly message: string };

type Failure = Extract<PatchPlan, { type: 'failed' }>;
type Update = Extract<PatchOperation, { type: 'update' }>;

/** The files to read before planning, including targets of adds and moves. Absolute, without duplicates. */
export function pathsOf(operations: readonly FileOperation[], cwd: string): string[] {
  const written = operations.flatMap((operation) =>
    operation.type === 'update' && operation.movedTo !== null ? [operation.path, operation.movedTo] : [operation.path],
  );
  return [...new Set(written.map((path) => resolve(cwd, path)))];
}

/** Pure. `files` contains what was found at each path of `pathsOf`; a path that is not in it counts as missing. */
export function planPatch(
  operations: readonly PatchOperation[],
  cwd: string,
  files: ReadonlyMap<string, FileSnapshot>,
): PatchPlan {
  if (operations.length === 0) return failed('nothing_modified', 'The patch names no file, so nothing was changed.');
  const tree = createWorkingTree(files);
  const report: PatchReportEntry[] = [];
  for (const operation of operations) {
    const outcome = perform(operation, cwd, tree);
    if ('type' in outcome) return outcome;
    report.push(outcome);
  }
  const changes = netChanges(tree);
  const fault = notebookFault(changes, (path) => tree.found(path));
  return fault === undefined ? { type: 'planned', changes, report } : failed('cannot_write', fault);
}

function perform(operation: PatchOperation, cwd: string, tree: WorkingTree): PatchReportEntry | Failure {
  const path = resolve(cwd, operation.path);
  switch (operation.type) {
    case 'add': {
      const obstacle = tree.obstacle(path);
      if (obstacle !== undefined) return failed('cannot_write', `Cannot write ${path}: ${obstacle}.`);
      const text = operation.lines.map((line) => `${line}\n`).join('');
      tree.write(path, textLines(text, []), null);
      return { kind: 'A', path: operation.path };
    }
    case 'delete': {
      const { type } = tree.get(path);
      const obstacle = type === 'missing' ? 'there is no such file' : tree.obstacle(path);
      if (obstacle !== undefined) return failed('cannot_delete', `Cannot delete ${path}: ${obstacle}.`);
      tree.remove(path);
      return { kind: 'D', path: operation.path };
    }
    case 'update':
      return performUpdate(operation, cwd, tree);
    default:
      return assertNever(operation);
  }
}

function performUpdate(update: Update, cwd: string, tree: WorkingTree): PatchReportEntry | Failure {
  const path = resolve(cwd, update.path);
  const entry = tree.get(path);
  if (entry.type !== 'text') {
    const reason = { missing: 'there is no such file', directory: 'it is a folder', not_text: 'it is not UTF-8 text' };
    const message = entry.type === 'unreadable' ? entry.message : reason[entry.type];
    return failed('cannot_read', `Cannot read ${path} to update it: ${message}.`);
  }
  const result = applyQuoted(entry.lines, update.chunks);
  if (result.type !== 'applied') {
    const hint = isCells(tree.found(path)) ? `\n\n${notebookHint(path)}` : '';
    return failed(categoryOf(result), describeMismatch(result, path) + hint);
  }
  const target = resolve(cwd, update.movedTo ?? update.path);
  // A move onto itself keeps the file: Codex writes it, then removes it (design decision 4, difference (b)).
  if (target !== path) {
    const obstacle = tree.obstacle(target);
    if (obstacle !== undefined) return failed('cannot_write', `Cannot write ${target}: ${obstacle}.`);
    tree.remove(path);
  }
  tree.write(target, result.lines, entry.source);
  return { kind: 'M', path: update.movedTo ?? update.path };
}

/**
 * Files are read without their byte order mark, which stays. A patch may quote it at the start of the first line: where its
 * lines are not found, they are searched without the mark.
 */
function applyQuoted(lines: TextLines, chunks: readonly PatchChunk[]): ChunksResult {
  const result = applyChunks(lines, chunks);
  if (result.type !== 'not_found' || !chunks.some(quotesMark)) return result;
  const unmarked = applyChunks(
    lines,
    chunks.map((chunk) => (quotesMark(chunk) ? withoutMarks(chunk) : chunk)),
  );
  return unmarked.type === 'applied' ? unmarked : result;
}

function quotesMark({ lines }: PatchChunk): boolean {
  return lines.some(({ kind, text }) => kind !== 'add' && text.startsWith(BYTE_ORDER_MARK));
}

/** Removes byte order marks, also from added lines: the file would get a second mark. */
function withoutMarks(chunk: PatchChunk): PatchChunk {
  const unmarked = (text: string) => (text.startsWith(BYTE_ORDER_MARK) ? text.slice(BYTE_ORDER_MARK.length) : text);
  return { ...chunk, lines: chunk.lines.map(({ kind, text }) => ({ kind, text: unmarked(text) })) };
}

function categoryOf(mismatch: Mismatch): PlanFaultCategory {
  switch (mismatch.type) {
    case 'not_found':
      return `${mismatch.what}_not_found`;
    case 'taken':
      return 'lines_taken';
    case 'indentation':
      return 'indentation_differs';
    default:
      return assertNever(mismatch);
  }
}

function failed(category: PlanFaultCategory, message: string): Failure {
  return { type: 'failed', category, message };
}
