import path from 'node:path';
import * as vscode from 'vscode';
import type { ReviewTarget } from '../../protocol/codeReview.ts';
import type { TurnOverrides } from '../../protocol/op.ts';
import type {
  ApprovalReviewerSetting,
  ChatMode,
  ReviewSetting,
  Rule,
  SandboxMode,
  SandboxPolicy,
} from '../../protocol/policy.ts';
import { findQuote } from '../../protocol/text/quote.ts';
import { cwdOf, type ThreadState } from '../../protocol/thread.ts';
import type { RecoveryChoice, ResendRequest, RevertTarget, ThreadQuery, WebviewMessage } from '../../protocol/wire.ts';
import { assertNever } from '../../core/util/assertNever.ts';
import type { ChatViewOptions } from './chatView.ts';
import type { RememberedModel } from './modeMemory.ts';
import { chooseModel } from './chooseModel.ts';
import { applyDiff, insertIntoTerminal, previewDiagram } from './codeActions.ts';
import { insertCode, openNewFile } from './editorText.ts';
import { modeOverrides } from './modeOverrides.ts';
import { returningFocus } from './returnFocus.ts';

type PanelRequest = Parameters<ChatViewOptions['handle']>[0];
type Chosen = Exclude<Extract<WebviewMessage, { type: 'choose' }>['what'], { type: 'review' | 'reviewer' }>;
type Picked = Extract<WebviewMessage, { type: 'pick' }>['what'];

/** The services that carry out requests of the panel. */
export interface PanelRequestDeps {
  readonly state: () => ThreadState | null;
  /** Applies to the shown thread and to those started from now on. */
  readonly override: (overrides: TurnOverrides) => void;
  /** Writes the setting, for all windows. */
  readonly setReview: (review: ReviewSetting) => Promise<void>;
  readonly setReviewer: (reviewer: ApprovalReviewerSetting) => Promise<void>;
  /** The policy for a sandbox mode, with the user's settings and the folders of this window. */
  readonly policyOf: (mode: SandboxMode) => SandboxPolicy;
  /** Model and effort of the last turn in a mode, where the settings still have the provider. */
  readonly lastModel: (mode: ChatMode) => RememberedModel | undefined;
  /** Answers with a `rule_preview`. */
  readonly previewRule: (approvalId: string, rule: Rule) => void;
  /** Answers with a `rule_suggestion`, if there is a rule to suggest. */
  readonly suggestRule: (approvalId: string) => Promise<void>;
  readonly chooseHunk: (choice: Extract<PanelRequest, { type: 'choose_hunk' }>) => Promise<void>;
  readonly explainHunk: (choice: Extract<PanelRequest, { type: 'explain_hunk' }>) => void;
  readonly stopAgent: (threadId: string) => void;
  readonly bringHome: (threadId: string) => Promise<void>;
  readonly openChange: (id: string, file: string | undefined) => Promise<void>;
  readonly openOutput: (itemId: string) => Promise<void>;
  readonly openTerminal: (processId: string) => void;
  readonly reviewFile: (path: string, what: 'keep' | 'undo' | 'open') => Promise<void>;
  readonly reviewCommand: (itemId: string, what: 'keep' | 'undo') => Promise<void>;
  readonly revert: (target: RevertTarget) => Promise<void>;
  /** Shows the panel and focuses the control that had the focus there last. */
  readonly focusBack: () => Promise<void>;
  /** Answers with a `resent`. */
  readonly resend: (request: ResendRequest) => Promise<void>;
  readonly reviewChanges: (what: ReviewTarget['type'], instructions: string) => Promise<void>;
  readonly fixFinding: (itemId: string, findingId: string) => Promise<void>;
  readonly quoteFinding: (itemId: string, findingId: string) => Promise<void>;
  readonly restore: (quarantineId: string) => void;
  readonly settlePatch: (patchId: string, way: RecoveryChoice) => Promise<void>;
  /** The list at an `@`, and attachments of menus and drops. */
  readonly mentions: {
    find(id: number, query: string): void;
    close(): void;
    pick(): Promise<void>;
    attach(uris: readonly vscode.Uri[]): Promise<void>;
    attachCopy(file: Extract<WebviewMessage, { type: 'attach_copy' }>): Promise<void>;
  };
  readonly listSkills: () => Promise<void>;
  /** The folder for the document of a previewed diagram. */
  readonly previewFolder: vscode.Uri;
  /** Prompts of MCP servers. */
  readonly prompts: { use(prompt: { readonly server: string; readonly name: string }): Promise<void> };
  /** The model menu of the composer. */
  readonly models: { open(id: number): void; close(): void };
  readonly threads: {
    readonly list: { open(query: ThreadQuery): void; close(): void };
    open(threadId: string): Promise<void>;
    rename(threadId: string, title: string): Promise<void>;
    pin(context: { readonly threadId: string }, isPinned: boolean): Promise<void>;
    remove(context: { readonly threadId: string }): Promise<void>;
    restore(threadId: string): Promise<void>;
    fork(context: { readonly itemId: string | null }): Promise<void>;
    takeOver(): Promise<void>;
  };
}

