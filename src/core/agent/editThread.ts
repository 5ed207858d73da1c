/** An edit at the cursor: a thread of its own with few tools, for one message. */
import { awaitsUser } from '../../protocol/approval.ts';
import type { EventMsg } from '../../protocol/event.ts';
import type { FileChangeSummary, UserInput } from '../../protocol/item.ts';
import type { Ids } from '../ports.ts';
import { EDIT_INSTRUCTIONS } from '../prompt/editAtCursor.ts';
import type { Session } from '../session/session.ts';
import type { MessageOp, ThreadHost, ThreadSettings } from '../session/sessionOptions.ts';
import { onAbort } from '../util/abort.ts';

/** The current step of an edit. */
export type EditProgress =
  | { readonly type: 'thinking' }
  /** `lines`: of the patch so far. */
  | { readonly type: 'writing'; readonly lines: number }
  /** A patch waits for approval. */
  | { readonly type: 'asking'; readonly approvalId: string }
  /** Another request waits for the user: a file to read, a question, a cap. The thread in the panel shows it. */
  | { readonly type: 'waiting' }
  /** A patch was applied; the model has not ended yet. */
  | { readonly type: 'applied' };

export type EditOutcome =
  /** `paths`: of the files that the patches have changed, by their new names. */
  | { readonly type: 'changed'; readonly paths: readonly string[] }
  /** No patch was applied. `text`: the model's answer; may be empty. */
  | { readonly type: 'answered'; readonly text: string }
  /** `paths`: of the patches that were applied before. */
  | { readonly type: 'failed'; readonly message: string; readonly paths: readonly string[] }
  /** Interrupted. `paths`: of the patches that were applied before. */
  | { readonly type: 'stopped'; readonly paths: readonly string[] };

export interface EditThreadDeps {
  readonly ids: Pick<Ids, 'next'>;
  /** Returns another object once the settings that `start` uses have changed. */
  readonly settings: () => unknown;
  /** Makes a thread of this process under `editSettings` and `editHost`. */
  readonly start: (tooLate: (op: MessageOp) => void) => Promise<Session>;
  /** Starts it and lists it with the others (`LiveThreads.begin`). */
  readonly begin: (session: Session) => void;
  /** Ends the idle session without an entry in its rollout (`ShownThread.suspend`): the next one has all tools. */
  readonly suspend: (session: Session) => Promise<void>;
  /** Opens the suspended thread, with all tools, and submits a message that was too late for the edit. */
  readonly send: (threadId: string, op: MessageOp) => void;
}

export interface RunningEdit {
  readonly threadId: string;
  /** Settles when the session is closed. Never rejects. */
  readonly outcome: Promise<EditOutcome>;
}

/** The tools of an edit: it reads, and patches. */
const TOOLS = ['apply_patch', 'read_file', 'list_dir', 'grep_files'];
const MAX_ROUNDS = 12;

/**
 * Settings of a thread that makes one edit: its patches are applied in the editor, stay unsaved there, and are reviewed
 * afterwards, unless the policy demands an approval.
 */
export function editSettings(settings: ThreadSettings): ThreadSettings {
  const { limits, prompt, tools } = settings;
  const instructions = [prompt.userInstructions.trim(), EDIT_INSTRUCTIONS].filter((text) => text !== '');
  return {
    ...settings,
    limits: { ...limits, maxToolRounds: Math.min(limits.maxToolRounds, MAX_ROUNDS) },
    prompt: { ...prompt, userInstructions: instructions.join('\n\n') },
    tools: { ...tools, review: 'after', leavesUnsaved: true, memory: false, allowed: TOOLS },
  };
}

/**
 * The services for a thread that makes one edit: no tools of other sources, no agents and no skills. The review is that
 * of `editSettings`.
 */
export function editHost(
  { toolProviders: _tools, agentRoles: _roles, skills: _skills, review: _review, ...host }: ThreadHost,
  tooLate: (op: MessageOp) => void,
): ThreadHost {
  return { ...host, tooLate };
}

/** The thread of an edit while the user writes the message: nothing of it is stored or listed. Call one of both methods, once. */
export class PreparedEdit {
  readonly #deps: EditThreadDeps;
  readonly #settings: unknown;
  readonly #late: MessageOp[] = [];
  readonly #session: Promise<Session>;

  constructor(deps: EditThreadDeps) {
    this.#deps = deps;
    this.#settings = deps.settings();
    this.#session = deps.start((op) => this.#late.push(op));
    // `start` rejects with its error.
    this.#session.then((session) => session.prepare()).catch(() => {});
  }

