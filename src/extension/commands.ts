import * as vscode from 'vscode';
import type { ApprovalChoice, ApprovalRequest } from '../protocol/event.ts';
import { isPlain, pickWaiting, pickYes } from '../vscode/approvals/approvalPicker.ts';
import type { ApprovalPrompts } from '../vscode/approvals/approvalPrompts.ts';
import type { ChatView } from '../vscode/chat/chatView.ts';
import type { GivenServer } from '../vscode/models/modelPicker.ts';
import type { BackgroundProcesses } from '../vscode/processes/backgroundProcesses.ts';
import type { ReviewCommands } from '../vscode/changeReview/reviewCommands.ts';
import type { Threads } from '../vscode/threads.ts';

/** A thread that a command is about: named by a context menu, else the one that is shown. */
export interface ThreadContext {
  readonly threadId?: string;
  /** The message it is about. */
  readonly itemId?: string | null;
}

/** Everything a person can ask for by name; titles, keys and `when` clauses are in package.json. */
export interface CommandHands {
  readonly threads: Threads;
  readonly view: ChatView;
  readonly approvals: ApprovalPrompts;
  readonly processes: BackgroundProcesses;
  /** The approval whose proposal an editor shows, by the address a title button hands over. */
  readonly answeredBy: (uri: vscode.Uri | undefined) => string | undefined;
  readonly openProposal: () => Promise<void>;
  /** Of a proposal: the one at the cursor where none is named; `null` is the whole file. */
  readonly toggleHunk: (
    uri: vscode.Uri | undefined,
    hunk: number | null | undefined,
    wanted: 'in' | 'out' | undefined,
  ) => Promise<void>;
  /** False when nothing was decided. */
  readonly pickHunks: (approvalId: string) => Promise<boolean>;
  /** Of the turn, or of the last landing when none is named. */
  readonly undoPatch: (turnId: string | undefined) => Promise<void>;
  /** Of what was moved out of the workspace. */
  readonly putBack: () => Promise<void>;
  /** Of the patches that a crash left half landed. */
  readonly settlePatch: () => Promise<void>;
  readonly setApiKey: () => Promise<void>;
  /** Asks which server where none is given: `openai`, or one by its address. */
  readonly selectModel: (server?: GivenServer) => Promise<void>;
  readonly threadViews: {
    showList(): Promise<void>;
    showWaiting(): Promise<void>;
    askName(context: ThreadContext | undefined): Promise<void>;
    fork(context: ThreadContext | undefined): Promise<void>;
    remove(context: ThreadContext | undefined): Promise<void>;
    export(context: ThreadContext | undefined): Promise<void>;
    bringIn(): Promise<void>;
  };
  readonly review: ReviewCommands;
  readonly useDemo: () => Promise<void>;
  readonly ruleViews: { showRules(): void; showAudit(): void; importRules(): Promise<void> };
  readonly showLog: () => void;
}

