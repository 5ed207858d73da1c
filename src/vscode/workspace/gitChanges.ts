/** Reads changes, branches and commits from VS Code's git extension, without changing them. */
import path from 'node:path';
import * as vscode from 'vscode';
import type { ReadRefusals } from '../../core/tools/files/readGuard.ts';
import { isBelow } from '../../core/util/pathBelow.ts';
import { ESCAPE } from '../../protocol/text/terminalText.ts';

/** The part of the API of `vscode.git` (version 1) that is used. */
interface GitApi {
  readonly repositories: readonly Repository[];
}
interface Change {
  readonly uri: vscode.Uri;
  readonly originalUri: vscode.Uri;
}
export interface GitCommit {
  readonly hash: string;
  readonly message: string;
  readonly parents: readonly string[];
}
export interface Repository {
  readonly rootUri: vscode.Uri;
  /** The field of the commit message in the Source Control view. */
  readonly inputBox: { value: string };
  readonly state: {
    readonly HEAD?: { readonly name?: string } | undefined;
    readonly indexChanges: readonly { readonly uri: vscode.Uri }[];
    readonly workingTreeChanges: readonly { readonly uri: vscode.Uri; readonly status?: number }[];
    /** Not there in older versions, where they are in `workingTreeChanges`. */
    readonly untrackedChanges?: readonly { readonly uri: vscode.Uri }[];
  };
  diff(cached?: boolean): Promise<string>;
  /** The diff of one file, staged or not. Empty for a file that is neither in HEAD nor staged. */
  diffWithHEAD(path: string): Promise<string>;
  /** Returns the changes from a commit to the files as they are. */
  diffWith(ref: string): Promise<readonly Change[]>;
  diffWith(ref: string, path: string): Promise<string>;
  /** Returns the changes from the merge base of both to the second one. */
  diffBetween(ref1: string, ref2: string): Promise<readonly Change[]>;
  diffBetween(ref1: string, ref2: string, path: string): Promise<string>;
  /** `undefined`, or empty, where they have no common commit. */
  getMergeBase(ref1: string, ref2: string): Promise<string | undefined>;
  getBranches(query: {
    readonly remote?: boolean;
    readonly sort?: 'committerdate';
  }): Promise<readonly { readonly name?: string }[]>;
  getCommit(ref: string): Promise<GitCommit>;
  log(options: { readonly maxEntries: number }): Promise<readonly GitCommit[]>;
}

/** The repositories that the extension has opened; none if it is disabled. */
export function repositories(): readonly Repository[] {
  const extension = vscode.extensions.getExtension<{ readonly enabled: boolean; getAPI(version: 1): GitApi }>(
    'vscode.git',
  );
  // It is not started for this: where git is turned off, there are no changes.
  if (extension === undefined || !extension.isActive || !extension.exports.enabled) return [];
  return extension.exports.getAPI(1).repositories;
}

/** The innermost one that holds the file. */
export function repositoryOf({ fsPath }: vscode.Uri, among: readonly Repository[]): Repository | undefined {
  const holding = among.filter(({ rootUri }) => isBelow(fsPath, rootUri.fsPath));
  return holding.toSorted((one, other) => other.rootUri.fsPath.length - one.rootUri.fsPath.length)[0];
}

/** `Status.UNTRACKED` of the API. */
const UNTRACKED = 7;

/**
 * Returns true if git does not know the file yet. Untracked files are among the other changes, unless
 * `git.untrackedChanges` separates them.
 */
export function isUntracked({ fsPath }: vscode.Uri, among: readonly Repository[]): boolean {
  return among.some(({ state: { workingTreeChanges, untrackedChanges = [] } }) => {
    const mixed = workingTreeChanges.filter(({ status }) => status === UNTRACKED);
    return [...mixed, ...untrackedChanges].some(({ uri }) => uri.fsPath === fsPath);
  });
}

function changedFiles({ state }: Repository): ReadonlySet<string> {
  const { indexChanges, workingTreeChanges, untrackedChanges = [] } = state;
  return new Set([...indexChanges, ...workingTreeChanges, ...untrackedChanges].map(({ uri }) => uri.fsPath));
}

/** “4 files”; `undefined` without changes. */
export function changeCount(): string | undefined {
  const count = repositories().reduce((sum, repository) => sum + changedFiles(repository).size, 0);
  if (count === 0) return undefined;
  return count === 1 ? vscode.l10n.t('1 file') : vscode.l10n.t('{0} files', count);
}

/**
 * Resolves to a text for the model: the names of all changed files, then the diffs of the staged and of the other
 * changes. Files that may not be read have no diff. Rejects when git does.
 */
export async function changeText(
  refusals: ReadRefusals,
  among: readonly Repository[] = repositories(),
): Promise<string | undefined> {
  const parts = await Promise.all(among.map((repository) => changesOf(repository, refusals)));
  const text = parts.filter((part) => part !== '').join('\n\n');
  return text === '' ? undefined : text;
}

async function changesOf(repository: Repository, refusals: ReadRefusals): Promise<string> {
  const root = repository.rootUri.fsPath;
  const names = [...changedFiles(repository)].map((file) => path.relative(root, file)).toSorted();
  if (names.length === 0) return '';
  const staged = await withoutUnreadable(await repository.diff(true), root, refusals);
  const unstaged = await withoutUnreadable(await repository.diff(false), root, refusals);
  return [
    `Repository ${root}, changed files:\n${names.join('\n')}`,
    ...(staged === '' ? [] : [`Staged:\n${staged}`]),
    ...(unstaged === '' ? [] : [`Not staged:\n${unstaged}`]),
  ].join('\n\n');
}

