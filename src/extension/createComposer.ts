import * as vscode from 'vscode';
import * as z from 'zod';
import type { MessageTarget } from '../core/agent/shownThread.ts';
import { listResources, readResourceText } from '../core/mcp/resources.ts';
import { copyChangesText } from '../core/sideCopies/changesText.ts';
import { inputInCopy } from '../core/sideCopies/inputInCopy.ts';
import { copyAround, type SideCopy } from '../core/sideCopies/sideCopy.ts';
import type { NameGuard, ReadRefusals } from '../core/tools/files/readGuard.ts';
import type { DisposableStore } from '../core/util/disposable.ts';
import type { Op } from '../protocol/op.ts';
import { cwdOf } from '../protocol/thread.ts';
import type { ChatView } from '../vscode/chat/chatView.ts';
import { McpPrompts } from '../vscode/mcp/mcpPrompts.ts';
import { Mentions, type MentionsDeps } from '../vscode/mentions/mentions.ts';
import { ModelMenu } from '../vscode/models/modelMenu.ts';
import type { UsedModels } from '../vscode/models/usedModels.ts';
import type { Agent } from './createAgent.ts';
import type { Host } from './createHost.ts';

/** Server and URI of a resource, in `Mention.id`. */
const RESOURCE_ID = z.tuple([z.string(), z.string()]);

/** The parts behind the composer of the panel. */
export interface Composer {
  readonly mentions: Mentions;
  readonly mcpPrompts: McpPrompts;
  readonly modelMenu: ModelMenu;
}

export interface ComposerDeps {
  readonly view: ChatView;
  readonly used: UsedModels;
  readonly guard: () => Promise<NameGuard>;
  readonly refusals: ReadRefusals;
  /** Resolves to the reason why the file that an address names may not be read. */
  readonly refusalOfAddress: (address: string) => Promise<string | undefined>;
  /** As `redact` of the mentions. */
  readonly redact: MentionsDeps['redact'];
  /** As `changedInCopy` of the mentions. */
  readonly changedInCopy: () => number | null | undefined;
}

/** Builds the lists of the composer: mentions, prompts, skills, models. `store` disposes of them. */
export function createComposer(
  { settings, keys, report }: Host,
  agent: Agent,
  { view, used, guard, refusals, refusalOfAddress, redact, changedInCopy }: ComposerDeps,
  store: DisposableStore,
): Composer {
  const { threads, service } = agent;
  const { servers } = agent.mcp;
  const mentions = store.add(
    new Mentions({
      guard,
      refusals,
      redact,
      threads: async () => {
        const folders = (vscode.workspace.workspaceFolders ?? []).map((folder) => folder.uri.fsPath);
        const stored = await service.catalog.list(folders);
        return stored.flatMap(({ id, title, place }) =>
          title === null || place === 'elsewhere' || id === threads.state?.threadId ? [] : [{ id, title }],
        );
      },
      exportThread: (threadId) => service.catalog.export(threadId, 'markdown'),
      resources: async (signal) =>
        (await listResources(servers, signal)).map(({ server, uri, name, description }) => ({
          id: JSON.stringify([server, uri]),
          server,
          name,
          description,
        })),
      readResource: (id, signal) => {
        const [server, uri] = RESOURCE_ID.parse(JSON.parse(id));
        return readResourceText(servers, { server, uri }, refusalOfAddress, signal);
      },
      copyChanges: (threadId) => {
        const copy = copyOfThread(threadId, agent);
        return copy && ((refused, signal) => copyChangesText(copy, agent.sideCopies, refused, signal));
      },
      changedInCopy,
      reveal: () => view.reveal(),
      post: (message) => view.tell(message),
      postWhenReady: (message) => view.tellWhenReady(message),
      report,
    }),
  );
  const mcpPrompts = store.add(
    new McpPrompts({
      servers,
      post: (rows) => view.tell({ type: 'prompts', rows }),
      insertText: (text) => {
        view.insertText(text);
        view.focusComposer();
      },
      report,
    }),
  );
  const modelMenu = store.add(
    new ModelMenu({
      settings,
      inUse: () => ({ provider: agent.provider(), model: agent.current().model }),
      used,
      keys,
      http: agent.http,
      languageModels: agent.languageModels,
      post: (message) => view.tell(message),
      report,
    }),
  );
  return { mentions, mcpPrompts, modelMenu };
}

/** Maps workspace paths in a message to a thread in a side copy to paths of the copy. */
export function inCopyOfThread(op: Op, { threadId }: MessageTarget, agent: Agent): Op {
  if (op.type !== 'user_turn' && op.type !== 'steer') return op;
  const copy = copyOfThread(threadId, agent);
  return copy ? { ...op, input: inputInCopy(op.input, copy.folders) } : op;
}

/** The side copy that a thread works in; a thread that was suspended is opened by its next message. */
function copyOfThread(threadId: string | undefined, { threads, sideCopies }: Agent): SideCopy | undefined {
  const state = threads.live.find((live) => live.threadId === threadId);
  if (state) return copyAround(cwdOf(state), sideCopies.all)?.copy;
  return threadId === undefined ? undefined : sideCopies.of(threadId);
}
