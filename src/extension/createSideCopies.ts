import { isFinal } from '../core/tools/agents/agentStatus.ts';
import type { DisposableStore } from '../core/util/disposable.ts';
import type { ChatView } from '../vscode/chat/chatView.ts';
import { BringHome } from '../vscode/sideCopies/bringHome.ts';
import { ShownCopy } from '../vscode/sideCopies/shownCopy.ts';
import { SideCopyCommands } from '../vscode/sideCopies/sideCopyCommands.ts';
import type { Agent } from './createAgent.ts';
import type { Editors } from './createEditors.ts';
import type { Host } from './createHost.ts';

/** Side copies in the user interface: that of the shown thread, their commands, and the way home. */
export interface SideCopyParts {
  readonly shownCopy: ShownCopy;
  readonly bringHome: BringHome;
  readonly copies: SideCopyCommands;
}

export interface SideCopyPartsDeps {
  readonly view: Pick<ChatView, 'tell' | 'updateAgents'>;
  readonly hasModel: () => Promise<boolean>;
  readonly showThread: (threadId: string) => Promise<void>;
}

/** Creates the lists, commands and reviews of side copies, and removes the copies of deleted threads. */
export function createSideCopies(
  { settings, report }: Host,
  editors: Editors,
  { threads, service, factory, sideCopies, copyCounts }: Agent,
  { view, hasModel, showThread }: SideCopyPartsDeps,
  store: DisposableStore,
): SideCopyParts {
  const { proposalTabs } = editors;
  const shownCopy = store.add(
    new ShownCopy({ threads, store: sideCopies, post: (row) => view.tell({ type: 'side_copy', row }), report }),
  );
  const bringHome = store.add(
    new BringHome({
      store: sideCopies,
      workspace: editors.workspace,
      holdFolders: editors.applyPorts.holdFolders,
      journal: editors.applyPorts.journal,
      tabs: {
        propose: (...proposal) => proposalTabs.propose(...proposal),
        show: (...which) => proposalTabs.show(...which),
        close: (id) => proposalTabs.close(id),
        reviewOf: (id) => proposalTabs.reviewOf(id),
        stateOf: (id) => proposalTabs.proposals.stateOf(id),
      },
      apply: editors.applyPatchForUser,
      onUndone: editors.undo.onUndone,
      onSettled: ({ copy: { threadId }, what, paths }) => {
        shownCopy.refresh();
        if (threadId === null) return;
        copyCounts.refresh(threadId);
        service.noteCopy(threadId, paths, what).catch(report);
      },
      report,
    }),
  );
  const threadsOfCopies = {
    whereIs: (threadId: string) => service.catalog.whereIs(threadId),
    threadsIn: (folders: readonly string[]) => service.catalog.threadsIn(folders),
    isComplete: () => service.catalog.isComplete(),
  };
  const copies = new SideCopyCommands({
    store: sideCopies,
    bringHome,
    shown: () => shownCopy.copy,
    threads,
    startIn: (folders) => factory.startIn(folders),
    hasModel,
    links: () => settings()['sideCopies.links'],
    titleOf: async (threadId) => (await service.catalog.find(threadId))?.title,
    threadsIn: threadsOfCopies.threadsIn,
    showThread,
    leaveCopy: (threadId) => threads.forget(threadId, () => service.live.close(threadId, 'suspend')),
    onRemoved: ({ threadId }) => {
      shownCopy.refresh();
      if (threadId !== null) copyCounts.refresh(threadId);
    },
    report,
  });
  store.add(copyCounts.onChange(() => view.updateAgents()));
  store.add(
    service.live.onEvent(({ event: { msg } }) => {
      if (msg.type !== 'agent_status' || msg.inSideCopy !== true || !isFinal(msg)) return;
      copyCounts.refresh(msg.agentId);
      if (msg.state !== 'shutdown') copies.offer(msg.agentId, msg.role).catch(report);
    }),
  );
  sideCopies.sweep(threadsOfCopies).catch(report);
  return { shownCopy, bringHome, copies };
}
