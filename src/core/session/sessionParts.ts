import type { EventMsg, TurnSettings } from '../../protocol/event.ts';
import { isFromModel, type ResponseItem } from '../../protocol/responseItem.ts';
import { initialThreadState, type ThreadState, type TurnState } from '../../protocol/thread.ts';
import { Processes } from '../exec/processes.ts';
import { Recorder } from '../rollout/recorder.ts';
import { ThreadMemories } from '../rollout/threadMemories.ts';
import { refusalsOf } from '../tools/files/readGuard.ts';
import { rejectionMessage } from '../tools/registry.ts';
import { AgentNotices } from './agentNotices.ts';
import { CapCounters, TurnSpending } from './capCounters.ts';
import { CompactionTrigger } from './compactionTrigger.ts';
import { KnownFindings } from './codeReview.ts';
import { Conversation } from './conversation.ts';
import { EventSink } from './events.ts';
import type { StorageFailure } from './failure.ts';
import { InputQueue } from './inputQueue.ts';
import { ApprovalMemory } from './approvalMemory.ts';
import { PendingRequests } from './pendingRequests.ts';
import { standingCompactions } from './recovery.ts';
import { RetryPause } from './retryPause.ts';
import { Reverts } from './reverts.ts';
import { type SessionOptions, settingsNow } from './sessionOptions.ts';
import { SettingNotes } from './settingNotes.ts';
import { ThreadChanges } from './threadChanges.ts';
import { ThreadImages } from './threadImages.ts';
import { ThreadModels } from './threadModels.ts';
import { ThreadRules } from './threadRules.ts';
import { TokenMeter } from './tokenMeter.ts';
import { Toolset } from './toolset.ts';
import { HookMemory } from './turnHooks.ts';
import { SkillMemory } from './turnSkills.ts';
import { UserWords } from './userWords.ts';
import { commandsIn } from './workspaceCoordinator.ts';

/**
 * The parts of one session, each with a contract of its own, and functions that several modules share. The session
 * decides when they are used, and ends them.
 */
export interface SessionParts {
  readonly options: SessionOptions;
  readonly sink: EventSink;
  readonly recorder: Recorder;
  readonly queue: InputQueue;
  readonly conversation: Conversation;
  readonly tokens: TokenMeter;
  readonly caps: CapCounters;
  readonly retryPause: RetryPause;
  readonly compaction: CompactionTrigger;
  readonly hooks: HookMemory;
  readonly skills: SkillMemory;
  readonly images: ThreadImages;
  readonly notes: SettingNotes;
  readonly findings: KnownFindings;
  readonly agentNotices: AgentNotices;
  readonly models: ThreadModels;
  readonly rules: ThreadRules;
  /** A sub-agent uses the pending requests of its root thread. */
  readonly requests: PendingRequests;
  /** The texts of the user: of a sub-agent, those in its root thread. */
  readonly words: UserWords;
  readonly tools: Toolset;
  readonly processes: Processes;
  readonly changes: ThreadChanges;
  readonly reverts: Reverts;
  /** Emits outside of turns. */
  readonly emit: (submissionId: string | null, msg: EventMsg) => void;
  /** Claims the thread and opens its rollout. @throws Error when another process owns it or it cannot be written */
  readonly open: () => Promise<void>;
  /** Emits a change of the thread. It is written at once where the thread has a rollout, also when no turn follows. */
  readonly keep: (submissionId: string | null, msg: EventMsg) => Promise<void>;
  /** See `History.removeOpenReasoning`. */
  readonly endReasoning: () => void;
  /** Records the item, then appends it to the history. */
  readonly remember: (item: ResponseItem) => void;
}

/** The thread before this process. */
export function stateBefore({ meta, replayed }: Pick<SessionOptions, 'meta' | 'replayed'>): ThreadState {
  return replayed?.state ?? initialThreadState(meta.id);
}

