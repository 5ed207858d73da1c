/** An edit at the cursor: a thread of its own with few tools, for one message. */
import type { EventMsg } from '../../protocol/event.ts';
import type { UserInput } from '../../protocol/item.ts';
import type { Ids } from '../ports.ts';
import { EDIT_INSTRUCTIONS } from '../prompt/editAtCursor.ts';
import type { Session } from '../session/session.ts';
import type { ThreadHost, ThreadSettings } from '../session/sessionOptions.ts';
import { onAbort } from '../util/abort.ts';

/** What an edit does now. */
export type EditProgress =
  | { readonly type: 'thinking' }
  /** `lines`: of the patch so far. */
  | { readonly type: 'writing'; readonly lines: number }
  /** A patch waits for approval. */
  | { readonly type: 'asking'; readonly approvalId: string }
  /** A patch was applied; the model has not ended yet. */
  | { readonly type: 'applied' };

export type EditOutcome =
  | { readonly type: 'changed' }
  /** No patch was applied. `text`: what the model says; may be empty. */
  | { readonly type: 'answered'; readonly text: string }
  | { readonly type: 'failed'; readonly message: string }
  /** Interrupted. `hasChanged`: after a patch was applied. */
  | { readonly type: 'stopped'; readonly hasChanged: boolean };

export interface EditThreadDeps {
  readonly ids: Pick<Ids, 'next'>;
  /** Makes a thread of this process under `editSettings`. */
  readonly start: () => Promise<Session>;
  /** Starts it and lists it with the others (`LiveThreads.begin`). */
  readonly begin: (session: Session) => void;
  /** Ends the session without an entry in its rollout (`LiveThreads.close`): the next one has all tools. */
  readonly suspend: (threadId: string) => Promise<void>;
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

/** A thread for one edit has no tools of other sources, and waits for none; no agents and no skills are listed to it. */
export function editHost({
  toolProviders: _tools,
  agentRoles: _roles,
  skills: _skills,
  ...host
}: ThreadHost): ThreadHost {
  return host;
}

/** Starts the thread and submits the message. `signal` interrupts it. @throws what `start` does, or the signal's reason */
export async function startEdit(
  input: readonly UserInput[],
  { ids, start, begin, suspend }: EditThreadDeps,
  signal: AbortSignal,
  onProgress: (progress: EditProgress) => void,
): Promise<RunningEdit> {
  const session = await start();
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
  // First: a thread that is not shown and has no work is closed as soon as it begins.
  submit({ type: 'user_turn', input: [...input] });
  begin(session);
  const forget = onAbort(signal, () => submit({ type: 'interrupt' }));
  const { threadId } = session;
  const settled = ended.then(async (outcome) => {
    forget();
    await session.idle();
    await suspend(threadId).catch(() => {});
    return outcome;
  });
  return { threadId, outcome: settled };
}

/** Folds the events of the thread. */
class EditWatch {
  readonly #onProgress: (progress: EditProgress) => void;
  #hasChanged = false;
  #lines = 0;
  #error = '';

  constructor(onProgress: (progress: EditProgress) => void) {
    this.#onProgress = onProgress;
  }

  get interrupted(): EditOutcome {
    return { type: 'stopped', hasChanged: this.#hasChanged };
  }

  /** Returns the outcome with the event that ends the turn. */
  take(msg: EventMsg): EditOutcome | undefined {
    switch (msg.type) {
      case 'item_delta':
        if (msg.kind === 'patch') this.#write(msg.text);
        return undefined;
      case 'approval_requested':
        this.#onProgress({ type: 'asking', approvalId: msg.approvalId });
        return undefined;
      case 'approval_resolved':
        this.#onProgress({ type: 'thinking' });
        return undefined;
      case 'item_completed':
        if (msg.item.type === 'file_change') this.#patched(msg.item.status === 'completed');
        return undefined;
      case 'error':
        this.#error = msg.message;
        return undefined;
      case 'turn_completed':
        return this.#hasChanged ? { type: 'changed' } : { type: 'answered', text: msg.lastMessage ?? '' };
      case 'turn_aborted':
        return msg.reason === 'failed' ? { type: 'failed', message: this.#error } : this.interrupted;
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

  #patched(isApplied: boolean): void {
    this.#hasChanged ||= isApplied;
    this.#lines = 0;
    this.#onProgress(this.#hasChanged ? { type: 'applied' } : { type: 'thinking' });
  }
}
