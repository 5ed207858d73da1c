import * as vscode from 'vscode';
import type { ApplyResult } from '../core/ports.ts';
import { Emitter } from '../core/util/emitter.ts';
import type { DisposableStore } from '../core/util/disposable.ts';
import { DiskPaths } from '../node/apply/canonicalPath.ts';
import { isOwnerRunning, ownerText } from '../node/host/processIdentity.ts';
import { applyPatch } from '../vscode/apply/applyPatch.ts';
import { createEditorWorkspace, type EditorWorkspace } from '../vscode/apply/editorWorkspace.ts';
import { FileMoves } from '../vscode/apply/fileMoves.ts';
import type { ApplyChange, ApplyDeps, ApplyWatch, PatchOrigin } from '../vscode/apply/model.ts';
import { ChangeReview } from '../vscode/changeReview/changeReview.ts';
import { EditorLanguages } from '../vscode/languages/editorLanguages.ts';
import { EditorProblems } from '../vscode/languages/editorProblems.ts';
import { OutputDocuments } from '../vscode/processes/outputDocuments.ts';
import { KeptReviews } from '../vscode/proposals/keptChoices.ts';
import { ProposalTabs } from '../vscode/proposals/proposalTabs.ts';
import { UndoCommand } from '../vscode/undo/undoCommand.ts';
import { UndoPatch } from '../vscode/undo/undoPatch.ts';
import { applyDeps } from './applyPorts.ts';
import type { Host } from './createHost.ts';

/** Everything in editors: patches are applied, shown, reviewed and undone. Does not depend on threads. */
export interface Editors {
  readonly applyPorts: ApplyDeps;
  readonly workspace: EditorWorkspace;
  /** A patch that belongs to no thread, and that "Undo Patch" undoes. */
  readonly applyPatchForUser: (changes: readonly ApplyChange[], origin: PatchOrigin) => Promise<ApplyResult>;
  readonly undo: UndoCommand;
  readonly review: ChangeReview;
  readonly proposalTabs: ProposalTabs;
  readonly outputs: OutputDocuments;
  readonly problems: EditorProblems;
  readonly languages: EditorLanguages;
  /** Fires with absolute paths of files that an Undo or a decision of the review has written. */
  readonly onWritten: Emitter<readonly string[]>['event'];
}

/** Builds what reads and changes files in VS Code, and the review of applied patches. `store` disposes of it. */
export function createEditors(context: vscode.ExtensionContext, host: Host, store: DisposableStore): Editors {
  const { node, links, log, report } = host;
  const moves = store.add(new FileMoves(() => new DiskPaths(), report));
  const ports = applyDeps(node.storage.home, node.ids, moves, log);
  const workspace = createEditorWorkspace({
    ...ports,
    findLinks: (files, wanted, places) => links.find(files, wanted, places),
    onRestored: (changes) => review.applied(changes, undefined),
    watchOfRestore: () => review.watchOfUndo,
    watchFor: (origin) => review.watchFor(origin),
    onApplied: (changes, origin) => {
      undo.record(changes, origin);
      review.applied(changes, origin);
    },
  });
  const written = store.add(new Emitter<readonly string[]>(report));
  /** Applies changes that belong to no thread. (The change ledger already knows the patches of threads.) */
  const applyForUser = async (changes: readonly ApplyChange[], watch: ApplyWatch) => {
    const result = await applyPatch(changes, { ...ports, watch });
    if (result.type === 'applied') written.fire(changes.flatMap(pathsOf));
    return result;
  };
  const undo = new UndoPatch({
    reader: workspace,
    apply: async (changes) => {
      const result = await applyForUser(changes, review.watchOfUndo);
      if (result.type === 'applied') review.applied(result.changes, undefined);
      return result;
    },
  });
  const review: ChangeReview = store.add(
    new ChangeReview({
      extensionUri: context.extensionUri,
      storageUri: context.storageUri,
      processes: { own: ownerText(), isRunning: isOwnerRunning },
      reader: workspace,
      apply: applyForUser,
      report,
    }),
  );
  return {
    applyPorts: ports,
    workspace,
    applyPatchForUser: async (changes, origin) => {
      const result = await workspace.apply(changes, undefined, origin);
      if (result.type === 'applied') written.fire(changes.flatMap(pathsOf));
      return result;
    },
    undo: new UndoCommand(undo, report),
    review,
    proposalTabs: store.add(new ProposalTabs(new KeptReviews(host.windowState))),
    outputs: store.add(new OutputDocuments()),
    problems: store.add(new EditorProblems({ clock: node.clock, onReports: vscode.languages.onDidChangeDiagnostics })),
    languages: store.add(new EditorLanguages()),
    onWritten: written.event,
  };
}

function pathsOf({ places: { path, movedTo } }: ApplyChange): readonly string[] {
  return [path.target, path.name, ...(movedTo === null ? [] : [movedTo.target])];
}
