import * as vscode from 'vscode';
import { assertNever } from '../../core/util/assertNever.ts';
import { type Disposable, DisposableStore } from '../../core/util/disposable.ts';
import type { CommandExplanation, RuleEdit, RuleEditResult } from '../../protocol/rules.ts';
import {
  type RulesHostMessage,
  type RulesPageMessage,
  rulesPageMessageSchema,
  type RulesPageState,
} from '../../protocol/rulesWire.ts';
import { PagePanel } from '../ui/pagePanel.ts';
import { messageOf } from '../../core/util/fileErrors.ts';

/** The data and services of the page. */
export interface RulesPageDeps {
  state(): Promise<RulesPageState>;
  /** Never rejects: a failure is returned with its reason. */
  edit(edit: RuleEdit): Promise<RuleEditResult>;
  /** Explains the decision without running the command. */
  explain(command: string): Promise<CommandExplanation>;
}

export interface RulesPageOptions {
  readonly extensionUri: vscode.Uri;
  readonly deps: RulesPageDeps;
  readonly log: (level: 'warn' | 'error', message: string, error?: unknown) => void;
}

/** Debounces updates. */
const GATHER_MS = 100;

/** The host side of the page "Rules and Approvals". */
export class RulesPage implements Disposable {
  readonly #deps: RulesPageDeps;
  readonly #log: RulesPageOptions['log'];
  readonly #store = new DisposableStore();
  readonly #panel: PagePanel<RulesPageMessage>;

  constructor({ extensionUri, deps, log }: RulesPageOptions) {
    this.#deps = deps;
    this.#log = log;
    this.#panel = this.#store.add(
      new PagePanel({
        extensionUri,
        page: 'rules',
        title: vscode.l10n.t('Rules and Approvals'),
        schema: rulesPageMessageSchema,
        receive: (message) => this.#receive(message),
        fill: () => this.#send(),
        gatherMs: GATHER_MS,
        fail: (error) => this.#fail(error),
        warn: (message) => log('warn', message),
      }),
    );
    // A rules file may have been edited by hand, in this window or elsewhere.
    this.#store.add(vscode.workspace.onDidSaveTextDocument(() => this.refresh()));
    this.#store.add(vscode.window.onDidChangeWindowState(({ focused }) => focused && this.refresh()));
  }

  show(): void {
    this.#panel.show();
  }

  /** Call when something that the page shows may have changed. */
  refresh(): void {
    this.#panel.refresh();
  }

  dispose(): void {
    this.#store.dispose();
  }

  async #receive(message: RulesPageMessage): Promise<void> {
    switch (message.type) {
      case 'ready':
        return this.#send();
      case 'edit':
        this.#post({ type: 'edited', requestId: message.requestId, result: await this.#deps.edit(message.edit) });
        return this.#send();
      case 'explain': {
        const { command } = message;
        return this.#post({ type: 'explained', command, explanation: await this.#deps.explain(command) });
      }
      case 'open_file':
        return openFile(message.path, message.line);
      case 'import':
        await vscode.commands.executeCommand('tiller.importRules');
        return;
      case 'show_audit':
        await vscode.commands.executeCommand('tiller.showAudit');
        return;
      default:
        return assertNever(message);
    }
  }

  async #send(): Promise<void> {
    this.#post({ type: 'rules', state: await this.#deps.state(), texts: vscode.l10n.bundle ?? {} });
  }

  #post(message: RulesHostMessage): void {
    this.#panel.post(message);
  }

  #fail(error: unknown): void {
    this.#log('error', 'The page of the rules met an error', error);
    void vscode.window.showErrorMessage(messageOf(error));
  }
}

async function openFile(path: string, line: number | undefined): Promise<void> {
  const place = new vscode.Position((line ?? 1) - 1, 0);
  await vscode.window.showTextDocument(vscode.Uri.file(path), { selection: new vscode.Range(place, place) });
}
