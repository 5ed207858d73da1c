import { join } from 'node:path';
import * as vscode from 'vscode';
import type { ThreadMemory } from '../../core/rollout/memoryFile.ts';
import { memoryPath, type MemoryPorts, MEMORIES_FOLDER, ThreadMemories } from '../../core/rollout/threadMemories.ts';

export interface ShowMemoriesDeps extends MemoryPorts {
  /** TILLER_HOME. */
  readonly home: string;
  /** Returns true if memories of threads are recorded. */
  readonly isOn: () => boolean;
}

interface MemoryRow extends vscode.QuickPickItem {
  readonly uri: vscode.Uri;
  readonly isFolder: boolean;
}

/** Lists the memories of all threads; the selected one opens as a text document, to be read and edited. */
export async function showMemories({ home, isOn, ...ports }: ShowMemoriesDeps): Promise<void> {
  const memories = await new ThreadMemories(ports).list();
  if (memories.length === 0) return sayNone(isOn());
  const rows = memories.flatMap((memory) => rowOf(memory, home));
  const folder: MemoryRow = {
    label: vscode.l10n.t('Open Folder'),
    iconPath: new vscode.ThemeIcon('folder-opened'),
    alwaysShow: true,
    uri: vscode.Uri.file(join(home, MEMORIES_FOLDER)),
    isFolder: true,
  };
  const picked = await vscode.window.showQuickPick([...rows, folder], {
    title: vscode.l10n.t('Memories'),
    placeHolder: isOn()
      ? vscode.l10n.t('Select a memory to read or edit it')
      : vscode.l10n.t('Memories are off: none are written, and models do not read these'),
    matchOnDetail: true,
  });
  if (picked === undefined) return;
  if (picked.isFolder) await vscode.commands.executeCommand('revealFileInOS', picked.uri);
  else await vscode.window.showTextDocument(picked.uri, { preview: false });
}

function rowOf({ threadId, title, folder, updatedAt }: ThreadMemory, home: string): readonly MemoryRow[] {
  const path = memoryPath(threadId);
  if (path === undefined) return [];
  return [
    {
      label: title || vscode.l10n.t('Untitled'),
      description: updatedAt.slice(0, 10),
      detail: folder,
      uri: vscode.Uri.file(join(home, path)),
      isFolder: false,
    },
  ];
}

async function sayNone(isOn: boolean): Promise<void> {
  if (isOn) {
    void vscode.window.showInformationMessage(vscode.l10n.t('There are no memories yet.'));
    return;
  }
  const open = vscode.l10n.t('Open Settings');
  const sentence = vscode.l10n.t('There are no memories: the setting “tiller.memory.enabled” is off.');
  if ((await vscode.window.showInformationMessage(sentence, open)) !== open) return;
  await vscode.commands.executeCommand('workbench.action.openSettings', 'tiller.memory.enabled');
}
