/**
 * "Tiller: Undo Patch": undoes patches of this session in buffers and in closed files, without git (docs/design.md
 * decision 7). Later changes to a file are kept; where they touch the same lines the file is left alone and named.
 * Nothing is restored from a guess.
 */
import * as vscode from 'vscode';
import type { AppliedChange, ApplyChange, PatchOrigin } from '../apply/model.ts';
import { inverseOf, type Reader } from '../apply/inverseOf.ts';
import { contextKey } from '../ui/contextKey.ts';
import type { EditorApplyResult } from '../apply/applyPatch.ts';

export interface UndoReport {
  /** Paths as the patch named them. */
  readonly restored: readonly string[];
  /** `reason`: one sentence for the user. */
  readonly leftAlone: readonly { readonly path: string; readonly reason: string }[];
}

export interface UndoPatchDeps {
  readonly reader: Reader;
  readonly apply: (changes: readonly ApplyChange[]) => Promise<EditorApplyResult>;
}

interface Patch {
  readonly origin: PatchOrigin;
  readonly changes: readonly AppliedChange[];
}

/** Limit of the texts kept for undo; beyond it the oldest patches are forgotten. */
const MAX_KEPT_CHARACTERS = 64_000_000;

export class UndoPatch {
  readonly #deps: UndoPatchDeps;
  readonly #setCanUndo = contextKey<boolean>('tiller.canUndoPatch');
  /** Oldest first. */
  #applied: readonly Patch[] = [];
  #undone: readonly Patch[] = [];

  constructor(deps: UndoPatchDeps) {
    this.#deps = deps;
  }

  /** Pass it to the workspace as `onApplied`. A patch without an origin cannot be named, so it is not kept. */
  record(changes: readonly AppliedChange[], origin: PatchOrigin | undefined): void {
    if (origin === undefined) return;
    this.#undone = [];
    this.#keep(newestWithin(MAX_KEPT_CHARACTERS, [...this.#applied, { origin, changes }]));
  }

  #keep(applied: readonly Patch[]): void {
    this.#applied = applied;
    this.#setCanUndo(applied.length > 0);
  }

  /** The last applied patch that is not undone. */
  get latest(): PatchOrigin | undefined {
    return this.#applied.at(-1)?.origin;
  }

  /** `id` names a turn, with all its patches, or the item of one patch. */
  canUndo(id: string): boolean {
    return this.#applied.some(({ origin }) => isOf(id, origin));
  }

  /** Call when the turn was undone by other means. */
  forget(turnId: string): void {
    this.#keep(this.#applied.filter(({ origin }) => origin.turnId !== turnId));
    this.#undone = this.#undone.filter(({ origin }) => origin.turnId !== turnId);
  }

  get canRedo(): boolean {
    return this.#undone.length > 0;
  }

  /** Newest patch first. Never rejects. */
  async undo(id: string): Promise<UndoReport> {
    const reports: UndoReport[] = [];
    for (const patch of this.#applied.filter(({ origin }) => isOf(id, origin)).toReversed()) {
      const { report, changes, remaining } = await this.#revert(patch);
      reports.push(report);
      // Files that were left alone can be undone later, when the reason no longer holds.
      this.#keep(this.#applied.flatMap((other) => (other === patch ? withChanges(patch, remaining) : other)));
      this.#undone = [...this.#undone, ...withChanges(patch, changes)];
    }
    return joined(reports);
  }

  /** Reverts the last undo: one patch, or the patches of one turn. */
  async redo(): Promise<UndoReport> {
    const last = this.#undone.at(-1)?.origin.turnId;
    const reports: UndoReport[] = [];
    for (const patch of this.#undone.filter(({ origin }) => origin.turnId === last).toReversed()) {
      const { report, changes, remaining } = await this.#revert(patch);
      reports.push(report);
      this.#undone = this.#undone.flatMap((other) => (other === patch ? withChanges(patch, remaining) : other));
      this.#keep([...this.#applied, ...withChanges(patch, changes)]);
    }
    return joined(reports);
  }

  /** `changes`: the changes made by the undo, which can be undone in turn. */
  async #revert({ changes }: Patch): Promise<{
    report: UndoReport;
    changes: readonly AppliedChange[];
    remaining: readonly AppliedChange[];
  }> {
    const inverses = await Promise.all(
      changes.toReversed().map(async (applied) => ({
        applied,
        inverse: await inverseOf(applied, changes, this.#deps.reader),
      })),
    );
    const leftAlone = inverses.flatMap(({ applied, inverse }) =>
      inverse.type === 'left_alone' ? { applied, path: applied.change.path, reason: inverse.reason } : [],
    );
    const possible = inverses.filter(({ inverse }) => inverse.type === 'changes');
    const wanted = possible.flatMap(({ inverse }) => (inverse.type === 'changes' ? inverse.changes : []));
    const result = await this.#deps.apply(wanted);
    const paths = possible.map(({ applied }) => applied.change.path);
    if (result.type !== 'applied') {
      const reason = reasonOf(result);
      const all = [...leftAlone, ...paths.map((path) => ({ path, reason }))];
      return { report: { restored: [], leftAlone: all.map(shown) }, changes: [], remaining: changes };
    }
    return {
      report: { restored: paths, leftAlone: leftAlone.map(shown) },
      changes: result.changes,
      remaining: leftAlone.map(({ applied }) => applied),
    };
  }
}

function isOf(id: string, { turnId, itemId }: PatchOrigin): boolean {
  return turnId === id || itemId === id;
}

function withChanges({ origin }: Patch, changes: readonly AppliedChange[]): readonly Patch[] {
  return changes.length === 0 ? [] : [{ origin, changes }];
}

function reasonOf(result: Exclude<EditorApplyResult, { type: 'applied' }>): string {
  if (result.type === 'failed') return result.message;
  return vscode.l10n.t('It was changed at the same time.');
}

function shown({ path, reason }: { path: string; reason: string }): { path: string; reason: string } {
  return { path, reason };
}

function joined(reports: readonly UndoReport[]): UndoReport {
  return {
    restored: [...new Set(reports.flatMap(({ restored }) => restored))],
    leftAlone: reports.flatMap(({ leftAlone }) => leftAlone),
  };
}

function newestWithin(characters: number, patches: readonly Patch[]): readonly Patch[] {
  let left = characters;
  const kept = patches.toReversed().filter((patch, index) => {
    left -= sizeOf(patch);
    return left >= 0 || index === 0;
  });
  return kept.toReversed();
}

function sizeOf({ changes }: Patch): number {
  const sizes = changes.map(
    ({ before, over, final }) => (before?.bytes?.length ?? 0) + (over?.bytes?.length ?? 0) + (final?.length ?? 0),
  );
  return sizes.reduce((sum, size) => sum + size, 0);
}