/** Loads nothing: whatever a command needs comes to life when it is first called. */
export function registerCommands(hands: () => Promise<CommandHands>): vscode.Disposable {
  const command = <Args extends unknown[]>(
    name: string,
    run: (hands: CommandHands, ...args: Args) => unknown,
  ): vscode.Disposable =>
    vscode.commands.registerCommand(`tiller.${name}`, async (...args: Args) => run(await hands(), ...args));

  return vscode.Disposable.from(
    command('focus', async ({ view }) => {
      await focusPanel();
      view.focusComposer();
    }),
    command('ask', async ({ threads }, given?: string) => {
      const text = given ?? (await vscode.window.showInputBox({ title: vscode.l10n.t('Ask Tiller') }));
      if (!text?.trim()) return;
      await focusPanel();
      await threads.submit({ type: 'steer', input: [{ type: 'text', text }] });
    }),
    command('newThread', async ({ threads, view }) => {
      await threads.clear();
      await focusPanel();
      view.focusComposer();
    }),
    command('sendSelection', async ({ view }) => {
      const text = describeSelection();
      if (text === undefined) return;
      await focusPanel();
      view.insertText(text);
    }),
    command('interrupt', ({ threads }) => threads.submit({ type: 'interrupt' })),
    command('approve', (tiller, uri?: vscode.Uri) => approve(tiller, uri)),
    // The same, as the title of an editor says it that shows one file of several.
    command('approveAllFiles', (tiller, uri?: vscode.Uri) => approve(tiller, uri)),
    command('denyAllFiles', (tiller, uri?: vscode.Uri) => denyWithWord(tiller, uri)),
    command('approveInPart', (tiller, uri?: vscode.Uri) => approveInPart(tiller, uri)),
    command('toggleHunk', ({ toggleHunk }, uri?: vscode.Uri, hunk?: number | null, wanted?: 'in' | 'out') =>
      toggleHunk(uri instanceof vscode.Uri ? uri : undefined, hunk, wanted),
    ),
    command('approveForThread', (tiller, uri?: vscode.Uri) => approveForThread(tiller, uri)),
    command('deny', (tiller, uri?: vscode.Uri) => denyWithWord(tiller, uri)),
    command('showWaiting', async ({ view }) => {
      await focusPanel();
      view.showWaiting();
    }),
    command('openProposedChanges', ({ openProposal }) => openProposal()),
    command('undoPatch', ({ undoPatch }, turnId?: string) => undoPatch(turnId)),
    command('review.next', ({ review }) => review.next()),
    command('review.previous', ({ review }) => review.previous()),
    command('review.keepHunk', ({ review }, ...given: unknown[]) => review.keepHunk(...given)),
    command('review.undoHunk', ({ review }, ...given: unknown[]) => review.undoHunk(...given)),
    command('review.keepFile', ({ review }, given?: unknown) => review.keepFile(given)),
    command('review.undoFile', ({ review }, given?: unknown) => review.undoFile(given)),
    command('review.keepAll', ({ review }) => review.keepAll()),
    command('review.undoAll', ({ review }) => review.undoAll()),
    command('review.unkeep', ({ review }) => review.unkeep()),
    command('review.keepChange', ({ review }, ...given: Parameters<ReviewCommands['keepChange']>) =>
      review.keepChange(...given),
    ),
    command('review.undoChange', ({ review }, ...given: Parameters<ReviewCommands['undoChange']>) =>
      review.undoChange(...given),
    ),
    command('review.peek', ({ review }, ...given: Parameters<ReviewCommands['peek']>) => review.peek(...given)),
    command('review.showDiff', ({ review }, given?: unknown) => review.showDiff(given)),
    command('review.showAll', ({ review }) => review.showAll()),
    command('putBack', ({ putBack }) => putBack()),
    command('settlePatch', ({ settlePatch }) => settlePatch()),
    command('setApiKey', ({ setApiKey }) => setApiKey()),
    command('selectModel', ({ selectModel }, server?: unknown) =>
      selectModel(server === 'openai' || server === 'endpoint' ? server : undefined),
    ),
    command('threads', ({ threadViews }) => threadViews.showList()),
    command('renameThread', ({ threadViews }, context?: ThreadContext) => threadViews.askName(context)),
    command('forkThread', ({ threadViews }, context?: ThreadContext) => threadViews.fork(context)),
    command('deleteThread', ({ threadViews }, context?: ThreadContext) => threadViews.remove(context)),
    command('exportThread', ({ threadViews }, context?: ThreadContext) => threadViews.export(context)),
    command('importThread', ({ threadViews }) => threadViews.bringIn()),
    command('showWaitingThread', ({ threadViews }) => threadViews.showWaiting()),
    command('startDemo', ({ useDemo }) => useDemo()),
    command('backgroundProcesses', ({ processes }) => processes.pick()),
    command('showRules', ({ ruleViews }) => ruleViews.showRules()),
    command('showAudit', ({ ruleViews }) => ruleViews.showAudit()),
    command('importRules', ({ ruleViews }) => ruleViews.importRules()),
    command('showLog', ({ showLog }) => showLog()),
    command('openSettings', openSettings),
    command('openWalkthrough', () =>
      vscode.commands.executeCommand('workbench.action.openWalkthrough', 'tiller-dev.tiller#tiller.start', false),
    ),
    command('openFolder', () => vscode.commands.executeCommand('vscode.openFolder')),
    command('manageTrust', () => vscode.commands.executeCommand('workbench.trust.manage')),
  );
}

/**
 * The approval that the editor shows, whichever thread asked for it, and never another one. Where no editor shows one: the
 * only pending approval of the shown thread, or those that the user ticks in a list.
 */
