import * as vscode from 'vscode';
import type { ApprovalCommands } from '../vscode/approvals/approvalCommands.ts';
import type { ReviewCommands } from '../vscode/changeReview/reviewCommands.ts';
import type { CodeReview, ReviewKind } from '../vscode/codeReview/codeReview.ts';
import type { FindingThreads } from '../vscode/comments/findingThreads.ts';
import type { LineComments } from '../vscode/comments/lineComments.ts';
import type { ChatCommands } from '../vscode/chat/chatCommands.ts';
import type { Mentions } from '../vscode/mentions/mentions.ts';
import type { EditAnswer, EditAtCursor } from '../vscode/edits/editAtCursor.ts';
import type { CommitMessage } from '../vscode/entryPoints/commitMessage.ts';
import type { EntryPoints } from '../vscode/entryPoints/entryPoints.ts';
import type { AgentCommands } from '../vscode/customizations/agentCommands.ts';
import type { SkillCommands } from '../vscode/customizations/skillCommands.ts';
import type { HookCommands } from '../vscode/customizations/hookCommands.ts';
import type { LanguageModelTools } from '../vscode/languageModelTools/languageModelTools.ts';
import type { McpCommands } from '../vscode/mcp/mcpCommands.ts';
import type { ModelCommands } from '../vscode/models/modelCommands.ts';
import type { PlanCommands } from '../vscode/plans/planCommands.ts';
import type { ProblemActions } from '../vscode/entryPoints/problemActions.ts';
import type { BackgroundProcesses } from '../vscode/processes/backgroundProcesses.ts';
import type { ProposalTabs } from '../vscode/proposals/proposalTabs.ts';
import type { QuarantineOffer } from '../vscode/recovery/quarantineOffer.ts';
import type { RecoveryOffer } from '../vscode/recovery/recoveryOffer.ts';
import type { RuleViews } from '../vscode/rules/ruleViews.ts';
import type { SideCopyCommands } from '../vscode/sideCopies/sideCopyCommands.ts';
import type { ThreadCommands } from '../vscode/threads/threadCommands.ts';
import type { Walkthrough } from '../vscode/support/walkthrough.ts';
import type { RevertCommands } from '../vscode/undo/revertCommands.ts';
import type { ThreadContext } from '../vscode/threads/threadContext.ts';

/** The features that carry out the commands of package.json, which has their titles, keys and `when` clauses. */
export interface CommandTargets {
  readonly chat: ChatCommands;
  readonly mentions: Pick<Mentions, 'attach' | 'attachActive' | 'attachSelection'>;
  readonly problems: Pick<ProblemActions, 'ask'>;
  readonly edits: Pick<EditAtCursor, 'ask' | 'recall' | 'retry' | 'stop' | 'open' | 'answer' | 'decide'>;
  readonly entryPoints: EntryPoints;
  readonly commitMessage: Pick<CommitMessage, 'write' | 'writeInPanel'>;
  readonly codeReview: Pick<CodeReview, 'start'>;
  readonly findings: Pick<FindingThreads, 'fix' | 'quote' | 'dismiss'>;
  readonly comments: Pick<LineComments, 'begin' | 'add' | 'remove' | 'send' | 'discard' | 'show'>;
  readonly approvals: ApprovalCommands;
  readonly proposals: Pick<ProposalTabs, 'toggleHunk' | 'rejectWithReason'>;
  readonly openProposal: () => Promise<void>;
  /** Undoes the patches of the turn, else the last applied patch. */
  readonly undoPatch: (turnId: string | undefined) => Promise<void>;
  readonly reverts: Pick<RevertCommands, 'revert' | 'undoLastTurn' | 'rewind'>;
  readonly plans: Pick<PlanCommands, 'open' | 'run'>;
  readonly review: ReviewCommands;
  readonly toggleOtherPrograms: () => Promise<void>;
  readonly recovery: Pick<RecoveryOffer, 'pick'>;
  readonly quarantine: Pick<QuarantineOffer, 'pick'>;
  readonly copies: Pick<SideCopyCommands, 'start' | 'showList' | 'bringHome' | 'remove'>;
  readonly models: ModelCommands;
  readonly threads: ThreadCommands;
  readonly processes: Pick<BackgroundProcesses, 'pick'>;
  readonly showMemories: () => Promise<void>;
  readonly rules: Pick<RuleViews, 'showRules' | 'showAudit' | 'importRules'>;
  readonly hooks: Pick<HookCommands, 'showHooks'>;
  readonly lmTools: Pick<LanguageModelTools, 'choose'>;
  readonly agents: Pick<AgentCommands, 'showAgents' | 'pick'>;
  readonly skills: Pick<SkillCommands, 'showSkills'>;
  readonly mcp: Pick<McpCommands, 'showServers' | 'importServers'>;
  readonly walkthrough: Pick<Walkthrough, 'open'>;
  readonly showLog: () => void;
  readonly reportIssue: () => Promise<void>;
}