/** Commands of the panel that show a picker, an input box or a dialog before they act. */
const ASKING_COMMANDS: ReadonlySet<string> = new Set([
  'tiller.backgroundProcesses',
  'tiller.bringHome',
  'tiller.chooseTools',
  'tiller.comments.discard',
  'tiller.exportThread',
  'tiller.importThread',
  'tiller.mcpServers',
  'tiller.newThreadWithAgent',
  'tiller.renameThread',
  'tiller.review.undoAll',
  'tiller.runPlan',
  'tiller.setApiKey',
  'tiller.showAbilities',
  'tiller.showAgents',
  'tiller.showHooks',
  'tiller.showMemories',
  'tiller.showSkills',
  'tiller.showUsage',
  'tiller.sideCopies',
  'tiller.startInSideCopy',
  'tiller.testConnection',
]);

/** Commands that ask by a preview, which is an editor. */
const REVERTING_COMMANDS: ReadonlySet<string> = new Set(['tiller.redoTurn', 'tiller.rewind', 'tiller.undoTurn']);

/** Carries out a request of the panel. Rejects when VS Code does. */
export async function handlePanelRequest(message: PanelRequest, deps: PanelRequestDeps): Promise<void> {
  const asking = (run: () => PromiseLike<void>) => returningFocus(run, deps.focusBack);
  const reverting = (run: () => PromiseLike<void>) => returningFocus(run, deps.focusBack, { changesEditors: true });
  switch (message.type) {
    case 'preview_rule':
      return deps.previewRule(message.approvalId, message.rule);
    case 'suggest_rule':
      return deps.suggestRule(message.approvalId);
    case 'choose_hunk':
      return deps.chooseHunk(message);
    case 'explain_hunk':
      return deps.explainHunk(message);
    case 'open_diff':
      return deps.openChange(message.itemId, message.path);
    case 'open_file':
      return openFile(message, cwdOf(deps.state()));
    case 'fix_finding':
      return deps.fixFinding(message.itemId, message.findingId);
    case 'quote_finding':
      return deps.quoteFinding(message.itemId, message.findingId);
    case 'show_problems':
      await vscode.commands.executeCommand('workbench.actions.view.problems');
      return;
    case 'open_output':
      return deps.openOutput(message.itemId);
    case 'open_terminal':
      return deps.openTerminal(message.processId);
    case 'review_file':
      return deps.reviewFile(message.path, message.what);
    case 'review_command':
      return deps.reviewCommand(message.itemId, message.what);
    case 'revert':
      return reverting(() => deps.revert(message.what));
    case 'resend':
      return reverting(() => deps.resend(message));
    case 'review_changes':
      return asking(() => deps.reviewChanges(message.what, message.instructions));
    case 'restore':
      return deps.restore(message.quarantineId);
    case 'settle_patch':
      return deps.settlePatch(message.patchId, message.way);
    case 'list_threads':
      return deps.threads.list.open(message);
    case 'close_threads':
      return deps.threads.list.close();
    case 'open_thread':
      return deps.threads.open(message.threadId);
    case 'stop_agent':
      return deps.stopAgent(message.threadId);
    case 'bring_home':
      return asking(() => deps.bringHome(message.threadId));
    case 'rename_thread':
      return deps.threads.rename(message.threadId, message.title);
    case 'pin_thread':
      return deps.threads.pin(message, message.isPinned);
    case 'delete_thread':
      return deps.threads.remove(message);
    case 'restore_thread':
      return deps.threads.restore(message.threadId);
    case 'fork_thread':
      return deps.threads.fork(message);
    case 'take_over':
      return deps.threads.takeOver();
    case 'open_link':
      await vscode.env.openExternal(vscode.Uri.parse(message.url, true));
      return;
    case 'copy':
      return vscode.env.clipboard.writeText(message.text);
    case 'insert_code':
      return insertCode(message.text);
    case 'new_file':
      return openNewFile(message.text, message.language);
    case 'insert_into_terminal':
      return insertIntoTerminal(message.text);
    case 'preview_diagram':
      return previewDiagram(message.text, deps.previewFolder);
    case 'apply_code':
      return applyDiff(message.text);
    case 'run_command': {
      const { command } = message;
      const run = () => vscode.commands.executeCommand<void>(command);
      if (REVERTING_COMMANDS.has(command)) return reverting(run);
      return ASKING_COMMANDS.has(command) ? asking(run) : run();
    }
    case 'pick':
      return pick(message.what, deps);
    case 'list_models':
      return deps.models.open(message.id);
    case 'close_models':
      return deps.models.close();
    case 'set_up_provider':
      return chooseModel(deps.focusBack, { provider: message.provider });
    case 'choose':
      if (message.what.type === 'review') return deps.setReview(message.what.review);
      if (message.what.type === 'reviewer') return deps.setReviewer(message.what.reviewer);
      return override(chosen(message.what, deps), deps);
    case 'find_mentions':
      return deps.mentions.find(message.id, message.query);
    case 'close_mentions':
      return deps.mentions.close();
    case 'list_skills':
      return deps.listSkills();
    case 'use_prompt':
      return asking(() => deps.prompts.use(message));
    case 'attach_uris':
      return deps.mentions.attach(message.uris.map((uri) => vscode.Uri.parse(uri, true)));
    case 'attach_copy':
      return deps.mentions.attachCopy(message);
    default:
      return assertNever(message);
  }
}

