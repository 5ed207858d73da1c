/** The input line for the instruction of an edit, with the earlier ones at the arrow keys. */
import * as vscode from 'vscode';
import { type Disposable, DisposableStore } from '../../core/util/disposable.ts';
import { contextKey } from '../ui/contextKey.ts';

const KEY = 'tiller.editInstructions';
const MAX_KEPT = 50;

/** The instructions of the user at cursors, the newest first. */
export class Instructions {
  readonly #memento: Pick<vscode.Memento, 'get' | 'update'>;
  readonly #isStored: () => boolean;
  #recent: readonly string[];

  /** `isStored`: whether the settings let messages be kept over a restart. */
  constructor(memento: Pick<vscode.Memento, 'get' | 'update'>, isStored: () => boolean) {
    this.#memento = memento;
    this.#isStored = isStored;
    const stored = memento.get<unknown>(KEY);
    this.#recent = Array.isArray(stored) ? stored.filter((entry): entry is string => typeof entry === 'string') : [];
  }

  get recent(): readonly string[] {
    return this.#recent;
  }

  add(instruction: string): void {
    this.#recent = [instruction, ...this.#recent.filter((known) => known !== instruction)].slice(0, MAX_KEPT);
    void this.#memento.update(KEY, this.#isStored() ? this.#recent : undefined);
  }
}

/** The line of instruction at the cursor, with the last ones at the arrow keys. */
export class EditInput implements Disposable {
  readonly #instructions: Instructions;
  /** For the arrow keys. */
  readonly #setIsOpen = contextKey<boolean>('tiller.editInputOpen');
  #box: vscode.InputBox | undefined;
  /** -1: the user's text; else an index of `recent`. */
  #at = -1;
  #typed = '';

  constructor(instructions: Instructions) {
    this.#instructions = instructions;
  }

  /** Resolves with the trimmed line; `undefined` when the user cancels or enters nothing. */
  ask(place: string, given = ''): Promise<string | undefined> {
    this.#box?.hide();
    const store = new DisposableStore();
    const box = store.add(vscode.window.createInputBox());
    this.#box = box;
    this.#at = -1;
    this.#typed = given;
    box.title = vscode.l10n.t('Edit at the Cursor');
    box.placeholder = vscode.l10n.t('What to change in {0}', place);
    box.prompt = vscode.l10n.t('Press the Up key for earlier instructions.');
    box.value = given;
    this.#setIsOpen(true);
    return new Promise((resolve) => {
      store.add(
        box.onDidAccept(() => {
          const instruction = box.value.trim();
          if (instruction === '') return;
          this.#instructions.add(instruction);
          resolve(instruction);
          box.hide();
        }),
      );
      store.add(
        box.onDidHide(() => {
          if (this.#box === box) {
            this.#box = undefined;
            this.#setIsOpen(false);
          }
          store.dispose();
          resolve(undefined);
        }),
      );
      box.show();
    });
  }

  /** The arrow keys. */
  recall(direction: 'earlier' | 'later'): void {
    const box = this.#box;
    if (box === undefined) return;
    const { recent } = this.#instructions;
    const next = direction === 'earlier' ? this.#at + 1 : this.#at - 1;
    if (next < -1 || next >= recent.length) return;
    if (this.#at === -1) this.#typed = box.value;
    this.#at = next;
    box.value = next === -1 ? this.#typed : (recent[next] ?? '');
  }

  dispose(): void {
    this.#box?.hide();
  }
}