/** Has no side effects. `settings`: those of the next turn. */
export function createSessionParts(
  options: SessionOptions,
  session: { readonly settings: () => TurnSettings; readonly storageFailed: (failure: StorageFailure) => void },
): SessionParts {
  const { ports, meta, replayed, host, parent, ledger } = options;
  const { limits } = options.settings;
  const threadId = meta.id;
  const before = stateBefore(options);
  const cwd = () => session.settings().cwd;

  const recorder = new Recorder(options.rolloutPath, ports);
  const sink = new EventSink({
    ...ports,
    threadId,
    sequence: options.sequence,
    recorder,
    onStorageFailure: (failure) => session.storageFailed(failure),
  });
  const emit = (submissionId: string | null, msg: EventMsg) => sink.emit(null, submissionId, msg);
  const conversation = new Conversation(replayed, host.interactive, options.inherited);
  const caps = new CapCounters(limits.caps, parent?.turnSpending ?? new TurnSpending(), options.daySpending);
  const rules: ThreadRules = new ThreadRules({
    threadId,
    store: options.rules,
    memory: () => requests.memory,
    isTrusted: () => host.isTrusted(),
    warn: (message) => emit(null, { type: 'warning', message }),
  });
  const shared: SharedParts = { cwd, rules, emit };
  const requests = parent?.requests ?? createRequests(options, shared);
  const tokens = new TokenMeter(replayed?.state.tokens ?? null, replayed?.countedItems, (spent) => caps.add(spent));
  sink.onEvent(({ msg }) => {
    if (msg.type === 'token_count') tokens.told(msg);
  });
  const words = parent?.words ?? new UserWords(before);
  if (parent === undefined) sink.onEvent((event) => words.take(event));
  const changes = new ThreadChanges({
    ...ports,
    ledger,
    store: ports.baseline,
    threadId,
    maxBytes: limits.undoMaxBytes,
    secretsAmong(files, folder) {
      const { unreadable } = settingsNow(options).tools;
      const thread = { id: threadId, home: ports.storage.home, unreadable };
      return refusalsOf(files, { settings: { cwd: folder }, thread, host: ports.host, workspace: ports.workspace });
    },
    emit: (msg) => emit(null, msg),
  });
  const open = async () => {
    await options.ownership.claim();
    await recorder.open();
  };

  const endReasoning = () => tokens.removed(conversation.removeOpenReasoning());

  return {
    options,
    sink,
    recorder,
    queue: new InputQueue(emit),
    conversation,
    tokens,
    caps,
    retryPause: new RetryPause(ports.clock),
    compaction: new CompactionTrigger(limits.compactionTokens, {
      afterTokens: standingCompactions(before).map((item) => item.afterTokens),
      undone: replayed?.compactionUndone ?? false,
    }),
    hooks: new HookMemory(replayed === null ? 'startup' : 'resume'),
    skills: new SkillMemory(),
    images: new ThreadImages(before),
    notes: new SettingNotes(before),
    findings: new KnownFindings(before),
    agentNotices: new AgentNotices(),
    models: new ThreadModels(meta.provider, host),
    rules,
    requests,
    words,
    tools: createToolset(options, shared),
    processes: new Processes({
      ...ports,
      threadId,
      emit: (msg) => emit(null, msg),
      known: before.processes.map(({ processId }) => processId),
    }),
    changes,
    reverts: new Reverts({
      ...ports,
      ledger,
      store: ports.baseline,
      records: changes.records,
      agentThreads: options.agentThreads,
      maxBytes: limits.undoMaxBytes,
      cwd,
      formerFolders: [...new Set(before.turns.map((turn) => turn.settings.cwd))],
      settled: () => changes.settled(),
    }),
    emit,
    open,
    keep: async (submissionId, msg) => {
      if (replayed !== null) await open();
      emit(submissionId, msg);
    },
    endReasoning,
    remember: (item) => {
      sink.record({ type: 'response_item', payload: item });
      if (!isFromModel(item)) endReasoning();
      conversation.history.append(item);
    },
  };
}

/** Values that several parts of a session use. */
interface SharedParts extends Pick<SessionParts, 'rules' | 'emit'> {
  readonly cwd: () => string;
}

/** The pending requests of a root thread, with the approval memory that its rollout has. */
function createRequests(options: SessionOptions, { cwd, rules, emit }: SharedParts): PendingRequests {
  const { ports, meta, replayed, host } = options;
  return new PendingRequests({
    ids: ports.ids,
    interactive: host.interactive,
    memory: new ApprovalMemory({ keys: replayed?.state.approvedKeys, rules: replayed?.state.approvedRules }),
    deniedByUser: replayed?.state.turns.flatMap(deniedCommands) ?? [],
    proposals: host.proposals,
    keepRule: (rule, scope) => options.rules.add(scope, rule, rules.place(cwd())),
    watchRules: () => options.rules.watch(),
    onRemembered: (keys) => options.rules.noteApprovals(meta.id, keys),
    elsewhere: () => commandsIn(cwd(), options.commandsOfOthers?.() ?? []),
    onAgentApproval: (memory) =>
      emit(null, { type: 'memory_changed', keys: [...memory.keys], rules: [...memory.rules] }),
  });
}

/** The commands of a turn that the user has denied. */
function deniedCommands({ items, denials }: TurnState): readonly { readonly command: string; readonly cwd: string }[] {
  const denied = new Set(denials.flatMap(({ itemId, by }) => (by === 'user' ? [itemId] : [])));
  return items.flatMap((item) => (item.type === 'command_execution' && denied.has(item.id) ? [item] : []));
}

function createToolset(
  { ports, settings, host, agentTools }: SessionOptions,
  { cwd, rules, emit }: SharedParts,
): Toolset {
  return new Toolset({
    settings: settings.tools,
    host,
    rules: (place) => rules.inForce(place),
    readMemory: (id) => new ThreadMemories(ports).read(id),
    testPlace: { workspace: ports.workspace, cwd },
    languages: ports.languages,
    agentTools,
    onRejected: (rejected) => emit(null, { type: 'warning', message: rejectionMessage(rejected) }),
  });
}
