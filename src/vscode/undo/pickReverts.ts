import * as vscode from 'vscode';
import type { RevertFile } from '../../protocol/baseline.ts';
import type { EventMsgOf } from '../../protocol/event.ts';
import type { OpOf } from '../../protocol/op.ts';
import { withoutIcons } from '../ui/escapeUiText.ts';

interface FileItem extends vscode.QuickPickItem {
  readonly file?: RevertFile;
}

/** Files that cannot be reverted and are named; the others are a number. */
const MOST_NAMED = 20;

type RevertPlan = Pick<EventMsgOf<'revert_planned'>, 'files' | 'inSideCopies'>;

/**
 * Asks which files of a plan are reverted. Files with the content that the turn left are selected; conflicts, and files
 * that another program may have changed, only when the user selects them. `undefined` when the user cancels. Of several
 * files two rows are shown first: a long list would cover the preview below it.
 */
export async function pickReverts(
  title: string,
  plan: RevertPlan,
): Promise<Pick<OpOf<'redo'>, 'overwrite' | 'includeUncertain' | 'exclude'> | undefined> {
  const asked = plan.files.filter(({ contents }) => contents !== undefined);
  const certain = asked.filter(isCertain);
  const left = leftAlone(plan);
  const isLong = asked.length + left.length > 1;
  const first = isLong && certain.length > 0 ? await pickAll(title, certain, plan) : 'choose';
  if (first === undefined) return undefined;
  const taken = first === 'all' ? certain : await pickFiles(title, asked, left);
  if (taken === undefined) return undefined;
  return {
    overwrite: taken.filter(({ state }) => state === 'conflict').map(({ path }) => path),
    includeUncertain: taken.some(({ uncertain }) => uncertain),
    exclude: asked.filter((file) => !taken.includes(file)).map(({ path }) => path),
  };
}

function isCertain({ state, uncertain }: RevertFile): boolean {
  return state !== 'conflict' && !uncertain;
}

async function pickAll(
  title: string,
  certain: readonly RevertFile[],
  { files, inSideCopies = [] }: RevertPlan,
): Promise<'all' | 'choose' | undefined> {
  const count = certain.length;
  const conflicts = files.filter(({ state }) => state === 'conflict').length;
  const uncertain = files.filter((file) => file.contents !== undefined && file.state !== 'conflict' && file.uncertain);
  const impossible = files.filter(({ state }) => state === 'impossible').length;
  const agents = new Set(certain.flatMap((file) => file.agents ?? [])).size;
  const notes = [
    agents > 0 && vscode.l10n.t('also what agents changed'),
    conflicts > 0 && vscode.l10n.t('not {0} with conflicts', conflicts),
    uncertain.length > 0 && vscode.l10n.t('not {0} that another program may have changed', uncertain.length),
    impossible > 0 && vscode.l10n.t('{0} cannot be undone', impossible),
    inSideCopies.length > 0 && vscode.l10n.t('not the side copies of agents'),
  ].filter((note) => typeof note === 'string');
  const all = {
    what: 'all' as const,
    label: count === 1 ? vscode.l10n.t('{0}: 1 File', title) : vscode.l10n.t('{0}: {1} Files', title, count),
    description: notes.join(' · '),
  };
  const choose = { what: 'choose' as const, label: vscode.l10n.t('Choose Files…') };
  // Without a title, which would cover lines of the preview.
  const picked = await vscode.window.showQuickPick([all, choose], {
    placeHolder: vscode.l10n.t('{0} as the preview shows', title),
    ignoreFocusOut: true,
  });
  return picked?.what;
}

async function pickFiles(
  title: string,
  asked: readonly RevertFile[],
  left: readonly FileItem[],
): Promise<readonly RevertFile[] | undefined> {
  const picked = await vscode.window.showQuickPick<FileItem>([...asked.map(itemOf), ...left], {
    title,
    placeHolder: vscode.l10n.t('Selected files are changed as the preview shows'),
    canPickMany: true,
    matchOnDescription: true,
    ignoreFocusOut: true,
  });
  const wanted = picked && new Set(picked.map(({ file }) => file));
  return wanted && asked.filter((file) => wanted.has(file));
}

function itemOf(file: RevertFile): FileItem {
  const { path, state, uncertain, reason, agents = [] } = file;
  const notes = [
    effectOf(file),
    agents.length > 0 && vscode.l10n.t('changed by the agent {0}', agents.join(', ')),
    state === 'merged' && vscode.l10n.t('your later changes at other lines stay'),
    state === 'conflict' && vscode.l10n.t('conflict: selecting it discards your later changes'),
    uncertain && vscode.l10n.t('another program or thread may have changed it'),
  ].filter((note) => typeof note === 'string');
  return {
    file,
    label: withoutIcons(path),
    description: withoutIcons(notes.join(' · ')),
    picked: isCertain(file),
    ...(reason === undefined ? {} : { detail: reason }),
  };
}

function effectOf({ kind }: RevertFile): string {
  switch (kind) {
    case 'add':
      return vscode.l10n.t('comes back');
    case 'update':
      return vscode.l10n.t('restored');
    case 'delete':
      return vscode.l10n.t('removed');
  }
}

/** Rows of files that cannot be reverted and of side copies, without a box to select. */
function leftAlone({ files, inSideCopies = [] }: RevertPlan): readonly FileItem[] {
  const left = files.filter(({ state }) => state === 'impossible');
  const named = left.slice(0, MOST_NAMED).map(({ path, reason = '' }) => `${path}: ${reason}`);
  const more = left.length - named.length;
  const lines = more > 0 ? [...named, vscode.l10n.t('{0} more files', more)] : named;
  return [
    ...lines.map((line) => vscode.l10n.t('cannot be undone: {0}', line)),
    ...inSideCopies.map((name) => sideCopyOf(name)),
  ].map((label) => ({ label: withoutIcons(label), kind: vscode.QuickPickItemKind.Separator }));
}

/** Returns the sentence that the side copy of an agent stays as it is. */
export function sideCopyOf(agent: string): string {
  return vscode.l10n.t('The side copy of the agent “{0}” stays as it is.', agent);
}
