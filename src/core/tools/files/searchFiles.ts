/**
 * Finds files with a line that matches: with ripgrep where there is one, whose finds are read again, or by reading every
 * file. Both give the same files; ripgrep is faster, and takes its own syntax where JavaScript has none (`(?i)word`).
 */
import path from 'node:path';
import { type FilePlace, type Workspace, WorkspaceError } from '../../ports.ts';
import { messageOf } from '../../util/fileErrors.ts';
import { globToRegExp } from '../../util/glob.ts';
import { NEVER_ENTERED } from '../../util/ignoreRules.ts';
import { pathBelow } from '../../util/pathBelow.ts';
import type { ToolContext } from '../handler.ts';
import { linkedSecrets, type ReadGuard, readLimitsOf } from './readGuard.ts';
import { ripgrepPattern } from './ripgrepPattern.ts';
import { ignoreFilter, walkFiles } from './walkFiles.ts';

/** Files that one search reads or ripgrep finds, and milliseconds that it may take. */
export const [MAX_FILES, MAX_MS] = [20_000, 30_000];
/** Files that are read at once. */
const BATCH = 32;
/** Globs that mean the same to ripgrep. Others are applied to its results. */
const PLAIN_GLOB = /^\*\.(?:\w+|\{\w+(?:,\w+)*\})$/;

export interface Search {
  readonly pattern: string;
  readonly include: string | undefined;
  /** Absolute, with all links resolved. */
  readonly place: string;
  readonly isFolder: boolean;
  readonly guard: ReadGuard;
  /** Maximum files that are returned. */
  readonly limit: number;
}

interface Found {
  /** Absolute paths, the newest first. */
  readonly files: readonly string[];
  /** Files that are too large to be read; where ripgrep has searched, only those in which it has found the pattern. */
  readonly tooLarge: readonly string[];
}

export type SearchOutcome =
  | ({ readonly type: 'found' /** False when files or time were used up. */; readonly isComplete: boolean } & Found)
  | { readonly type: 'invalid'; readonly message: string }
  /** The pattern needs more than a second for one file. */
  | { readonly type: 'too_slow' };

/** The dependencies of a search. */
export type SearchContext = Pick<
  ToolContext,
  'regexps' | 'textSearch' | 'workspace' | 'settings' | 'thread' | 'clock' | 'signal' | 'host'
>;

type Matches = (text: string) => boolean | 'too_slow';
type Compiled = { readonly matches: Matches } | { readonly message: string };

/** Rejects only with the signal's reason. */
export async function searchFiles(search: Search, context: SearchContext): Promise<SearchOutcome> {
  const outcome = await searchByName(search, context);
  if (outcome.type !== 'found') return outcome;
  const linked = await linkedSecrets(outcome.files, search.guard, readLimitsOf(context), context);
  return { ...outcome, files: outcome.files.filter((file) => file === search.place || !linked.has(file)) };
}

async function searchByName(search: Search, context: SearchContext): Promise<SearchOutcome> {
  const compiled = compile(search.pattern, context);
  const found = await find(search, 'matches' in compiled, context);
  if (found.type === 'found') {
    const dirty = context.workspace.unsavedTexts?.() ?? [];
    const candidates = await allowed([...new Set([...found.files, ...dirty])], search, context);
    const sorted = await byAge(candidates, context.workspace);
    // Without an expression of our own, ripgrep alone decides, and it has not seen unsaved edits.
    const isHit = 'matches' in compiled ? compiled.matches : () => 'too_slow' as const;
    const trusted = new Set(found.files.filter((file) => !dirty.includes(file)));
    return { ...(await confirmed(sorted, isHit, trusted, search.limit, context)), isComplete: found.isComplete };
  }
  if ('message' in compiled) return { type: 'invalid', message: compiled.message };
  return readAll(search, compiled.matches, context);
}

function compile(pattern: string, { regexps }: Pick<ToolContext, 'regexps'>): Compiled {
  try {
    return { matches: regexps.compile(pattern) };
  } catch (error) {
    return { message: messageOf(error) };
  }
}

async function find(
  { pattern, include, place }: Search,
  isJavaScript: boolean,
  { textSearch, workspace, settings, thread, signal }: SearchContext,
) {
  if (textSearch === undefined) return { type: 'unavailable' } as const;
  const request = {
    pattern: isJavaScript ? ripgrepPattern(pattern) : pattern,
    place,
    include: include !== undefined && PLAIN_GLOB.test(include) ? include : undefined,
    neverEntered: [...NEVER_ENTERED],
    untrusted: [settings.cwd, ...workspace.roots, thread.home, '/tmp'],
    maxFiles: MAX_FILES,
    timeoutMs: MAX_MS,
  };
  return textSearch.find(request, signal);
}