  /**
   * Begins the thread with the message, under the present settings. `signal` interrupts it. @throws what
   * `EditThreadDeps.start` does, or the signal's reason
   */
  async start(
    input: readonly UserInput[],
    signal: AbortSignal,
    onProgress: (progress: EditProgress) => void,
  ): Promise<RunningEdit> {
    if (this.#deps.settings() !== this.#settings) {
      await this.discard();
      return new PreparedEdit(this.#deps).start(input, signal, onProgress);
    }
    return startEdit(await this.#session, this.#late, input, this.#deps, signal, onProgress);
  }

  /** Call when the user cancels. Never rejects. */
  async discard(): Promise<void> {
    await this.#session.then((session) => session.dispose()).catch(() => {});
  }
}

/** `late`: the messages that were sent too late for the edit. @throws the signal's reason */
async function startEdit(
  session: Session,
  late: readonly MessageOp[],
  input: readonly UserInput[],
  { ids, begin, suspend, send }: EditThreadDeps,
  signal: AbortSignal,
  onProgress: (progress: EditProgress) => void,
): Promise<RunningEdit> {
  const submit = (op: Parameters<Session['submit']>[0]['op']) => session.submit({ id: ids.next('submission'), op });
  const edit = new EditWatch(onProgress);
  const ended = new Promise<EditOutcome>((resolve) => {
    session.onEvent(({ msg }) => {
      const outcome = edit.take(msg);
      if (outcome !== undefined) resolve(outcome);
    });
    void session.closed.then(() => resolve(edit.interrupted));
  });
  if (signal.aborted) {
    await session.dispose();
    signal.throwIfAborted();
  }
  // Submitted before `begin`, which closes a thread that is not shown and has no work.
  submit({ type: 'user_turn', input: [...input] });
  begin(session);
  const forget = onAbort(signal, () => submit({ type: 'interrupt' }));
  const { threadId } = session;
  const settled = ended.then(async (outcome) => {
    forget();
    await session.idle();
    await suspend(session).catch(() => {});
    for (const op of late) send(threadId, op);
    return outcome;
  });
  return { threadId, outcome: settled };
}

/** Folds the events of the thread. */
class EditWatch {
  readonly #onProgress: (progress: EditProgress) => void;
  readonly #paths = new Set<string>();
  #lines = 0;
  #error = '';

  constructor(onProgress: (progress: EditProgress) => void) {
    this.#onProgress = onProgress;
  }

  get interrupted(): EditOutcome {
    return { type: 'stopped', paths: [...this.#paths] };
  }

  /** Returns the outcome with the event that ends the turn. */
  take(msg: EventMsg): EditOutcome | undefined {
    switch (msg.type) {
      case 'item_delta':
        if (msg.kind === 'patch') this.#write(msg.text);
        return undefined;
      case 'approval_requested':
        if (!awaitsUser(msg)) return undefined;
        this.#onProgress(msg.kind === 'patch' ? { type: 'asking', approvalId: msg.approvalId } : { type: 'waiting' });
        return undefined;
      case 'approval_reviewed':
      case 'question_requested':
        this.#onProgress({ type: 'waiting' });
        return undefined;
      case 'approval_resolved':
      case 'question_resolved':
        this.#onProgress({ type: 'thinking' });
        return undefined;
      case 'item_completed':
        if (msg.item.type === 'file_change') this.#patched(msg.item.status === 'completed' ? msg.item.changes : []);
        return undefined;
      case 'error':
        this.#error = msg.message;
        return undefined;
      case 'turn_completed':
        return this.#paths.size > 0
          ? { type: 'changed', paths: [...this.#paths] }
          : { type: 'answered', text: msg.lastMessage ?? '' };
      case 'turn_aborted':
        return msg.reason === 'failed'
          ? { type: 'failed', message: this.#error, paths: [...this.#paths] }
          : this.interrupted;
      default:
        return undefined;
    }
  }

  #write(text: string): void {
    const lines = text.split('\n').length - 1;
    if (lines === 0) return;
    this.#lines += lines;
    this.#onProgress({ type: 'writing', lines: this.#lines });
  }

  #patched(changes: readonly FileChangeSummary[]): void {
    for (const { path, movedTo } of changes) this.#paths.add(movedTo ?? path);
    this.#lines = 0;
    this.#onProgress(this.#paths.size > 0 ? { type: 'applied' } : { type: 'thinking' });
  }
}
