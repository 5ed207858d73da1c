import * as vscode from 'vscode';
import { type CutFile, type InterruptedLanding, recoverJournals } from '../node/recovery.ts';
import { type CutText, holdsUnsaved, recoverBuffers } from '../vscode/landing/recoverBuffers.ts';

/** Patches that a crash left half landed: the person says whether to finish or to put back (design decision 4). */
export async function offerRecovery(home: string): Promise<void> {
  const another = { before: 'after', after: 'before' } as const;
  const interrupted = await recoverJournals(home, (files, side) => holdsUnsaved(goingTo(side, another[side], files)));
  for (const landing of interrupted) await offer(landing);
}

function goingTo(to: 'before' | 'after', from: 'before' | 'after', files: readonly CutFile[]): readonly CutText[] {
  return files.map((file) => ({ path: file.path, from: file[from], to: file[to], staysUnsaved: file.isUnsaved }));
}

async function offer(landing: InterruptedLanding): Promise<void> {
  const putBack = vscode.l10n.t('Put Back');
  const finish = vscode.l10n.t('Finish');
  const answer = await vscode.window.showWarningMessage(
    vscode.l10n.t(
      'A patch to {0} files was interrupted while it landed: {1}',
      landing.paths.length,
      shortList(landing.paths),
    ),
    putBack,
    finish,
  );
  // Nobody answered: it is asked again next time.
  if (answer === undefined) return;
  const isPutBack = answer === putBack;
  const title = isPutBack ? vscode.l10n.t('Putting the patch back…') : vscode.l10n.t('Finishing the patch…');
  const location = vscode.ProgressLocation.Notification;
  const { leftAlone, unsaved } = await vscode.window.withProgress({ location, title }, () =>
    settle(landing, isPutBack),
  );
  if (leftAlone.length > 0) {
    void vscode.window.showWarningMessage(
      vscode.l10n.t('Left alone, because somebody has changed them since: {0}', shortList(leftAlone)),
    );
  }
  const told: string[] = [];
  if (leftAlone.length === 0) {
    told.push(isPutBack ? vscode.l10n.t('The patch is put back.') : vscode.l10n.t('The patch is finished.'));
  }
  if (unsaved.length > 0) {
    told.push(vscode.l10n.t('Done in the editor only, beside your unsaved edits: {0}', shortList(unsaved)));
  }
  if (told.length > 0) void vscode.window.showInformationMessage(told.join(' '));
}

/** In the editor and on the disk; resolves when both are done and agree. */
async function settle(
  landing: InterruptedLanding,
  isPutBack: boolean,
): Promise<{ readonly leftAlone: readonly string[]; readonly unsaved: readonly string[] }> {
  const { files } = landing;
  const buffers = await recoverBuffers(
    isPutBack ? goingTo('before', 'after', files) : goingTo('after', 'before', files),
  );
  const inEditor = new Map([
    ...buffers.unsaved.map((path) => [path, 'done'] as const),
    ...buffers.leftAlone.map((path) => [path, 'left_alone'] as const),
  ]);
  const { leftAlone } = await landing[isPutBack ? 'putBack' : 'finish'](inEditor, buffers.readDisk);
  return { leftAlone, unsaved: buffers.unsaved };
}

function shortList(paths: readonly string[]): string {
  const shown = paths.slice(0, 3).map((path) => vscode.workspace.asRelativePath(path));
  return paths.length > 3 ? `${shown.join(', ')}, …` : shown.join(', ');
}
