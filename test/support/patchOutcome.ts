/** The outcome of a patch in a form in which Tiller's and the reference's can be compared. */
import { dirname, posix } from 'node:path';
import type { FileChange, TextHunk } from '../../src/core/ports.ts';
import { parsePatch } from '../../src/core/patch/parse.ts';
import { pathsOf, planPatch } from '../../src/core/patch/plan.ts';
import { reportLines } from '../../src/core/patch/report.ts';
import type { FileSnapshot } from '../../src/core/patch/workingTree.ts';
import { inReferenceWords, type PatchCase, type SampleTree } from './patchCases.ts';

export type PatchOutcome =
  /** The patch was applied. `tree` contains only files, no empty folders. */
  | { readonly type: 'applied'; readonly report: readonly string[]; readonly tree: SampleTree }
  | { readonly type: 'failed'; readonly category: string; readonly line?: number };

/** The request to the reference and its result. */
export interface ReferenceRun {
  readonly exitCode: number;
  readonly stdout: string;
  readonly stderr: string;
  readonly tree: SampleTree;
}

const CWD = '/work';

export function ourOutcome({ files, patch }: PatchCase): PatchOutcome {
  const parsed = parsePatch(patch);
  if (parsed.type === 'invalid') {
    const { category, line } = parsed;
    return { type: 'failed', category, ...(line === undefined ? {} : { line }) };
  }
  const snapshots = new Map(pathsOf(parsed.operations, CWD).map((path) => [path, snapshotOf(files, path)]));
  const plan = planPatch(parsed.operations, CWD, snapshots);
  if (plan.type === 'failed') return { type: 'failed', category: plan.category };
  return { type: 'applied', report: reportLines(plan.report), tree: apply(files, plan.changes) };
}

function snapshotOf(files: SampleTree, path: string): FileSnapshot {
  const relative = posix.relative(CWD, path);
  const content = files[relative];
  if (typeof content === 'string') return { type: 'text', text: content };
  if (content === false) return { type: 'not_text' };
  for (let folder = dirname(relative); folder !== '.'; folder = dirname(folder)) {
    if (typeof files[folder] === 'string' || files[folder] === false) {
      return { type: 'unreadable', message: 'a folder of its path is a file' };
    }
  }
  const isFolder =
    content === null || relative === '' || Object.keys(files).some((file) => file.startsWith(`${relative}/`));
  return isFolder ? { type: 'directory' } : { type: 'missing' };
}

/** Applies changes to a tree in memory, and reports every violated guarantee of `FileChange`. */
export function apply(files: SampleTree, changes: readonly FileChange[]): SampleTree {
  const tree = new Map(Object.entries(files).filter(([, content]) => content !== null));
  const relative = (path: string) => posix.relative(CWD, path);
  const expectText = (path: string, text: string | null) => {
    const content = tree.get(relative(path));
    if ((typeof content === 'string' ? content : null) !== text) throw new Error(`${path} is not what was planned for`);
  };
  for (const change of changes) {
    expectText(change.path, change.before);
    if (change.kind === 'update' && change.movedTo !== null) expectText(change.movedTo, change.movedOver);
  }
  for (const change of changes) {
    if (change.kind === 'delete' || (change.kind === 'update' && change.movedTo !== null))
      tree.delete(relative(change.path));
  }
  for (const change of changes) {
    if (change.kind === 'add') tree.set(relative(change.path), change.text);
    if (change.kind !== 'update') continue;
    if (applyHunks(change.before, change.hunks) !== change.after) throw new Error(`hunks of ${change.path} do not fit`);
    tree.set(relative(change.movedTo ?? change.path), change.after);
  }
  return Object.fromEntries(tree);
}

/** Applies hunks to a text as `TextHunk` guarantees. */
export function applyHunks(before: string, hunks: readonly TextHunk[]): string {
  const lines = before.match(/[^\r\n]*(?:\r\n|\n|\r)|[^\r\n]+$/g) ?? [];
  for (const { start, end, text } of hunks.toReversed()) lines.splice(start, end - start, text);
  return lines.join('');
}

const CATEGORIES: readonly (readonly [pattern: RegExp, category: string])[] = [
  [/^Invalid patch: The first line/, 'first_line'],
  [/^Invalid patch: The last line/, 'last_line'],
  [/^Invalid patch: .*environment_id/, 'environment_id'],
  [/^Invalid patch hunk on line (\d+): '[^]*' is not a valid hunk header/, 'bad_header'],
  [/^Invalid patch hunk on line (\d+): Update file hunk for path [^]* is empty/, 'empty_update'],
  [/^Invalid patch hunk on line (\d+): Update hunk does not contain any lines/, 'no_lines'],
  [/^Invalid patch hunk on line (\d+): Expected update hunk to start with/, 'missing_marker'],
  [/^Invalid patch hunk on line (\d+): Unexpected line found/, 'unexpected_line'],
  [/^No files were modified/, 'nothing_modified'],
  [/^Failed to read file to update/, 'cannot_read'],
  [/^Failed to find context/, 'context_not_found'],
  [/^Failed to find expected lines/, 'lines_not_found'],
  [/^Failed to delete file/, 'cannot_delete'],
  [/^Failed to (?:write|create)/, 'cannot_write'],
];

export function referenceOutcome(run: ReferenceRun): PatchOutcome {
  if (run.exitCode === 0) return { type: 'applied', report: run.stdout.trimEnd().split('\n').slice(1), tree: run.tree };
  for (const [pattern, category] of CATEGORIES) {
    const match = pattern.exec(run.stderr);
    if (match !== null)
      return { type: 'failed', category, ...(match[1] === undefined ? {} : { line: Number(match[1]) }) };
  }
  return { type: 'failed', category: `unknown: exit ${run.exitCode}, ${run.stderr}` };
}

/**
 * Returns an outcome in the form in which Tiller's and the reference's must be equal. A patch that was rewritten for
 * the reference has other line numbers, may write a path differently, and searches a stacked context as a line.
 */
export function comparable(outcome: PatchOutcome, patch: string): unknown {
  const reworded = inReferenceWords(patch) !== patch;
  if (outcome.type === 'failed') {
    if (!reworded) return outcome;
    return {
      type: 'failed',
      category: outcome.category === 'context_not_found' ? 'lines_not_found' : outcome.category,
    };
  }
  const report = reworded
    ? outcome.report.map((line) => line.slice(0, 2) + posix.normalize(line.slice(2)))
    : outcome.report;
  return { type: 'applied', report, tree: sortedTree(outcome.tree) };
}

function sortedTree(tree: SampleTree): unknown {
  return Object.entries(tree).toSorted(([one], [other]) => (one < other ? -1 : 1));
}