async function chosen(
  { approvals, answeredBy }: CommandHands,
  uri: vscode.Uri | undefined,
  how: Parameters<typeof pickWaiting>[1] & { readonly choice: readonly ApprovalChoice[] },
): Promise<readonly ApprovalRequest[]> {
  const canBe = ({ choices }: ApprovalRequest) => choices.some((choice) => how.choice.includes(choice));
  const shown = answeredBy(uri instanceof vscode.Uri ? uri : undefined);
  if (shown === undefined) return (await pickWaiting(approvals.waiting.filter(canBe), how)) ?? [];
  const asked = approvals.find(shown);
  if (asked === undefined) tellNotPending();
  return asked !== undefined && canBe(asked) ? [asked] : [];
}

function tellNotPending(): void {
  void vscode.window.showInformationMessage(vscode.l10n.t('The changes in this editor are no longer pending.'));
}

async function approve(tiller: CommandHands, uri: vscode.Uri | undefined): Promise<void> {
  const title = vscode.l10n.t('Approve');
  const approvals = await chosen(tiller, uri, { title, choice: YESES, careful: true });
  tiller.approvals.answer(approvals.filter(isPlain), 'approved');
  for (const approval of approvals.filter((each) => !isPlain(each))) {
    const yes = await pickYes(approval);
    if (yes === 'show') tiller.approvals.show(approval);
    else if (yes !== undefined) tiller.approvals.answer([approval], yes);
  }
}

/** Of the patch that an editor shows, else of the one that waits longest. What is left of it is answered as it stands. */
async function approveInPart(tiller: CommandHands, uri: vscode.Uri | undefined): Promise<void> {
  const shown = tiller.answeredBy(uri instanceof vscode.Uri ? uri : undefined);
  const patch =
    shown === undefined ? tiller.approvals.waiting.find(({ kind }) => kind === 'patch') : tiller.approvals.find(shown);
  if (patch === undefined && shown !== undefined) tellNotPending();
  if (patch === undefined || !(await tiller.pickHunks(patch.approvalId))) return;
  const yes = isPlain(patch) ? 'approved' : await pickYes(patch);
  if (yes === 'show') tiller.approvals.show(patch);
  else if (yes !== undefined) tiller.approvals.answer([patch], yes);
}

/** Each a yes to this once; some have to be said by name. */
const YESES: readonly ApprovalChoice[] = ['approved', 'approved_saving', 'approved_discarding'];

async function approveForThread(tiller: CommandHands, uri: vscode.Uri | undefined): Promise<void> {
  const choice = 'approved_for_thread';
  const shown = tiller.answeredBy(uri instanceof vscode.Uri ? uri : undefined);
  const asked = shown === undefined ? tiller.approvals.waiting : [tiller.approvals.find(shown) ?? []].flat();
  if (!asked.some(({ choices }) => choices.includes(choice))) {
    void vscode.window.showInformationMessage(vscode.l10n.t('What waits cannot be approved for the whole thread.'));
    return;
  }
  const title = vscode.l10n.t('Approve for this thread');
  tiller.approvals.answer(await chosen(tiller, uri, { title, choice: [choice], careful: true }), choice);
}

async function denyWithWord(tiller: CommandHands, uri: vscode.Uri | undefined): Promise<void> {
  const title = vscode.l10n.t('Deny');
  const denied = await chosen(tiller, uri, { title, choice: ['denied'], careful: false });
  if (denied.length === 0) return;
  const message = await vscode.window.showInputBox({
    title,
    prompt: vscode.l10n.t('What should Tiller do instead? Leave it empty to only deny.'),
  });
  // Escape means that nothing was decided.
  if (message !== undefined) tiller.approvals.answer(denied, { denied: message === '' ? {} : { message } });
}

/** All settings are of the machine: in a remote window they are in the tab of that machine, and the others show none. */
async function openSettings(): Promise<void> {
  const query = '@ext:tiller-dev.tiller';
  const isRemote = vscode.env.remoteName !== undefined;
  await vscode.commands.executeCommand(`workbench.action.${isRemote ? 'openRemoteSettings' : 'openSettings'}`, {
    query,
  });
}

/** Wherever the person keeps it. */
async function focusPanel(): Promise<void> {
  await vscode.commands.executeCommand('tiller.chat.focus');
}

/** The selection with its place, as a person would quote it; the whole line where nothing is selected. */
function describeSelection(): string | undefined {
  const editor = vscode.window.activeTextEditor;
  if (!editor) return undefined;
  const { document, selection } = editor;
  const range = selection.isEmpty ? document.lineAt(selection.active.line).range : selection;
  const place = `${vscode.workspace.asRelativePath(document.uri)}:${range.start.line + 1}`;
  return `${place}\n\`\`\`${document.languageId}\n${document.getText(range)}\n\`\`\`\n`;
}
