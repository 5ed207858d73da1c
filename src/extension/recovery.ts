import * as vscode from 'vscode';
import { type InterruptedLanding, recoverJournals } from '../node/recovery.ts';

/** Patches that a crash left half landed: the person says whether to finish or to put back (design decision 4). */
export async function offerRecovery(home: string): Promise<void> {
  for (const landing of await recoverJournals(home)) await offer(landing);
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
  const { leftAlone } = await (answer === putBack ? landing.putBack() : landing.finish());
  if (leftAlone.length > 0) {
    void vscode.window.showWarningMessage(
      vscode.l10n.t('Left alone, because somebody has changed them since: {0}', shortList(leftAlone)),
    );
  }
}

function shortList(paths: readonly string[]): string {
  const shown = paths.slice(0, 3).map((path) => vscode.workspace.asRelativePath(path));
  return paths.length > 3 ? `${shown.join(', ')}, …` : shown.join(', ');
}
