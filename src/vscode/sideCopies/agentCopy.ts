import * as vscode from 'vscode';
import type { ThreadHost } from '../../core/session/sessionOptions.ts';
import type { SideCopyStore } from '../../core/sideCopies/sideCopy.ts';
import { unsavedTexts } from './unsavedTexts.ts';

export interface AgentCopyDeps {
  readonly store: Pick<SideCopyStore, 'make' | 'assign' | 'remove' | 'foldersAround'>;
  /** The setting `sideCopies.links`. */
  readonly links: () => readonly string[];
  readonly report: (error: unknown) => void;
}

/** Side copies for agents. Where none can be made the agent works in the workspace, as agents do that work alone. */
export function agentCopies({ store, links, report }: AgentCopyDeps): NonNullable<ThreadHost['makeSideCopy']> {
  return async (cwd, signal) => {
    const folders = (vscode.workspace.workspaceFolders ?? []).filter(({ uri }) => uri.scheme === 'file');
    const roots = folders.map(({ uri }) => uri.fsPath);
    // A thread in a side copy shares it with its agents.
    if (!vscode.workspace.isTrusted || roots.length === 0 || store.foldersAround(cwd) !== undefined) return undefined;
    const options = {
      location: vscode.ProgressLocation.Window,
      title: vscode.l10n.t('Making a side copy for an agent'),
    };
    try {
      const unsaved = await unsavedTexts();
      const { copy } = await vscode.window.withProgress(options, () =>
        store.make({ roots, links: links(), unsaved, signal, progress: () => {} }),
      );
      return {
        folders: copy.folders,
        assign: (threadId) => store.assign(copy.id, threadId),
        discard: async () => void (await store.remove(copy.id)),
      };
    } catch (error) {
      signal.throwIfAborted();
      report(error);
      return undefined;
    }
  };
}
