import { realpath } from 'node:fs/promises';
import path from 'node:path';
import * as vscode from 'vscode';
import type { ThreadHost } from '../../core/session/sessionOptions.ts';
import type { CopiedFolder, SideCopyStore } from '../../core/sideCopies/sideCopy.ts';
import { isBelow, pathBelow } from '../../core/util/pathBelow.ts';
import { unsavedTexts } from './unsavedTexts.ts';

export interface AgentCopyDeps {
  readonly store: Pick<SideCopyStore, 'make' | 'assign' | 'remove' | 'foldersAround'>;
  /** The setting `sideCopies.links`. */
  readonly links: () => readonly string[];
  readonly report: (error: unknown) => void;
}

/**
 * Side copies for agents. A copy is made of the open folders, so the thread must work in one of them; paths are compared after
 * links are followed. Where there is no copy the agent works in the workspace, as agents do that work alone.
 */
export function agentCopies({ store, links, report }: AgentCopyDeps): NonNullable<ThreadHost['makeSideCopy']> {
  return async (cwd, signal) => {
    // A thread in a side copy shares it with its agents.
    if (store.foldersAround(cwd) !== undefined) return undefined;
    if (!vscode.workspace.isTrusted) return 'untrusted';
    const folders = (vscode.workspace.workspaceFolders ?? []).filter(({ uri }) => uri.scheme === 'file');
    const roots = folders.map(({ uri }) => uri.fsPath);
    const place = await real(cwd);
    const places = await Promise.all(roots.map(real));
    if (!places.some((root) => isBelow(place, root))) return 'other_folder';
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
        cwd: await cwdIn(copy.folders, place),
        folders: copy.folders,
        assign: (threadId) => store.assign(copy.id, threadId),
        discard: async () => void (await store.remove(copy.id)),
      };
    } catch (error) {
      signal.throwIfAborted();
      report(error);
      return 'not_made';
    }
  };
}

/**
 * The place in the copy of a resolved place of the workspace: the folder of the copy itself where it lacks the place,
 * such as an ignored folder, or has a link there.
 */
async function cwdIn(folders: readonly CopiedFolder[], place: string): Promise<string> {
  for (const { home, copy } of folders) {
    const below = pathBelow(await real(home), place);
    if (below === undefined) continue;
    const wanted = path.join(copy, below);
    return (await realpath(wanted).catch(() => undefined)) === wanted ? wanted : copy;
  }
  throw new Error(`${place} is in no folder of the side copy.`);
}

/** Resolves to the real path of a place; to the path itself where it does not exist. */
function real(place: string): Promise<string> {
  return realpath(place).catch(() => place);
}