/** Registers all commands. Loads nothing: `targets` is called when the first command runs. */
export function registerCommands(targets: () => Promise<CommandTargets>): vscode.Disposable {
  const command = <Args extends unknown[]>(
    name: string,
    run: (targets: CommandTargets, ...args: Args) => unknown,
  ): vscode.Disposable =>
    vscode.commands.registerCommand(`tiller.${name}`, async (...args: Args) => run(await targets(), ...args));

  return vscode.Disposable.from(
    command('focus', ({ chat }) => chat.focus()),
    command('openInEditor', ({ chat }) => chat.openInEditor()),
    command('openInWindow', ({ chat }) => chat.openInWindow()),
    command('ask', ({ chat }, text?: string) => chat.ask(text)),
    command('newThread', ({ chat }) => chat.newThread()),
    command('startInSideCopy', ({ copies }) => copies.start()),
    command('sideCopies', ({ copies }) => copies.showList()),
    command('bringHome', ({ copies }) => copies.bringHome()),
    command('removeSideCopy', ({ copies }, id?: unknown) => copies.remove(typeof id === 'string' ? id : undefined)),
    command('sendSelection', ({ mentions }) => mentions.attachSelection()),
    command('attach', ({ mentions }, uri?: vscode.Uri, selected?: readonly vscode.Uri[]) => {
      const given = selected ?? (uri ? [uri] : []);
      return given.length === 0 ? mentions.attachActive() : mentions.attach(given);
    }),
    command('fixProblem', ({ problems }, uri?: vscode.Uri, range?: vscode.Range) => problems.ask('fix', uri, range)),
    command('explainProblem', ({ problems }, uri?: vscode.Uri, range?: vscode.Range) =>
      problems.ask('explain', uri, range),
    ),
    command('addTerminalSelection', ({ entryPoints }) => entryPoints.addTerminalSelection()),
    command('addFailedCommand', ({ entryPoints }) => entryPoints.addFailedCommand()),
    command('addChanges', ({ entryPoints }, ...rows: vscode.SourceControlResourceState[]) =>
      entryPoints.addChanges(rows.filter((row) => row?.resourceUri instanceof vscode.Uri)),
    ),
    command('fixTest', ({ entryPoints }, test?: unknown) => entryPoints.fixTest(test)),
    command('commitMessage', ({ commitMessage }, given?: unknown) => commitMessage.write(given)),
    command('commitMessageInPanel', ({ commitMessage }) => commitMessage.writeInPanel()),
    command('editAtCursor', ({ edits }) => edits.ask()),
    command('earlierInstruction', ({ edits }) => edits.recall('earlier')),
    command('laterInstruction', ({ edits }) => edits.recall('later')),
    command('retryEdit', ({ edits }, id: number) => edits.retry(id)),
    command('stopEdit', ({ edits }, id?: unknown) => edits.stop(typeof id === 'number' ? id : undefined)),
    command('openEdit', ({ edits }, id?: unknown) => edits.open(typeof id === 'number' ? id : undefined)),
    command('answerEdit', ({ edits }, id: number | EditAnswer, answer?: EditAnswer) => edits.answer(id, answer)),
    command('decideEdit', ({ edits }, id: number, what: 'keep' | 'undo') => edits.decide(id, what)),
    // From the Source Control view it gets a repository, which is not a kind.
    command('reviewChanges', ({ codeReview }, kind?: unknown) => codeReview.start(reviewKind(kind))),
    command('finding.fix', ({ findings }, thread?: unknown) => findings.fix(thread)),
    command('finding.quote', ({ findings }, thread?: unknown) => findings.quote(thread)),
    command('finding.dismiss', ({ findings }, thread?: unknown) => findings.dismiss(thread)),
    command('comments.new', ({ comments }, place?: unknown) => comments.begin(place)),
    command('comments.add', ({ comments }, reply?: unknown) => comments.add(reply)),
    command('comments.remove', ({ comments }, given?: unknown) => comments.remove(given)),
    command('comments.send', ({ comments }) => comments.send()),
    command('comments.discard', ({ comments }) => comments.discard()),
    command('comments.show', ({ comments }) => comments.show()),
    command('interrupt', ({ chat }) => chat.interrupt()),
    command('compactThread', ({ chat }) => chat.compact()),
    command('showWaiting', ({ chat }) => chat.showPending()),
    command('approve', ({ approvals }, uri?: vscode.Uri) => approvals.approve(uri)),
    command('approveInPart', ({ approvals }, uri?: vscode.Uri) => approvals.approveInPart(uri)),
    command('approveForThread', ({ approvals }, uri?: vscode.Uri) => approvals.approveForThread(uri)),
    command('deny', ({ approvals }, uri?: vscode.Uri) => approvals.deny(uri)),
    // The same commands with other titles, for an editor that shows one file of several.
    command('approveAllFiles', ({ approvals }, uri?: vscode.Uri) => approvals.approve(uri)),
    command('denyAllFiles', ({ approvals }, uri?: vscode.Uri) => approvals.deny(uri)),
    command('toggleHunk', ({ proposals }, uri?: vscode.Uri, hunk?: number | null, wanted?: 'in' | 'out') =>
      proposals.toggleHunk(uri instanceof vscode.Uri ? uri : undefined, hunk, wanted),
    ),
    command('rejectHunkWithReason', ({ proposals }, uri?: vscode.Uri, hunk?: number | null) =>
      proposals.rejectWithReason(uri instanceof vscode.Uri ? uri : undefined, hunk),
    ),
    command('openProposedChanges', ({ openProposal }) => openProposal()),
    command('undoPatch', ({ undoPatch }, turnId?: string) => undoPatch(turnId)),
    command('undoTurn', ({ reverts }) => reverts.undoLastTurn()),
    command('openPlan', ({ plans }) => plans.open()),
    command('runPlan', ({ plans }) => plans.run()),
    command('redoTurn', ({ reverts }) => reverts.revert({ type: 'redo' })),
    command('rewind', ({ reverts }, context?: ThreadContext) => reverts.rewind(context?.itemId ?? undefined)),
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
    command('review.otherPrograms', ({ toggleOtherPrograms }) => toggleOtherPrograms()),
    command('review.showAll', ({ review }) => review.showAll()),
    command('putBack', ({ quarantine }) => quarantine.pick()),
    command('settlePatch', ({ recovery }) => recovery.pick()),
    command('setApiKey', ({ models }) => models.setApiKey()),
    command('selectModel', ({ models }, given?: unknown) => models.select(given)),
    command('testConnection', ({ models }) => models.testConnection()),
    command('showAbilities', ({ models }) => models.showAbilities()),
    command('showUsage', ({ models }) => models.showUsage()),
    command('removeProvider', ({ models }) => models.removeProvider()),
    command('startDemo', ({ models }) => models.startDemo()),
    command('threads', ({ threads }) => threads.showList()),
    command('renameThread', ({ threads }, context?: ThreadContext) => threads.askName(context)),
    command('pinThread', ({ threads }, context?: ThreadContext) => threads.pin(context, true)),
    command('unpinThread', ({ threads }, context?: ThreadContext) => threads.pin(context, false)),
    command('forkThread', ({ threads }, context?: ThreadContext) => threads.fork(context)),
    command('deleteThread', ({ threads }, context?: ThreadContext) => threads.remove(context)),
    command('exportThread', ({ threads }, context?: ThreadContext) => threads.export(context)),
    command('openThreadText', ({ threads }, context?: ThreadContext) => threads.openText(context)),
    command('importThread', ({ threads }) => threads.bringIn()),
    command('showWaitingThread', ({ threads }) => threads.showWaiting()),
    command('backgroundProcesses', ({ processes }) => processes.pick()),
    command('showMemories', ({ showMemories }) => showMemories()),
    command('showRules', ({ rules }) => rules.showRules()),
    command('showAudit', ({ rules }) => rules.showAudit()),
    command('importRules', ({ rules }) => rules.importRules()),
    command('newThreadWithAgent', ({ agents, threads }) => threads.startAs(() => agents.pick())),
    command('showAgents', ({ agents }) => agents.showAgents()),
    command('showSkills', ({ skills }) => skills.showSkills()),
    command('showHooks', ({ hooks }) => hooks.showHooks()),
    command('chooseTools', ({ lmTools }) => lmTools.choose()),
    command('mcpServers', ({ mcp }) => mcp.showServers()),
    command('importMcpServers', ({ mcp }) => mcp.importServers()),
    command('showLog', ({ showLog }) => showLog()),
    command('reportIssue', ({ reportIssue }) => reportIssue()),
    command('openSettings', openSettings),
    command('openWalkthrough', ({ walkthrough }) => walkthrough.open()),
    command('openFolder', () => vscode.commands.executeCommand('vscode.openFolder')),
    command('manageTrust', () => vscode.commands.executeCommand('workbench.trust.manage')),
  );
}

function reviewKind(given: unknown): ReviewKind | undefined {
  return given === 'uncommitted' || given === 'branch' || given === 'commit' ? given : undefined;
}

/** All settings have machine scope: a remote window shows them in the tab of its machine, and in no other. */
async function openSettings(): Promise<void> {
  const query = '@ext:tiller-dev.tiller';
  const isRemote = vscode.env.remoteName !== undefined;
  await vscode.commands.executeCommand(`workbench.action.${isRemote ? 'openRemoteSettings' : 'openSettings'}`, {
    query,
  });
}
