/** The rows of the list that opens at an `@`. */
import * as vscode from 'vscode';
import { posix } from 'node:path';
import { abortable } from '../../core/util/abort.ts';
import { fuzzyMatch } from '../../protocol/text/fuzzyMatch.ts';
import { firstLine } from '../../protocol/text/truncate.ts';
import { unusedName } from '../../protocol/text/mentionTokens.ts';
import type { Mention } from '../../protocol/item.ts';
import type { LineRange } from '../../protocol/lineRange.ts';
import type { MentionRow } from '../../protocol/wire.ts';
import { rangeName, type RecentFiles, selectionMention } from './editorPlaces.ts';
import type { FileIndex, IndexedFile } from './fileIndex.ts';
import { inWorkspace } from '../ui/workspacePaths.ts';
import { changeCount } from '../workspace/gitChanges.ts';
import { problemCount } from './problems.ts';
import { rankFiles } from './rankFiles.ts';
import { symbolRows } from './symbols.ts';
import type { TerminalOutput } from './terminalOutput.ts';

/** A stored thread that can be mentioned. */
export interface MentionableThread {
  readonly id: string;
  readonly title: string;
}

/** A resource of an MCP server that can be mentioned. */
export interface MentionableResource {
  /** Server and URI, as `Mention.id` has them. */
  readonly id: string;
  readonly server: string;
  readonly name: string;
  readonly description: string;
}

export interface FindMentionsDeps {
  readonly index: Pick<FileIndex, 'files'>;
  readonly recent: Pick<RecentFiles, 'paths'>;
  readonly terminals: Pick<TerminalOutput, 'terminals'>;
  /** Threads of this workspace, the newest first, without the shown one. */
  readonly threads: () => Promise<readonly MentionableThread[]>;
  /** Resources of the running MCP servers. */
  readonly resources: (signal: AbortSignal) => Promise<readonly MentionableResource[]>;
  /** Returns the reason why a file may not be read; `undefined` for a readable one. */
  readonly refusal: (path: string) => string | undefined;
  /** See `MentionsDeps`. */
  readonly changedInCopy: number | null | undefined;
}

const MAX_FILES = 40;
const MAX_RECENT = 8;
const MAX_THREADS = 5;
const MAX_RESOURCES = 10;
/** Language extensions search the whole workspace for each query. */
const MIN_SYMBOL_QUERY = 2;

/**
 * Yields rows in the order of the list: local rows first, then those that take longer. A query that begins with `#`
 * means symbols alone; one that ends with `:10-20` the lines of a file. Rejects with the signal's reason.
 */
export async function* findMentions(
  query: string,
  deps: FindMentionsDeps,
  signal: AbortSignal,
): AsyncGenerator<readonly MentionRow[]> {
  if (query.startsWith('#')) {
    if (query.length > MIN_SYMBOL_QUERY) yield await symbolsOf(query.slice(1), deps, signal);
    return;
  }
  const { name, lines } = parseQuery(query);
  const context = contextRows(name, deps);
  const recent = deps.recent.paths;
  const files = await rankFiles(name, await deps.index.files(signal), { recent, most: MAX_FILES, signal });
  const rows = files.map(({ item, positions }) => fileRow(item, positions, lines, deps));
  if (query === '') {
    const open = recent.filter((path) => files.some(({ item }) => item.path === path)).slice(0, MAX_RECENT).length;
    yield [...rows.slice(0, open), ...context, ...rows.slice(open)];
  } else {
    yield [...context, ...rows];
  }
  yield await threadRows(name, deps);
  signal.throwIfAborted();
  const mayBeSymbol = name.length >= MIN_SYMBOL_QUERY && !/[/:]/.test(name) && lines === undefined;
  if (mayBeSymbol) yield await symbolsOf(name, deps, signal);
  // Last, because servers may take their time.
  yield await resourceRows(query, deps, signal);
}

/** `src/a.ts:10-20` → its name and lines. */
function parseQuery(query: string): { readonly name: string; readonly lines: LineRange | undefined } {
  const [, name, from, to] = /^(.+?):(\d{1,7})(?:-(\d{1,7}))?$/.exec(query) ?? [];
  if (name === undefined || from === undefined) return { name: query, lines: undefined };
  const first = Math.max(1, Number(from));
  return { name, lines: { first, last: Math.max(first, Number(to ?? from)) } };
}

function fileRow(
  { name, path, kind }: IndexedFile,
  positions: readonly number[],
  lines: LineRange | undefined,
  { refusal }: FindMentionsDeps,
): MentionRow {
  const start = posix.join('/', name).length - posix.basename(name).length - (name.endsWith('/') ? 2 : 1);
  const chosen = kind === 'file' ? lines : undefined;
  const mention: Mention = {
    type: 'mention',
    kind,
    name: chosen === undefined ? name : `${name}:${rangeName(chosen)}`,
    path,
    ...(chosen && { lines: chosen }),
  };
  const label = mention.name.slice(start);
  const folder = posix.dirname(name);
  const refused = kind === 'file' ? refusal(path) : undefined;
  return {
    mention,
    label,
    detail: folder === '.' ? '' : folder,
    positions: positions.filter((at) => at >= start).map((at) => at - start),
    ...(refused === undefined ? {} : { refused: inWorkspace(refused) }),
  };
}