async function pick(what: Picked, deps: PanelRequestDeps): Promise<void> {
  switch (what) {
    case 'model':
      return chooseModel(deps.focusBack);
    case 'openai':
    case 'anthropic':
    case 'local':
    case 'endpoint':
      return chooseModel(deps.focusBack, what);
    case 'context':
      return returningFocus(() => deps.mentions.pick(), deps.focusBack);
    default:
      return assertNever(what);
  }
}

/** Returns the choice as overrides. In Restricted Mode only the model and its effort can be changed. */
function chosen(what: Chosen, deps: PanelRequestDeps): TurnOverrides | undefined {
  switch (what.type) {
    case 'model':
      return { provider: what.provider, model: what.model };
    case 'effort':
      return { effort: what.effort };
    default:
      return vscode.workspace.isTrusted ? chosenPolicy(what, deps) : undefined;
  }
}

type ChosenPolicy = Exclude<Chosen, { type: 'model' | 'effort' }>;

function chosenPolicy(what: ChosenPolicy, deps: PanelRequestDeps): TurnOverrides | undefined {
  switch (what.type) {
    case 'mode':
      return modeOverrides(what.mode, deps.policyOf, deps.lastModel);
    case 'sandbox':
      return { box: deps.policyOf(what.mode) };
    case 'approvals':
      return { policy: what.policy };
    default:
      return assertNever(what);
  }
}

function override(overrides: TurnOverrides | undefined, deps: PanelRequestDeps): void {
  if (overrides) deps.override(overrides);
}

async function openFile(
  { path: file, line, quote = '' }: Extract<PanelRequest, { type: 'open_file' }>,
  cwd: string,
): Promise<void> {
  const document = await vscode.workspace.openTextDocument(vscode.Uri.file(path.resolve('/', cwd, file)));
  const first = line && (findQuote(document.getText(), quote, { first: line, last: line })?.first ?? line);
  const position = new vscode.Position((first ?? 1) - 1, 0);
  const selection = first === undefined ? {} : { selection: new vscode.Range(position, position) };
  await vscode.window.showTextDocument(document, { preview: true, ...selection });
}
