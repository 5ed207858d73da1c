import * as vscode from 'vscode';
import { assertNever } from '../../core/util/assertNever.ts';
import type { Disposable } from '../../core/util/disposable.ts';
import { type AuditEntry, type AuditRow, auditRows } from '../../protocol/audit.ts';
import {
  type AuditHostMessage,
  type AuditLine,
  type AuditPageMessage,
  auditPageMessageSchema,
} from '../../protocol/auditWire.ts';
import { PagePanel } from '../ui/pagePanel.ts';
import { shownFolder } from '../ui/workspacePaths.ts';

/** The data and services of the page. */
export interface AuditPageDeps {
  /** The newest entries, oldest first. */
  latest(limit: number): Promise<readonly AuditEntry[]>;
  /** Titles of the threads that still exist, by id. */
  titles(): Promise<ReadonlyMap<string, string>>;
  openThread(threadId: string): Promise<void>;
  /** The path of the log file. */
  readonly file: string;
}

/** The number of entries at first, and by which the page grows. */
const PAGE = 400;
/** Characters of one command in the table; the log file has all of it. */
const MAX_WHAT = 400;
const GATHER_MS = 500;

/** The host side of the page "Audit Log". */
export class AuditPage implements Disposable {
  readonly #deps: AuditPageDeps;
  readonly #panel: PagePanel<AuditPageMessage>;
  #limit = PAGE;

  constructor(options: {
    readonly extensionUri: vscode.Uri;
    readonly deps: AuditPageDeps;
    readonly warn: (message: string) => void;
    readonly report: (error: unknown) => void;
  }) {
    this.#deps = options.deps;
    this.#panel = new PagePanel({
      extensionUri: options.extensionUri,
      page: 'audit',
      title: vscode.l10n.t('Audit Log'),
      schema: auditPageMessageSchema,
      receive: (message) => this.#receive(message),
      fill: () => this.#send(),
      gatherMs: GATHER_MS,
      fail: options.report,
      warn: options.warn,
    });
  }

  show(): void {
    this.#panel.show();
  }

  /** Call after a decision or the end of a command. */
  refresh(): void {
    this.#panel.refresh();
  }

  dispose(): void {
    this.#panel.dispose();
  }

  async #receive(message: AuditPageMessage): Promise<void> {
    switch (message.type) {
      case 'ready':
        return this.#send();
      case 'more':
        this.#limit += PAGE;
        return this.#send();
      case 'open_thread':
        return this.#deps.openThread(message.threadId);
      case 'show_rules':
        await vscode.commands.executeCommand('tiller.showRules');
        return;
      case 'open_log':
        await vscode.window.showTextDocument(vscode.Uri.file(this.#deps.file));
        return;
      default:
        return assertNever(message);
    }
  }

  async #send(): Promise<void> {
    const [entries, titles] = await Promise.all([this.#deps.latest(this.#limit), this.#deps.titles()]);
    const message: AuditHostMessage = {
      type: 'audit',
      lines: auditRows(entries).map((row) => lineOf(row, titles)),
      hasMore: entries.length >= this.#limit,
      texts: vscode.l10n.bundle ?? {},
    };
    this.#panel.post(message);
  }
}

function lineOf({ decision, end }: AuditRow, titles: ReadonlyMap<string, string>): AuditLine {
  const { at, threadId, agentId, act, outcome, by, reason, word = null, reviewer = null, box, escalated } = decision;
  const what = whatOf(act);
  return {
    at,
    threadId,
    threadTitle: titles.get(threadId) ?? null,
    agentId,
    kind: act.type,
    what: what.length > MAX_WHAT ? `${what.slice(0, MAX_WHAT)}…` : what,
    cwd: 'cwd' in act ? shownFolder(act.cwd) : null,
    outcome,
    by,
    reason,
    word,
    reviewer,
    box,
    escalated,
    end: end && { status: end.status, exit: end.exit, durationMs: end.durationMs },
  };
}

function whatOf(act: AuditRow['decision']['act']): string {
  switch (act.type) {
    case 'command':
      return act.command;
    case 'patch':
      return act.files.map(({ path, movedTo }) => (movedTo === undefined ? path : `${path} → ${movedTo}`)).join(', ');
    case 'input':
      return JSON.stringify(act.chars);
    case 'tool':
      return act.tool;
    case 'hook':
      return `${act.event}: ${act.command}`;
  }
}
