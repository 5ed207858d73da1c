import path from 'node:path';
import type { DisposableStore } from '../core/util/disposable.ts';
import { cwdOf } from '../protocol/thread.ts';
import { previewFor, suggestionForApproval } from '../vscode/approvals/rulePreview.ts';
import type { ChatView } from '../vscode/chat/chatView.ts';
import type { Drafts } from '../vscode/chat/drafts.ts';
import type { PanelRequestDeps } from '../vscode/chat/panelRequests.ts';
import type { CodeReview } from '../vscode/codeReview/codeReview.ts';
import type { FindingThreads } from '../vscode/comments/findingThreads.ts';
import type { BackgroundProcesses } from '../vscode/processes/backgroundProcesses.ts';
import { GrowingDiffs } from '../vscode/proposals/growingDiffs.ts';
import { openChange } from '../vscode/proposals/openChange.ts';
import type { QuarantineOffer } from '../vscode/recovery/quarantineOffer.ts';
import type { RecoveryOffer } from '../vscode/recovery/recoveryOffer.ts';
import { writeSetting } from '../vscode/settings.ts';
import type { ThreadCommands } from '../vscode/threads/threadCommands.ts';
import type { SideCopyCommands } from '../vscode/sideCopies/sideCopyCommands.ts';
import { openRecordedChanges, pathsToReview } from '../vscode/undo/recordedChanges.ts';
import type { RevertCommands } from '../vscode/undo/revertCommands.ts';
import type { Agent } from './createAgent.ts';
import type { Composer } from './createComposer.ts';
import type { Editors } from './createEditors.ts';
import type { Host } from './createHost.ts';
import type { TurnChoices } from './createTurnChoices.ts';

/** The features of the panel that carry out its requests. */
export interface RequestTargets extends Pick<PanelRequestDeps, 'previewFolder'> {
  readonly view: ChatView;
  readonly drafts: Drafts;
  readonly composer: Composer;
  readonly threadCommands: ThreadCommands;
  readonly processes: BackgroundProcesses;
  readonly reverts: RevertCommands;
  readonly codeReview: CodeReview;
  readonly findings: FindingThreads;
  readonly recovery: RecoveryOffer;
  readonly quarantine: QuarantineOffer;
  readonly copies: Pick<SideCopyCommands, 'bringHome'>;
  readonly choices: Pick<TurnChoices, 'policyOf' | 'lastModel' | 'override'>;
}

/** Creates the services that carry out the panel's requests, each by the feature that owns it. */
export function createPanelRequests(
  { node, report, tell }: Host,
  { workspace, proposalTabs, review, outputs }: Editors,
  { threads, ports, skillCommands }: Agent,
  targets: RequestTargets,
  store: DisposableStore,
): PanelRequestDeps {
  const { view, drafts, composer, threadCommands, processes, reverts, codeReview, findings } = targets;
  const { recovery, quarantine, copies } = targets;
  const { platform } = node.host;
  const growing = store.add(
    new GrowingDiffs({
      onEvent: threads.onEvent,
      read: async (file) => (await workspace.read(file).catch(() => undefined))?.text,
      showProposal: (...which) => proposalTabs.show(...which),
      report,
    }),
  );
  return {
    threads: threadCommands,
    state: () => threads.state,
    override: (overrides) => void targets.choices.override(overrides).catch(tell),
    setReview: (review) => writeSetting('review', review),
    setReviewer: (reviewer) => writeSetting('approvals.reviewer', reviewer),
    policyOf: targets.choices.policyOf,
    previewFolder: targets.previewFolder,
    lastModel: targets.choices.lastModel,
    models: composer.modelMenu,
    mentions: composer.mentions,
    prompts: composer.mcpPrompts,
    listSkills: async () => view.tell({ type: 'skills', rows: await skillCommands.rows() }),
    previewRule: (approvalId, rule) => {
      const preview = previewFor(threads.overview.asking(approvalId), approvalId, rule, platform);
      if (preview) view.tell({ type: 'rule_preview', approvalId, rule, preview });
    },
    suggestRule: async (approvalId) => {
      const asking = threads.overview.asking(approvalId);
      const suggestion = await suggestionForApproval(asking, approvalId, ports.audit, platform);
      if (suggestion) view.tell({ type: 'rule_suggestion', approvalId, suggestion });
    },
    chooseHunk: ({ approvalId, path, hunk, wanted }) => proposalTabs.proposals.choose(approvalId, path, hunk, wanted),
    explainHunk: ({ approvalId, path, hunk, reason }) => proposalTabs.proposals.explain(approvalId, path, hunk, reason),
    openChange: async (id, file) => {
      const { state } = threads;
      if (state !== null && (await growing.show(id, file, state, cwdOf(state)))) return;
      const name = file === undefined || state === null ? undefined : path.resolve(cwdOf(state), file);
      const isRecorded = state !== null && (await openRecordedChanges(id, name, state.threadId, node.storage));
      if (!isRecorded) await openChange(id, file, threads.overview.asking(id), proposalTabs);
    },
    stopAgent: (threadId) => threads.submitTo(threadId, { type: 'interrupt' }),
    bringHome: (threadId) => copies.bringHome(threadId),
    focusBack: () => view.focusBack(),
    revert: (target) => reverts.revert(target),
    resend: async (request) => {
      const threadId = threads.state?.threadId;
      let isSent = false;
      try {
        isSent = await reverts.resend(request);
        if (isSent && threadId !== undefined) drafts.endSent(threadId, request.itemId);
      } finally {
        view.tell({ type: 'resent', itemId: request.itemId, isSent });
      }
    },
    reviewCommand: async (itemId, what) => {
      const threadId = threads.state?.threadId;
      if (threadId === undefined) return;
      for (const path of await pathsToReview(itemId, threadId, node.storage)) await review.decide(path, what);
    },
    openOutput: (itemId) => outputs.open(itemId, threads.state),
    openTerminal: (processId) => processes.openTerminal(processId),
    reviewFile: (path, what) => review.decide(path, what),
    reviewChanges: (what, instructions) => codeReview.start(what, instructions),
    fixFinding: (itemId, findingId) => findings.fixFinding(itemId, findingId),
    quoteFinding: (itemId, findingId) => findings.quoteFinding(itemId, findingId),
    restore: (quarantineId) => quarantine.restore(quarantineId),
    settlePatch: (patchId, way) => recovery.settle(patchId, way),
  };
}