/** Returns the files of the search: below its place, not ignored, of the requested kind, readable. */
async function allowed(
  files: readonly string[],
  { include, place, isFolder, guard }: Search,
  { workspace, signal }: SearchContext,
): Promise<readonly string[]> {
  if (!isFolder) return files.filter((file) => file === place);
  const wanted = include === undefined ? undefined : globToRegExp(include);
  const isKept = await ignoreFilter(place, workspace, signal);
  const kept: string[] = [];
  for (const file of files) {
    const way = pathBelow(place, file)?.split(path.sep).join('/');
    if (way === undefined || (wanted !== undefined && !wanted.test(way)) || guard([file]) !== undefined) continue;
    if (await isKept(file)) kept.push(file);
  }
  return kept;
}

/**
 * Reads files until `limit` of them match: unsaved edits count, and files that are not text do not. A file for which
 * the expression needs too long matches if it is among `trusted`.
 */
async function confirmed(
  files: readonly string[],
  matches: Matches,
  trusted: ReadonlySet<string>,
  limit: number,
  { workspace, signal }: SearchContext,
): Promise<{ readonly type: 'found' } & Found> {
  const hits: string[] = [];
  const tooLarge: string[] = [];
  for (let at = 0; at < files.length && hits.length < limit; at += BATCH) {
    const batch = new Map(files.slice(at, at + BATCH).map((file) => [file, { name: file, target: file }]));
    for (const [file, content] of await workspace.readPlaces(batch, signal)) {
      if (content instanceof WorkspaceError) {
        if (content.code === 'too_large') tooLarge.push(file);
        continue;
      }
      const result = matches(content.text);
      if (result === true || (result === 'too_slow' && trusted.has(file))) hits.push(file);
    }
  }
  return { type: 'found', files: hits.slice(0, limit), tooLarge };
}

async function readAll(search: Search, matches: Matches, context: SearchContext): Promise<SearchOutcome> {
  const { place, isFolder, limit } = search;
  const files = isFolder ? filesBelow(search, context) : only(place);
  const { hits, tooLarge, stopped } = await read(files, matches, context);
  if (stopped === 'slow') return { type: 'too_slow' };
  const newest = await byAge(hits, context.workspace);
  return { type: 'found', files: newest.slice(0, limit), tooLarge, isComplete: stopped === undefined };
}

async function* only(file: string): AsyncIterable<string> {
  yield file;
}

async function* filesBelow(
  { place, include, guard }: Search,
  { workspace, signal }: SearchContext,
): AsyncIterable<string> {
  const wanted = include === undefined ? undefined : globToRegExp(include);
  for await (const way of walkFiles(place, workspace, signal)) {
    const file = path.join(place, way);
    if ((wanted === undefined || wanted.test(way)) && guard([file]) === undefined) yield file;
  }
}

interface ReadResult {
  readonly hits: readonly string[];
  readonly tooLarge: readonly string[];
  /** `limit`: files or time were used up. `slow`: the pattern needs too long for one file. */
  readonly stopped: 'limit' | 'slow' | undefined;
}

async function read(
  files: AsyncIterable<string>,
  matches: Matches,
  { workspace, signal, clock }: SearchContext,
): Promise<ReadResult> {
  const hits: string[] = [];
  const tooLarge: string[] = [];
  const until = clock.monotonic() + MAX_MS;
  let batch = new Map<string, FilePlace>();
  let seen = 0;
  const readBatch = async (): Promise<boolean> => {
    for (const [file, content] of await workspace.readPlaces(batch, signal)) {
      if (content instanceof WorkspaceError && content.code === 'too_large') tooLarge.push(file);
      // Binary and unreadable files have no lines.
      const result = content instanceof WorkspaceError ? false : matches(content.text);
      if (result === 'too_slow') return false;
      if (result) hits.push(file);
    }
    batch = new Map();
    return true;
  };
  for await (const file of files) {
    // The folders of a walked path are no links; the file is opened without following one.
    batch.set(file, { name: file, target: file });
    seen++;
    if (batch.size >= BATCH && !(await readBatch())) return { hits, tooLarge, stopped: 'slow' };
    if (seen >= MAX_FILES || clock.monotonic() > until) {
      return { hits, tooLarge, stopped: (await readBatch()) ? 'limit' : 'slow' };
    }
  }
  return { hits, tooLarge, stopped: (await readBatch()) ? undefined : 'slow' };
}

async function byAge(files: readonly string[], workspace: Pick<Workspace, 'stat'>): Promise<readonly string[]> {
  const aged = await Promise.all(
    files.map(async (file) => ({ file, age: (await workspace.stat(file).catch(() => undefined))?.modifiedAt ?? 0 })),
  );
  return aged.toSorted((one, other) => other.age - one.age || (one.file < other.file ? -1 : 1)).map(({ file }) => file);
}
