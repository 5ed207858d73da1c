/**
 * Permission bits that come home. No patch has them: they are set afterwards, never through a link, and of several files with a
 * journal of their own, so that a crash leaves an interrupted patch that is finished or rolled back.
 */
import type { FilePlan, ModeChange } from '../../core/sideCopies/planBringHome.ts';
import type { ApplyDeps, JournalEntry } from '../apply/model.ts';
import { PlaceFiles } from '../apply/placeFiles.ts';

export type PlanWithMode = FilePlan & { readonly mode: ModeChange };

/** Permission bits that were changed. */
export interface ModeSet {
  /** Absolute. */
  readonly path: string;
  readonly before: number;
  readonly after: number;
}

export interface ModeDeps extends Pick<ApplyDeps, 'holdFolders' | 'journal'> {
  readonly report: (error: unknown) => void;
}

/** Returns those that were set. One that another program has changed since the review stays as it is. */
export function setModes(plans: ReadonlySet<PlanWithMode>, deps: ModeDeps): Promise<readonly ModeSet[]> {
  return changed(
    [...plans].map(({ file, mode: { before, after } }) => ({ path: file.path, before, after })),
    deps,
  );
}

/** Reverts those permission bits that no program has changed since they were set. */
export async function resetModes(set: readonly ModeSet[], deps: ModeDeps): Promise<void> {
  await changed(
    set.map(({ path, before, after }) => ({ path, before: after, after: before })),
    deps,
  );
}

async function changed(
  wanted: readonly ModeSet[],
  { holdFolders, journal, report }: ModeDeps,
): Promise<readonly ModeSet[]> {
  if (wanted.length === 0) return [];
  const files = new PlaceFiles(holdFolders());
  const done: ModeSet[] = [];
  try {
    const entries: JournalEntry[] = [];
    for (const change of wanted) entries.push(...(await journalEntry(change, files).catch(nothing(report))));
    const isThere = new Set(entries.map(({ path }) => path));
    // The mode of a single file is set in one system call, which needs no journal.
    const opened = entries.length > 1 ? await journal.open(entries) : undefined;
    try {
      for (const change of wanted.filter(({ path }) => isThere.has(path))) {
        const isDone = await files.changeMode(change.path, change.before, change.after).catch(report);
        if (isDone === true) done.push(change);
      }
    } finally {
      await opened?.close();
    }
  } catch (error) {
    report(error);
  } finally {
    files.dispose();
  }
  return done;
}

/** None where the file does not have the bits that it had in the review, or is no file any more. */
async function journalEntry({ path, before, after }: ModeSet, files: PlaceFiles): Promise<readonly JournalEntry[]> {
  const mode = (await files.details(path))?.mode;
  if (mode === undefined || (mode & 0o777) !== before) return [];
  const bytes = await files.read(path);
  const special = mode & 0o7000;
  return [{ path, before: { type: 'file', bytes, mode }, after: { type: 'file', bytes, mode: special | after } }];
}

function nothing(report: (error: unknown) => void): (error: unknown) => readonly [] {
  return (error) => {
    report(error);
    return [];
  };
}
