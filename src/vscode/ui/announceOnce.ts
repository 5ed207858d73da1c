import * as vscode from 'vscode';
import { withoutLinks } from './escapeUiText.ts';

/** Maximum number of hashes that a workspace keeps; the oldest are removed. */
const MAX_SEEN = 500;

export interface Announcement<Proposal> {
  readonly memento: vscode.Memento;
  /** The key in the memento for the hashes of announced proposals. */
  readonly key: string;
  /** `first` is one of the `count` new proposals. */
  readonly sentence: (first: Proposal, count: number) => string;
  readonly button: string;
  readonly show: () => unknown;
}

/**
 * Shows one notification for the proposals that were in none before, by their hashes. Whatever the user does with it, they
 * are not announced again.
 */
export async function announceOnce<Proposal extends { readonly hash: string }>(
  proposed: readonly Proposal[],
  { memento, key, sentence, button, show }: Announcement<Proposal>,
): Promise<void> {
  const seen = memento.get<readonly string[]>(key, []);
  const fresh = proposed.filter(({ hash }) => !seen.includes(hash));
  const [first] = fresh;
  if (first === undefined) return;
  const hashes = proposed.map(({ hash }) => hash);
  // Hashes that are still proposed are kept longest.
  const kept = [...seen.filter((hash) => !hashes.includes(hash)), ...hashes].slice(-MAX_SEEN);
  await memento.update(key, kept);
  const text = withoutLinks(sentence(first, fresh.length));
  if ((await vscode.window.showInformationMessage(text, button)) === button) await show();
}
