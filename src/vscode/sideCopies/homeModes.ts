/** Permission bits that come home. No patch has them: they are set afterwards, and never through a link. */
import type { FilePlan, ModeChange } from '../../core/sideCopies/planBringHome.ts';
import type { ApplyDeps } from '../apply/model.ts';
import { PlaceFiles } from '../apply/placeFiles.ts';

export type PlanWithMode = FilePlan & { readonly mode: ModeChange };

/** Permission bits that were changed. */
export interface ModeSet {
  /** Absolute. */
  readonly path: string;
  readonly before: number;
  readonly after: number;
}

export interface ModeDeps {
  readonly holdFolders: ApplyDeps['holdFolders'];
  readonly report: (error: unknown) => void;
}

/** Returns those that were set. One that another program has changed since the review stays as it is. */
export function setModes(plans: ReadonlySet<PlanWithMode>, deps: ModeDeps): Promise<readonly ModeSet[]> {
  return changed(
    [...plans].map(({ file, mode: { before, after } }) => ({ path: file.path, before, after })),
    deps,
  );
}

/** Sets them back where they are still as they were set. */
export async function resetModes(set: readonly ModeSet[], deps: ModeDeps): Promise<void> {
  await changed(
    set.map(({ path, before, after }) => ({ path, before: after, after: before })),
    deps,
  );
}

async function changed(wanted: readonly ModeSet[], { holdFolders, report }: ModeDeps): Promise<readonly ModeSet[]> {
  const files = new PlaceFiles(holdFolders());
  const done: ModeSet[] = [];
  try {
    for (const one of wanted) {
      const isDone = await files.changeMode(one.path, one.before, one.after).catch(report);
      if (isDone === true) done.push(one);
    }
    return done;
  } finally {
    files.dispose();
  }
}
