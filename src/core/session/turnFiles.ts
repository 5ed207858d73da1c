import { TurnDiff } from '../tools/turnDiff.ts';
import type { TurnChanges } from './threadChanges.ts';
import type { TurnRun } from './turnRun.ts';

/** Tracks the changes of a turn to the workspace. */
export interface TurnFiles {
  readonly diff: TurnDiff;
  readonly changes: TurnChanges;
  /** Emits the diff if it has changed since it was emitted last. */
  tell(): void;
  /** Emits the diff once more. A command that continues in the background adds no change after this. */
  end(): void;
}

/** Call once, when the turn begins. */
export function turnFiles(run: Pick<TurnRun, 'changes' | 'emit' | 'settings'>): TurnFiles {
  const diff = new TurnDiff();
  let isOver = false;
  const emit = () => run.emit({ type: 'turn_diff', unifiedDiff: diff.unifiedDiff(run.settings.cwd) });
  const tell = () => {
    if (diff.takeUpdate()) emit();
  };
  const changes = run.changes(({ texts, diffs, withoutText }) => {
    if (isOver) return;
    diff.add(texts, diffs);
    diff.name(withoutText);
    tell();
  });
  const end = () => {
    if (!isOver && !diff.isEmpty) emit();
    isOver = true;
  };
  return { diff, changes, tell, end };
}