/** Returns the rows for sources of VS Code other than files, where they have content. */
export function contextRows(
  query: string,
  { terminals, refusal, changedInCopy }: Pick<FindMentionsDeps, 'terminals' | 'refusal' | 'changedInCopy'>,
): readonly MentionRow[] {
  const rows: MentionRow[] = [];
  const add = (mention: Mention, label: string, detail: string) => {
    const match = fuzzyMatch(query, mention.name);
    const isMeant = query === '' || mention.name.toLowerCase().startsWith(query.toLowerCase());
    if (match !== undefined && isMeant) rows.push({ mention, label, detail, positions: [] });
  };
  const selection = selectionMention(vscode.window.activeTextEditor);
  if (selection !== undefined && refusal(selection.path) === undefined) {
    add({ ...selection, name: 'selection' }, vscode.l10n.t('Selection'), selection.name);
  }
  const problems = problemCount((path) => refusal(path) === undefined);
  if (problems !== undefined) add(plainMention('problems'), vscode.l10n.t('Problems'), problems);
  const changes = changesDetail(changedInCopy);
  if (changes !== undefined) add(plainMention('changes'), changes.label, changes.detail);
  const [first, ...others] = terminals.terminals;
  if (first !== undefined) {
    add({ ...plainMention('terminal'), id: first.id }, vscode.l10n.t('Terminal Output'), first.name);
  }
  const names = new Set<string>();
  for (const { id, name } of others) {
    const unused = unusedName([`terminal:${name}`], names);
    names.add(unused);
    const mention: Mention = { ...plainMention('terminal'), name: unused, id };
    if (query !== '') add(mention, vscode.l10n.t('Terminal Output'), unused.slice('terminal:'.length));
  }
  return rows;
}

/** Returns the row for changes in the place in which the shown thread works; `undefined` where nothing is changed. */
function changesDetail(
  changedInCopy: FindMentionsDeps['changedInCopy'],
): { readonly label: string; readonly detail: string } | undefined {
  if (changedInCopy === undefined) {
    const detail = changeCount();
    return detail === undefined ? undefined : { label: vscode.l10n.t('Git Changes'), detail };
  }
  if (changedInCopy === 0) return undefined;
  const label = vscode.l10n.t('Changes in the Side Copy');
  if (changedInCopy === null) return { label, detail: '' };
  const detail = changedInCopy === 1 ? vscode.l10n.t('1 file') : vscode.l10n.t('{0} files', changedInCopy);
  return { label, detail };
}

/** Returns a mention whose content is read when the message is sent. */
export function plainMention(kind: 'problems' | 'changes' | 'terminal'): Mention {
  return { type: 'mention', kind, name: kind, path: '' };
}

/** Finds threads by their titles; `thread` alone lists the newest. */
async function threadRows(query: string, { threads }: FindMentionsDeps): Promise<readonly MentionRow[]> {
  const isAny = query !== '' && 'thread:'.startsWith(query.toLowerCase());
  const wanted = isAny ? '' : query.replace(/^thread:/i, '');
  if (wanted === '' && !isAny && query !== 'thread:') return [];
  const rows = (await threads()).flatMap(({ id, title }) => {
    const match = fuzzyMatch(wanted, title);
    return match === undefined ? [] : [{ id, title, match }];
  });
  const best = wanted === '' ? rows : rows.toSorted((one, other) => other.match.score - one.match.score);
  const names = new Set<string>();
  return best.slice(0, MAX_THREADS).map(({ id, title, match }) => {
    const name = unusedName([`thread:${title}`], names);
    names.add(name);
    return {
      mention: { type: 'mention', kind: 'thread', name, path: '', id },
      label: title,
      detail: vscode.l10n.t('Thread'),
      positions: match.positions,
    };
  });
}

/** Finds resources by server and name: `@notes:` lists those of the server `notes`. */
async function resourceRows(
  query: string,
  { resources }: FindMentionsDeps,
  signal: AbortSignal,
): Promise<readonly MentionRow[]> {
  const rows = (await resources(signal)).flatMap(({ id, server, name, description }) => {
    // The query ends at a space, and so must not have one.
    const shown = `${server}:${name.replaceAll(/\s+/g, '-')}`;
    const match = fuzzyMatch(query, shown);
    return match === undefined ? [] : [{ id, shown, description, match }];
  });
  const best = query === '' ? rows : rows.toSorted((one, other) => other.match.score - one.match.score);
  const names = new Set<string>();
  return best.slice(0, MAX_RESOURCES).map(({ id, shown, description, match }) => {
    const name = unusedName([shown], names);
    names.add(name);
    return {
      mention: { type: 'mention', kind: 'resource', name, path: '', id },
      label: shown,
      detail: description === '' ? vscode.l10n.t('Resource') : firstLine(description),
      positions: match.positions,
    };
  });
}

async function symbolsOf(
  query: string,
  { refusal }: FindMentionsDeps,
  signal: AbortSignal,
): Promise<readonly MentionRow[]> {
  const rows = await abortable(symbolRows(query), signal);
  return rows.filter(({ mention }) => refusal(mention.path) === undefined);
}
