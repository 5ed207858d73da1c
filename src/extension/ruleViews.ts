import path from 'node:path';
import * as vscode from 'vscode';
import type { Ports } from '../core/ports.ts';
import type { SessionManager } from '../core/session/sessionManager.ts';
import { type Disposable, DisposableStore } from '../core/util/disposable.ts';
import type { TurnSettings } from '../protocol/event.ts';
import { AuditPage } from '../vscode/rules/auditPage.ts';
import { importRules } from '../vscode/rules/importRules.ts';
import { announceProposals } from '../vscode/rules/ruleProposals.ts';
import { RulesPage } from '../vscode/rules/rulesPage.ts';
import type { Threads } from '../vscode/threads.ts';
import { changesRules, RulesDesk } from './rulesDesk.ts';

export interface RuleViewsParts {
  readonly context: Pick<vscode.ExtensionContext, 'extensionUri' | 'workspaceState'>;
  readonly manager: SessionManager;
  readonly threads: Threads;
  readonly ports: Ports;
  /** What commands run under now. */
  readonly current: () => TurnSettings;
  /** Tells the person, too. */
  readonly tell: (error: unknown) => void;
}

/** What decides and what was decided, in pages of their own. */
export class RuleViews implements Disposable {
  readonly #parts: RuleViewsParts;
  readonly #store = new DisposableStore();
  readonly #desk: RulesDesk;
  readonly #rules: RulesPage;
  readonly #audit: AuditPage;

  constructor(parts: RuleViewsParts) {
    this.#parts = parts;
    const { context, manager, threads, ports, current } = parts;
    const { extensionUri } = context;
    this.#desk = new RulesDesk({ rules: manager.rules, threads, current, ports });
    this.#rules = this.#store.add(
      new RulesPage({ extensionUri, hands: this.#desk, log: (level, ...said) => ports.log[level](...said) }),
    );
    this.#audit = this.#store.add(this.#createAudit());
    this.#store.add(manager.rules.onChange(() => this.#rules.refresh()));
    this.#store.add(
      threads.onChange((change) => {
        if (!changesRules(change)) return;
        this.#rules.refresh();
        this.#audit.refresh();
      }),
    );
  }

  #createAudit(): AuditPage {
    const { context, manager, threads, ports, tell } = this.#parts;
    const nameOf = (title: string | null) => title ?? vscode.l10n.t('Untitled');
    return new AuditPage({
      extensionUri: context.extensionUri,
      hands: {
        latest: (limit) => ports.audit.latest(limit),
        titles: async () => new Map((await manager.catalog.list([])).map(({ id, title }) => [id, nameOf(title)])),
        openThread: async (id) => {
          if (await threads.open(id)) await vscode.commands.executeCommand('tiller.focus');
        },
        file: path.join(ports.storage.home, 'audit.jsonl'),
      },
      warn: (message) => ports.log.warn(message),
      report: tell,
    });
  }

  showRules(): void {
    this.#rules.show();
  }

  showAudit(): void {
    this.#audit.show();
  }

  async importRules(): Promise<void> {
    const { ports, tell } = this.#parts;
    await importRules(ports.host.homeDirectory, (edit) => this.#desk.edit(edit)).catch(tell);
  }

  /** Says once what the workspace would like to be allowed. */
  async announceProposals(): Promise<void> {
    const { overview } = await this.#desk.state();
    await announceProposals(overview.proposals, this.#parts.context.workspaceState, () => this.showRules());
  }

  dispose(): void {
    this.#store.dispose();
  }
}
