/** Describes the changes of a command: a summary for its row, and texts for the diff of the turn. */
import {
  type ChangedFile,
  type CommandChanges,
  type FileState,
  MAX_SHOWN_FILES,
  type RecordedChange,
} from '../../protocol/baseline.ts';
import { TurnDiff } from './turnDiff.ts';
import { unifiedDiff } from '../patch/unifiedDiff.ts';
import type { FileChange } from '../ports.ts';
import { pathBelow } from '../util/pathBelow.ts';
import { decodeText } from '../util/textBytes.ts';

/** Bytes of a file whose lines are counted and shown. */
const MAX_SHOWN_BYTES = 256 * 1024;
/** Maximum bytes for all files of one command: the diff of a turn is recorded several times. */
const MAX_ALL_SHOWN_BYTES = 2 * 1024 * 1024;

export interface DescribedChanges {
  readonly summary: CommandChanges;
  /** The changes to files whose texts are shown. */
  readonly texts: readonly FileChange[];
  /** Their diffs, with paths from `cwd`. */
  readonly diffs: ReadonlyMap<FileChange, string>;
  /** Absolute paths of the others. */
  readonly withoutText: readonly string[];
}

/**
 * `read` gives kept content. Changes of ignored files are not shown; those of files with secrets are named, without their
 * lines: `secretsAmong` returns which of some files are such.
 */
export async function describeChanges(
  recorded: readonly RecordedChange[],
  cwd: string,
  read: (hash: string) => Promise<Uint8Array | undefined>,
  secretsAmong: (files: readonly string[]) => Promise<Pick<ReadonlySet<string>, 'has'>> = async () => new Set(),
): Promise<DescribedChanges> {
  const changes = recorded.filter(({ before, after }) => !isIgnored(before) && !isIgnored(after));
  const files: ChangedFile[] = [];
  const texts: FileChange[] = [];
  const diffs = new Map<FileChange, string>();
  let bytesLeft = MAX_ALL_SHOWN_BYTES;
  const shown = changes.slice(0, MAX_SHOWN_FILES);
  const secrets = await secretsAmong(shown.map(({ path }) => path));
  for (const change of shown) {
    const bytes = sizeOf(change.before) + sizeOf(change.after);
    const text = bytes > bytesLeft || secrets.has(change.path) ? undefined : await textChange(change, read);
    if (text !== undefined) bytesLeft -= bytes;
    const counts = text === undefined ? undefined : unifiedDiff(text, cwd);
    if (text !== undefined && counts !== undefined) {
      texts.push(text);
      diffs.set(text, counts.text);
    }
    const left = [change.before, change.after].find((state) => state.type === 'left_out');
    files.push({
      path: pathBelow(cwd, change.path) ?? change.path,
      kind: kindOf(change),
      ...(counts === undefined ? {} : { added: counts.added, removed: counts.removed }),
      ...(change.by === 'uncertain' ? { uncertain: true } : {}),
      ...(left?.type === 'left_out' ? { cannotUndo: left.reason } : {}),
    });
  }
  const withText = new Set(texts.map(({ path }) => path));
  return {
    summary: { files, total: changes.length, cannotUndo: changes.filter((change) => !canUndo(change)).length },
    texts,
    diffs,
    withoutText: changes.filter(({ path }) => !withText.has(path)).map(({ path }) => path),
  };
}

/** Returns the diff in git format, with paths from `cwd`; files that are not shown are named. */
export async function diffOfChanges(
  changes: readonly RecordedChange[],
  cwd: string,
  read: (hash: string) => Promise<Uint8Array | undefined>,
): Promise<string> {
  const { texts, diffs, withoutText } = await describeChanges(changes, cwd, read);
  const diff = new TurnDiff();
  diff.add(texts, diffs);
  diff.name(withoutText);
  return diff.unifiedDiff(cwd);
}

function kindOf({ before, after }: RecordedChange): ChangedFile['kind'] {
  if (before.type === 'absent') return 'add';
  return after.type === 'absent' ? 'delete' : 'update';
}

function canUndo({ before, after }: RecordedChange): boolean {
  return before.type !== 'left_out' && after.type !== 'left_out';
}

function sizeOf(state: FileState): number {
  return state.type === 'file' ? state.size : 0;
}

function isIgnored(state: FileState): boolean {
  return state.type === 'left_out' && state.reason === 'ignored';
}

/** `undefined` where one side is not text, too large or not kept. */
async function textChange(
  { path, before, after }: RecordedChange,
  read: (hash: string) => Promise<Uint8Array | undefined>,
): Promise<FileChange | undefined> {
  const [old, now] = [await textOf(before, read), await textOf(after, read)];
  if (old === undefined || now === undefined) return undefined;
  if (now === null) return { kind: 'delete', path, before: old ?? '' };
  if (old === null) return { kind: 'add', path, text: now, before: null };
  return { kind: 'update', path, before: old, after: now, hunks: [], movedTo: null, movedOver: null };
}

/** `null` where there is no file. */
async function textOf(
  state: FileState,
  read: (hash: string) => Promise<Uint8Array | undefined>,
): Promise<string | null | undefined> {
  if (state.type === 'absent') return null;
  if (state.type !== 'file' || state.size > MAX_SHOWN_BYTES) return undefined;
  const bytes = await read(state.hash);
  return bytes && decodeText(bytes)?.text;
}
