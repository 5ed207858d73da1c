import path from 'node:path';
import * as vscode from 'vscode';
import type { Ports } from '../../core/ports.ts';
import type { AgentService } from '../../core/agent/agentService.ts';
import { type Disposable, DisposableStore } from '../../core/util/disposable.ts';
import type { TurnSettings } from '../../protocol/event.ts';
import { AuditPage } from './auditPage.ts';
import { importRules } from './importRules.ts';
import { announceProposals } from './ruleProposals.ts';
import { RulesPage } from './rulesPage.ts';
import type { ShownThread } from '../../core/agent/shownThread.ts';
import { changesRules, RulesController } from './rulesController.ts';

export interface RuleViewsDeps {
  readonly context: Pick<vscode.ExtensionContext, 'extensionUri' | 'workspaceState'>;
  readonly service: AgentService;
  readonly threads: ShownThread;
  readonly ports: Ports;
  /** The settings that commands run under now. */
  readonly current: () => TurnSettings;
  /** Logs the error and shows it to the user. */
  readonly tell: (error: unknown) => void;
}

/** The rules page and the audit page. */
export class RuleViews implements Disposable {
  readonly #deps: RuleViewsDeps;
  readonly #store = new DisposableStore();
  readonly #controller: RulesController;
  readonly #rules: RulesPage;
  readonly #audit: AuditPage;

  constructor(deps: RuleViewsDeps) {
    this.#deps = deps;
    const { context, service, threads, ports, current } = deps;
    const { extensionUri } = context;
    this.#controller = new RulesController({ rules: service.rules, threads, current, ports });
    this.#rules = this.#store.add(
      new RulesPage({ extensionUri, deps: this.#controller, log: (level, ...args) => ports.log[level](...args) }),
    );
    this.#audit = this.#store.add(this.#createAudit());
    this.#store.add(service.rules.onChange(() => this.#rules.refresh()));
    this.#store.add(
      threads.onChange((change) => {
        if (!changesRules(change)) return;
        this.#rules.refresh();
        this.#audit.refresh();
      }),
    );
  }

  #createAudit(): AuditPage {
    const { context, service, threads, ports, tell } = this.#deps;
    const nameOf = (title: string | null) => title ?? vscode.l10n.t('Untitled');
    return new AuditPage({
      extensionUri: context.extensionUri,
      deps: {
        latest: (limit) => ports.audit.latest(limit),
        titles: async () => new Map((await service.catalog.list([])).map(({ id, title }) => [id, nameOf(title)])),
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
    const { ports, tell } = this.#deps;
    await importRules(ports.host.homeDirectory, (edit) => this.#controller.edit(edit)).catch(tell);
  }

  /** Shows one notification about new proposals of the workspace. */
  async announceProposals(): Promise<void> {
    const { overview } = await this.#controller.state();
    await announceProposals(overview.proposals, this.#deps.context.workspaceState, () => this.showRules());
  }

  dispose(): void {
    this.#store.dispose();
  }
}
