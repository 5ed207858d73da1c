import * as vscode from 'vscode';
import type { AgentService } from '../core/agent/agentService.ts';
import type { Ports } from '../core/ports.ts';
import type { DisposableStore } from '../core/util/disposable.ts';
import { gitFoldersOf } from '../core/util/gitRoot.ts';
import type { SideCopies } from '../node/sideCopies/sideCopies.ts';
import type { RecordedChange } from '../protocol/baseline.ts';
import { OtherPrograms } from '../vscode/changeReview/otherPrograms.ts';
import type { Editors } from './createEditors.ts';
import type { Host } from './createHost.ts';

/**
 * Reports the user's writes to the record of changes, and changes by commands and other programs to the review. Returns
 * the watcher of other programs.
 */
export function trackChanges(
  { settings, report }: Host,
  editors: Editors,
  service: AgentService,
  { baseline, workspace }: Pick<Ports, 'baseline' | 'workspace'>,
  sideCopies: SideCopies,
  store: DisposableStore,
): OtherPrograms {
  const note = (uris: readonly vscode.Uri[]) => {
    for (const { fsPath } of uris) void service.changes.noteSave(fsPath);
  };
  store.add(vscode.workspace.onDidSaveTextDocument(({ uri }) => note([uri])));
  store.add(vscode.workspace.onDidCreateFiles(({ files }) => note(files)));
  store.add(vscode.workspace.onDidDeleteFiles(({ files }) => note(files)));
  store.add(
    vscode.workspace.onDidRenameFiles(({ files }) => note(files.flatMap(({ oldUri, newUri }) => [oldUri, newUri]))),
  );
  store.add(editors.onWritten((paths) => note(paths.map((path) => vscode.Uri.file(path)))));
  const markChanges = async (changes: readonly RecordedChange[]) => {
    // Changes in a side copy are reviewed when they come home.
    const here = changes.filter(({ path }) => sideCopies.homeOf(path) === path);
    if (baseline !== undefined) await editors.review.commandChanged(here, (hash) => baseline.read(hash));
  };
  const otherPrograms = store.add(
    new OtherPrograms({
      look: (roots) => service.changes.lookForOthers(roots, settings()['undo.maxBytes']),
      gitFolder: async (root) => (await gitFoldersOf(root, workspace))?.own,
      mark: markChanges,
      report,
    }),
  );
  store.add(service.changes.onOther((changes) => void otherPrograms.take(changes)));
  store.add(service.changes.onCommand((changes) => void markChanges(changes).catch(report)));
  store.add(
    service.live.onEvent(({ event: { msg } }) => {
      if (msg.type === 'files_reverted') editors.undo.forget(msg.turnId);
    }),
  );
  return otherPrograms;
}
