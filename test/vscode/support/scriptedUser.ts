import assert from 'node:assert/strict';
import * as vscode from 'vscode';

/** One answer of the user: the beginning of a row's label (of several, where several can be chosen), a button, or a text to type. */
export type Answer =
  | { readonly pick: string }
  | { readonly check: readonly string[] }
  | { readonly type: string }
  | { readonly button: string }
  | 'cancel';

/** Records the messages to the user, and gives the remaining answers. */
export class ScriptedUser {
  readonly shown: string[] = [];
  readonly #answers: Answer[];
  readonly #originals = {
    showQuickPick: vscode.window.showQuickPick,
    showInputBox: vscode.window.showInputBox,
    createQuickPick: vscode.window.createQuickPick,
    createInputBox: vscode.window.createInputBox,
    showInformationMessage: vscode.window.showInformationMessage,
    showWarningMessage: vscode.window.showWarningMessage,
    showErrorMessage: vscode.window.showErrorMessage,
  };

  constructor(...answers: Answer[]) {
    this.#answers = answers;
    Object.assign(vscode.window, {
      showQuickPick: async (rows: readonly vscode.QuickPickItem[], options: vscode.QuickPickOptions) => {
        this.shown.push([options.title, options.placeHolder].filter(Boolean).join(' | '));
        const answer = this.#next();
        if (answer === 'cancel') return undefined;
        if ('check' in answer) {
          assert(options.canPickMany, `one row of ${options.title} can be picked`);
          this.shown.push(...rows.map(({ label, description, detail }) => [label, description, detail].join(' | ')));
          return rows.filter(({ label }) => answer.check.includes(label));
        }
        assert('pick' in answer, `a row of ${options.title} was expected to be picked`);
        const row = rows.find(({ label }) => label.startsWith(answer.pick));
        assert(row, `${answer.pick} is not among ${rows.map(({ label }) => label).join(', ')}`);
        this.shown.push(`${row.label} (${row.description ?? ''})`);
        return row;
      },
      createQuickPick: () => this.#quickPick(),
      createInputBox: () => this.#inputBox(),
      showInputBox: async (options: vscode.InputBoxOptions) => {
        this.shown.push(options.title ?? '');
        const answer = this.#next();
        if (answer === 'cancel') return undefined;
        assert('type' in answer, `a text was expected for ${options.title}`);
        assert.equal((await options.validateInput?.(answer.type)) ?? undefined, undefined);
        return answer.type;
      },
      showInformationMessage: this.#message,
      showWarningMessage: this.#message,
      showErrorMessage: this.#message,
    });
  }

  readonly #message = async (message: string, ...buttons: readonly unknown[]): Promise<string | undefined> => {
    this.shown.push(message);
    const [options] = buttons;
    if (typeof options === 'object' && options !== null && 'detail' in options) this.shown.push(String(options.detail));
    const answer = this.#answers[0];
    if (answer === undefined || answer === 'cancel' || !('button' in answer)) return undefined;
    this.#answers.shift();
    assert(buttons.includes(answer.button), `${answer.button} is no button of ${message}`);
    return answer.button;
  };

  /** A list in which the user picks a row, or types and takes the first row. */
  #quickPick() {
    const [changed, accepted, hidden] = [0, 1, 2].map(() => new vscode.EventEmitter<string>());
    const shown = this.shown;
    const next = () => this.#next();
    let items: readonly vscode.QuickPickItem[] = [];
    /** The beginning of the label that is picked as soon as it is listed. */
    let awaited: string | undefined;
    return {
      title: '',
      placeholder: '',
      value: '',
      busy: false,
      get items() {
        return items;
      },
      set items(listed) {
        items = listed;
        if (awaited !== undefined) this.pick(awaited);
      },
      activeItems: [] as readonly vscode.QuickPickItem[],
      selectedItems: [] as readonly vscode.QuickPickItem[],
      onDidChangeValue: changed?.event,
      onDidAccept: accepted?.event,
      onDidHide: hidden?.event,
      show() {
        shown.push([this.title, this.placeholder].filter(Boolean).join(' | '));
        const answer = next();
        if (answer === 'cancel') return hidden?.fire('');
        if ('type' in answer) {
          this.value = answer.type;
          changed?.fire(answer.type);
        } else assert('pick' in answer, `a row of ${this.title} was expected to be picked`);
        this.pick('pick' in answer ? answer.pick : '');
      },
      pick(begin: string) {
        const row = items.find(({ label }) => label.startsWith(begin));
        awaited = row === undefined ? begin : undefined;
        assert(row || this.busy, `${begin} is not among ${items.map(({ label }) => label).join(', ')}`);
        if (row === undefined) return;
        shown.push(`${row.label} (${row.description ?? ''})`);
        this.activeItems = [row];
        this.selectedItems = [row];
        accepted?.fire('');
      },
      dispose() {},
    };
  }

  /** A box in which the user types a line and presses Enter, or leaves it. */
  #inputBox() {
    const [accepted, hidden] = [new vscode.EventEmitter<void>(), new vscode.EventEmitter<void>()];
    const { shown } = this;
    const next = () => this.#next();
    return {
      title: '',
      placeholder: '',
      prompt: '',
      value: '',
      onDidAccept: accepted.event,
      onDidHide: hidden.event,
      show() {
        shown.push([this.title, this.placeholder, this.value].filter(Boolean).join(' | '));
        const answer = next();
        if (answer === 'cancel') return hidden.fire();
        assert('type' in answer, `a text was expected for ${this.title}`);
        this.value = answer.type;
        accepted.fire();
      },
      hide: () => hidden.fire(),
      dispose() {},
    };
  }

  #next(): Answer {
    const answer = this.#answers.shift();
    assert(answer !== undefined, `no answer is left for: ${this.shown.at(-1)}`);
    return answer;
  }

  restore(): void {
    Object.assign(vscode.window, this.#originals);
    assert.deepEqual(this.#answers, []);
  }
}