/**
 * Resolves to a text for the model: the content of the next commit of a repository, that is the staged changes, else
 * all changes. Empty without changes. Rejects when git does.
 */
export async function changesToCommit(repository: Repository, refusals: ReadRefusals): Promise<string> {
  const root = repository.rootUri.fsPath;
  const { indexChanges } = repository.state;
  const isStaged = indexChanges.length > 0;
  const files = isStaged ? new Set(indexChanges.map(({ uri }) => uri.fsPath)) : changedFiles(repository);
  if (files.size === 0) return '';
  const names = [...files].map((file) => path.relative(root, file)).toSorted();
  const diff = await withoutUnreadable(await repository.diff(isStaged), root, refusals);
  return [`Changed files:\n${names.join('\n')}`, ...(diff === '' ? [] : [diff])].join('\n\n');
}

/** Characters of the diffs of single files after which no further file is read; the reader gets less of it. */
const ENOUGH = 200_000;

/**
 * Resolves to the merge base of HEAD and the branch; `undefined` where they have no common commit. Rejects when git
 * does.
 */
export async function mergeBaseOf(repository: Repository, branch: string): Promise<string | undefined> {
  return (await repository.getMergeBase('HEAD', branch)) || undefined;
}

/**
 * Resolves to a text for the model: the changes in this repository since a commit, uncommitted changes included. Empty
 * without changes. Rejects when git does.
 */
export async function changesSince(repository: Repository, base: string, refusals: ReadRefusals): Promise<string> {
  const changes = await repository.diffWith(base);
  return diffOf(repository, changes, (file) => repository.diffWith(base, file), refusals);
}

/** Resolves to the changes of a commit, for the model. Empty for a first commit. Rejects when git does. */
export async function changesIn(
  repository: Repository,
  { hash, parents: [parent] }: GitCommit,
  refusals: ReadRefusals,
): Promise<string> {
  if (parent === undefined) return '';
  const changes = await repository.diffBetween(parent, hash);
  return diffOf(repository, changes, (file) => repository.diffBetween(parent, hash, file), refusals);
}

async function diffOf(
  { rootUri }: Repository,
  changes: readonly Change[],
  diff: (file: string) => Promise<string>,
  refusals: ReadRefusals,
): Promise<string> {
  const changed = [...new Set(changes.map(({ uri }) => uri.fsPath))];
  const refused = await refusals(changed);
  const files = changed.filter((file) => !refused.has(file)).toSorted();
  const names = files.map((file) => path.relative(rootUri.fsPath, file));
  const parts: string[] = [];
  let length = 0;
  for (const file of files) {
    if (length > ENOUGH) break;
    const part = await withoutUnreadable(await diff(file), rootUri.fsPath, refusals);
    length += part.length;
    if (part !== '') parts.push(part);
  }
  return names.length === 0 ? '' : [`Changed files:\n${names.join('\n')}`, ...parts].join('\n\n');
}

/**
 * Resolves to the files of a diff that may be read, by both of their names. Text whose file is not known, as another program
 * for diffs (`diff.external`) prints it, is left out.
 */
export async function withoutUnreadable(diff: string, root: string, refusals: ReadRefusals): Promise<string> {
  // Git adds colours when `color.ui` is `always`.
  const files = diff.replace(ESCAPE, '').split(/^(?=diff --(?:git|cc|combined) )/m);
  const known = files.flatMap((text) => {
    const names = namesIn(text);
    return names === undefined ? [] : [{ text, paths: names.map((name) => path.join(root, name)) }];
  });
  const refused = await refusals([...new Set(known.flatMap(({ paths }) => paths))]);
  const kept = known.filter(({ paths }) => !paths.some((file) => refused.has(file)));
  return kept
    .map(({ text }) => text)
    .join('')
    .trimEnd();
}

/** All names that a file of a diff may have; `undefined` where its text may be that of any file. */
function namesIn(file: string): readonly string[] | undefined {
  const [head = ''] = file.split('\n', 1);
  if (!head.startsWith('diff --')) return undefined;
  const lines = [...file.matchAll(/^(?:---|\+\+\+|(?:rename|copy) (?:from|to)) (.+?)\t?$/gm)].map(
    ([, name = '']) => name,
  );
  const named = lines.length > 0 ? lines : namesInHead(head);
  // Without a name only a line about permissions or an empty file may stay.
  if (named.length === 0 && /^@@|^GIT binary patch/m.test(file)) return undefined;
  const names = named.map(unquoted).filter((name) => name !== '/dev/null');
  // The settings of git decide whether names begin with `a/` and `b/`, other letters, or nothing.
  return [...names, ...names.map((name) => name.replace(/^[^/]+\//, ''))];
}

/** The name of a file without hunks, from `diff --git a/x b/x` with equal names. */
function namesInHead(head: string): readonly string[] {
  const name = /^diff --git a\/(.+) b\/\1$/.exec(head)?.[1];
  return name === undefined ? [] : [name];
}

/** Git quotes names with unusual characters. */
function unquoted(name: string): string {
  if (!/^".*"$/.test(name)) return name;
  const bytes = name
    .slice(1, -1)
    .replaceAll(/\\([0-7]{3})/g, (_, octal: string) => String.fromCharCode(Number.parseInt(octal, 8)))
    .replaceAll(/\\(.)/g, '$1');
  return Buffer.from(bytes, 'latin1').toString('utf8');
}
