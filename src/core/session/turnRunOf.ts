import type { EventMsg, TurnSettings } from '../../protocol/event.ts';
import type { OpOf } from '../../protocol/op.ts';
import type { ResponseItem } from '../../protocol/responseItem.ts';
import type { LiveProcess } from '../exec/liveProcess.ts';
import { type OpenProcess, openWorkMessage } from '../prompt/openWork.ts';
import { listMemories } from '../rollout/threadMemories.ts';
import { auditTrail } from './auditTrail.ts';
import { ContextUpdates } from './contextUpdates.ts';
import { StorageFailure } from './failure.ts';
import { rememberNotices } from './rememberNotices.ts';
import { askingAgent, settingsNow } from './sessionOptions.ts';
import { type SessionParts, stateBefore } from './sessionParts.ts';
import type { CompactedItems, TurnRun } from './turnRun.ts';
import { TurnReviewer } from './turnReviewer.ts';
import { TurnHooks } from './turnHooks.ts';
import { skillsForModel, TurnSkills } from './turnSkills.ts';

/** A turn that is about to start. */
export interface StartingTurn {
  readonly turnId: string;
  readonly submissionId: string | null;
  readonly settings: TurnSettings;
  readonly outputSchema: OpOf<'user_turn'>['outputSchema'];
  readonly abort: AbortController;
  /** Emits an event of the turn, in the name of `by` or else of `submissionId`. */
  readonly emit: (msg: EventMsg, by?: string | null) => void;
}

/** Starts to read what `takeContext` waits for. @throws Error of the workspace */
export function readAhead({ options, conversation }: SessionParts, { cwd }: TurnSettings): Promise<unknown> {
  const { ports } = options;
  const thread = settingsNow(options);
  const projectDocMaxBytes = docsLimit(options);
  const { unreadable } = thread.tools;
  return conversation.context.readDocs({ ...thread.prompt, ports, cwd, projectDocMaxBytes, unreadable });
}

/** Bytes of the project's instructions that the model reads. */
function docsLimit({ host, settings }: SessionParts['options']): number {
  return host.isTrusted() ? settings.limits.projectDocMaxBytes : 0;
}

/** Takes the context items that the model has not been sent yet; `context` then counts them as sent. */
export async function takeContext(
  { options, rules, tools }: SessionParts,
  context: ContextUpdates,
  settings: TurnSettings,
): Promise<readonly ResponseItem[]> {
  const { ports, host, meta } = options;
  const thread = settingsNow(options);
  const isTrusted = host.isTrusted();
  const allowed = isTrusted ? await rules.allowedIn(settings.cwd) : { commands: [], hosts: [] };
  return context.take(settings, {
    ports,
    ...thread.prompt,
    thread: { id: meta.id, home: ports.storage.home },
    isSubAgent: meta.parent_id !== undefined,
    projectDocMaxBytes: docsLimit(options),
    unreadable: thread.tools.unreadable,
    allowedPrefixes: allowed.commands,
    allowedHosts: [...thread.tools.allowedHosts, ...allowed.hosts],
    memories: async () => (isTrusted && thread.tools.memory ? listMemories(settings.cwd, meta.id, ports) : []),
    toolInstructions: tools.instructions(),
    skills: await skillsForModel(options),
  });
}

/** Collects the inputs of `runTurn` from the session. Connects the model of the turn without sending a request. */
export function turnRunOf(turn: StartingTurn, parts: SessionParts): TurnRun {
  const { turnId, submissionId, settings, outputSchema, abort, emit } = turn;
  const { signal } = abort;
  const { options, conversation, requests, tools, queue, hooks } = parts;
  const { ports, host, meta } = options;
  const thread = settingsNow(options);
  const connected = parts.models.connect(settings);
  const { client, family, prices, maxAttempts } = connected;
  const agent = askingAgent(meta);
  const reviewer = new TurnReviewer({
    threadId: meta.id,
    settings,
    approvals: () => host.approvals?.() ?? options.settings.approvals,
    words: () => parts.words.all,
    connect: (chosen) => parts.models.connect(chosen),
    tokens: parts.tokens,
    caps: parts.caps,
    clock: ports.clock,
    keys: ports.keys,
    emit,
  });
  const agentId = meta.originator === 'sub_agent' ? meta.id : null;
  const audit = auditTrail({ threadId: meta.id, agentId, turnId }, ports, (failure) => abort.abort(failure));
  return {
    turnId,
    threadId: meta.id,
    settings,
    family,
    prices,
    maxAttempts: maxAttempts ?? thread.limits.maxAttempts,
    notes: parts.notes.take(settings, thread.prompt.verbosity, {
      ...connected,
      notes: [...(connected.notes ?? []), ...conversation.context.notes],
    }),
    instructions: meta.instructions,
    outputSchema,
    thread,
    client,
    origin: connected.origin,
    toolsReady: (servers) => tools.ready(signal, servers),
    tools: () => tools.registryFor(family, settings),
    toolInstructions: () => conversation.context.takeToolInstructions(tools.instructions()),
    approver: { ask: (question, asked) => requests.approve(question, { emit, signal: asked, agent, reviewer }) },
    user: { ask: (question, asked) => requests.approve(question, { emit, signal: asked, agent }) },
    inquire: (body, asked, callId) => requests.inquire(body, { emit, signal: asked, agent }, callId),
    noteUse: (rules) => options.rules.noteUse(rules),
    audit,
    history: conversation.history,
    processes: parts.processes,
    changes: (onChanges) => parts.changes.forTurn({ turnId, settings, signal, onChanges }),
    tokens: parts.tokens,
    caps: parts.caps,
    compaction: {
      trigger: parts.compaction,
      prompt: thread.prompt.compaction,
      initialContext: () => takeContext(parts, new ContextUpdates([]), settings),
      openWork: () => openWorkMessage(parts.processes.open.map(openProcessOf), parts.agentNotices.open),
      replace: (compacted) => replaceHistory(parts, compacted, signal),
    },
    hooks: new TurnHooks(options, hooks, { turnId, settings, emit, audit, signal }),
    skills: new TurnSkills(options, parts.skills, { turnId, settings, before: stateBefore(options), emit }),
    images: parts.images,
    retryPause: parts.retryPause,
    ports,
    signal,
    emit,
    pace: () => host.pace?.(),
    ready: () => parts.open().catch((error: unknown) => abort.abort(new StorageFailure(error))),
    endReasoning: parts.endReasoning,
    remember: parts.remember,
    flush: () => parts.recorder.sync(),
    rememberNotices: () => rememberNotices(parts),
    goesOn: () => host.tooLate === undefined && queue.isReady,
    takeQueued: () => queue.takeOldest('joined', submissionId)?.input,
    interrupt: () => {
      options.interruptAgents?.();
      abort.abort(new Error('Interrupted.'));
    },
  };
}

function openProcessOf({ sessionId, facts, end }: LiveProcess): OpenProcess {
  return { sessionId, command: facts.command, isRunning: end === undefined };
}

function replaceHistory(
  { sink, conversation, hooks }: SessionParts,
  { itemId, summary, items }: CompactedItems,
  signal: AbortSignal,
): void {
  const payload = { message: summary, item_id: itemId, replacement_history: [...items] };
  sink.record({ type: 'compacted', payload });
  if (signal.aborted) return;
  conversation.compact(itemId, items);
  hooks.start ??= 'compact';
}
