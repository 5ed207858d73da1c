import type * as vscode from 'vscode';
import type { DisposableStore } from '../core/util/disposable.ts';
import { DiskPaths } from '../node/apply/canonicalPath.ts';
import { applyPatch } from '../vscode/apply/applyPatch.ts';
import { createEditorWorkspace, type EditorWorkspace } from '../vscode/apply/editorWorkspace.ts';
import { FileMoves } from '../vscode/apply/fileMoves.ts';
import type { ApplyDeps } from '../vscode/apply/model.ts';
import { ChangeReview } from '../vscode/changeReview/changeReview.ts';
import { OutputDocuments } from '../vscode/processes/outputDocuments.ts';
import { KeptReviews } from '../vscode/proposals/keptChoices.ts';
import { DiffPreview } from '../vscode/proposals/proposalTabs.ts';
import { UndoCommand } from '../vscode/undo/undoCommand.ts';
import { UndoPatch } from '../vscode/undo/undoPatch.ts';
import { applyDeps } from './applyPorts.ts';
import type { Host } from './createHost.ts';

/** Everything in editors: patches are applied, shown, reviewed and undone. Does not depend on threads. */
export interface Editors {
  readonly applyPorts: ApplyDeps;
  readonly workspace: EditorWorkspace;
  readonly undo: UndoCommand;
  readonly review: ChangeReview;
  readonly proposals: DiffPreview;
  readonly outputs: OutputDocuments;
}

export function createEditors(context: vscode.ExtensionContext, host: Host, store: DisposableStore): Editors {
  const { node, log, report } = host;
  const moves = store.add(new FileMoves(() => new DiskPaths()));
  const ports = applyDeps(node.storage.home, node.ids, moves, log);
  const workspace = createEditorWorkspace({
    ...ports,
    onRestored: (changes) => review.applied(changes, undefined),
    watchOfRestore: () => review.watchOfUndo,
    watchFor: (origin) => review.watchFor(origin),
    onApplied: (changes, origin) => {
      undo.record(changes, origin);
      review.applied(changes, origin);
    },
  });
  const undo = new UndoPatch({
    reader: workspace,
    apply: async (changes) => {
      const result = await applyPatch(changes, { ...ports, watch: review.watchOfUndo });
      if (result.type === 'applied') review.applied(result.changes, undefined);
      return result;
    },
  });
  const review: ChangeReview = store.add(
    new ChangeReview({
      extensionUri: context.extensionUri,
      storageUri: context.storageUri,
      reader: workspace,
      apply: (changes, watch) => applyPatch(changes, { ...ports, watch }),
      report,
    }),
  );
  return {
    applyPorts: ports,
    workspace,
    undo: new UndoCommand(undo),
    review,
    proposals: store.add(new DiffPreview(new KeptReviews(context.workspaceState))),
    outputs: store.add(new OutputDocuments()),
  };
}
