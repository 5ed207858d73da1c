import * as vscode from 'vscode';
import { type Disposable, DisposableStore } from '../../core/util/disposable.ts';
import type { Reviews } from './reviews.ts';

/**
 * Shows in the status bar how many changes are pending in review; a click goes to the next. Hidden when there are none.
 */
export class ReviewStatus implements Disposable {
  readonly #store = new DisposableStore();
  readonly #reviews: Reviews;
  #item: vscode.StatusBarItem | undefined;

  constructor(reviews: Reviews) {
    this.#reviews = reviews;
    this.#store.add(reviews.onDidChange(() => this.#refresh()));
  }

  dispose(): void {
    this.#item?.dispose();
    this.#store.dispose();
  }

  #refresh(): void {
    const { count, pending } = this.#reviews;
    if (count === 0) {
      this.#item?.hide();
      return;
    }
    this.#item ??= this.#create();
    this.#item.text = `$(git-compare) ${vscode.l10n.t('{0} to review', count)}`;
    const sentence = [changes(count), files(pending.length)].join(' ');
    this.#item.tooltip = vscode.l10n.t('Tiller: {0} to review', sentence);
    this.#item.accessibilityInformation = { label: vscode.l10n.t('Tiller: {0} to review', sentence) };
    this.#item.show();
  }

  #create(): vscode.StatusBarItem {
    const item = vscode.window.createStatusBarItem('tiller.review', vscode.StatusBarAlignment.Right, 99);
    item.name = vscode.l10n.t('Tiller: Changes to Review');
    item.command = 'tiller.review.next';
    return item;
  }
}

function changes(count: number): string {
  return count === 1 ? vscode.l10n.t('1 change') : vscode.l10n.t('{0} changes', count);
}

function files(count: number): string {
  return count === 1 ? vscode.l10n.t('in 1 file') : vscode.l10n.t('in {0} files', count);
}
