import { awaitsUser } from '../../protocol/approval.ts';
import type { Event, EventMsg, TurnSettings } from '../../protocol/event.ts';
import type { NotificationType } from '../../protocol/hooks.ts';
import { inOneLine } from '../../protocol/text/truncate.ts';
import type { Disposable } from '../util/disposable.ts';
import { auditTrail } from './auditTrail.ts';
import type { HookedSession } from './hookRunner.ts';
import { type HookMemory, TurnHooks } from './turnHooks.ts';

/** Characters of a command or a question in the message of a hook. */
const SUBJECT_LENGTH = 300;
/** Characters of the command of a hook in a warning. */
const COMMAND_LENGTH = 100;

export interface NotificationHooksDeps {
  readonly memory: HookMemory;
  /** The settings of the next turn. */
  readonly settings: () => TurnSettings;
  /** Emits outside of turns. */
  readonly emit: (msg: EventMsg) => void;
}

/**
 * Starts the Notification hooks when the thread waits for the user: for a request, and at the end of a turn that the user does
 * not see. No turn waits for them, so they have no rows: a failure or a message of one is a warning, once for each text.
 */
export class NotificationHooks implements Disposable {
  readonly #session: HookedSession;
  readonly #deps: NotificationHooksDeps;
  readonly #abort = new AbortController();
  /** The messages for approvals that a model reviews, by id: the user is called when it leaves them to the user. */
  readonly #inReview = new Map<string, string>();

  constructor(session: HookedSession, deps: NotificationHooksDeps) {
    this.#session = session;
    this.#deps = deps;
  }

  /** Call for each event of the session. */
  take({ msg, turnId }: Event): void {
    const notification = this.#notificationOf(msg);
    if (notification === undefined || this.#session.host.hooks === undefined) return;
    const [type, message] = notification;
    this.#run(type, message, turnId ?? '').catch((error: unknown) => {
      if (!this.#abort.signal.aborted) this.#session.ports.log.warn('A Notification hook was not run', error);
    });
  }

  /** Ends the programs that still run. */
  dispose(): void {
    this.#abort.abort(new Error('The thread was closed.'));
  }

  async #run(type: NotificationType, message: string, turnId: string): Promise<void> {
    const { ports, meta } = this.#session;
    const agentId = meta.originator === 'sub_agent' ? meta.id : null;
    const hooks = new TurnHooks(this.#session, this.#deps.memory, {
      turnId,
      settings: this.#deps.settings(),
      audit: auditTrail({ threadId: meta.id, agentId, turnId }, ports, () => {}),
      emit: (msg) => this.#tell(msg),
      signal: this.#abort.signal,
    });
    await hooks.load();
    await hooks.notified(type, message);
  }

  #tell(msg: EventMsg): void {
    if (this.#abort.signal.aborted) return;
    if (msg.type === 'warning') return this.#deps.emit(msg);
    if (msg.type !== 'item_completed' || msg.item.type !== 'hook_run' || msg.item.text === undefined) return;
    const message = `The Notification hook ${inOneLine(msg.item.command, COMMAND_LENGTH)}: ${msg.item.text}`;
    if (this.#deps.memory.isNew(message)) this.#deps.emit({ type: 'warning', message });
  }

  #notificationOf(msg: EventMsg): readonly [NotificationType, string] | undefined {
    const { host, meta } = this.#session;
    switch (msg.type) {
      case 'approval_requested': {
        if (!host.interactive) return undefined;
        const paths = msg.changes?.map(({ path }) => path).join(', ');
        const subject = msg.command ?? paths ?? msg.tool?.name ?? '';
        const message = `Tiller needs your approval: ${inOneLine(subject, SUBJECT_LENGTH)}`;
        if (awaitsUser(msg)) return ['permission_prompt', message];
        this.#inReview.set(msg.approvalId, message);
        return undefined;
      }
      case 'approval_reviewed': {
        const message = this.#inReview.get(msg.approvalId);
        return message === undefined ? undefined : ['permission_prompt', message];
      }
      case 'approval_resolved':
        this.#inReview.delete(msg.approvalId);
        return undefined;
      case 'question_requested': {
        if (!host.interactive) return undefined;
        const { request } = msg;
        const question = request.source === 'mcp' ? request.message : (request.questions[0]?.question ?? '');
        return ['elicitation_dialog', `Tiller asks you: ${inOneLine(question, SUBJECT_LENGTH)}`];
      }
      case 'turn_completed':
        return this.#isUnseen(meta.originator) ? ['idle_prompt', 'Tiller is waiting for your input.'] : undefined;
      case 'turn_aborted':
        return msg.reason === 'failed' && this.#isUnseen(meta.originator)
          ? ['idle_prompt', 'Tiller has stopped with an error, and is waiting for your input.']
          : undefined;
      default:
        return undefined;
    }
  }

  #isUnseen(originator: string): boolean {
    return originator !== 'sub_agent' && this.#session.host.isAttended?.() === false;
  }
}
