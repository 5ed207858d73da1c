import type { EventMsg } from '../../protocol/event.ts';
import type { UserInput } from '../../protocol/item.ts';
import type { ResponseItem } from '../../protocol/responseItem.ts';
import { History } from '../history/history.ts';
import { REMOVED_OUTPUT } from '../rollout/purge.ts';
import type { ReplayedThread } from '../rollout/replay.ts';
import { ContextUpdates } from './contextUpdates.ts';
import { askingCalls } from './recovery.ts';
import { ThreadTurns, type TurnsFrom } from './threadTurns.ts';
import { UnsentMessages } from './unsentMessages.ts';

/** The model's view of a thread: the history, its context messages, and the start of each turn. */
export class Conversation {
  readonly history: History;
  readonly context: ContextUpdates;
  readonly #turns: ThreadTurns;
  readonly #unsent: UnsentMessages;

  /**
   * `interactive`: calls with a pending request can be asked about again. `inherited`: where a new thread begins with the
   * history of another.
   */
  constructor(replayed: ReplayedThread | null, interactive: boolean, inherited: readonly ResponseItem[] = []) {
    const asking = interactive && replayed !== null ? askingCalls(replayed.state) : new Set<string>();
    this.history = new History(replayed?.history ?? inherited, asking, replayed?.compacted);
    this.context = new ContextUpdates(this.history.items);
    this.#turns = new ThreadTurns(replayed);
    this.#unsent = new UnsentMessages(replayed);
  }

  /**
   * The last item is a message of the model, and no message of the user is unsent. A request would end with that message,
   * which many servers refuse, and on the Chat wire the answer would be merged into it.
   */
  get isAnswered(): boolean {
    const { last } = this.history;
    return this.unsent.length === 0 && last?.type === 'message' && last.role === 'assistant';
  }

  /** See `UnsentMessages`. */
  get unsent(): readonly (readonly UserInput[])[] {
    return this.#unsent.inputs;
  }

  /** Call with each event of a turn. */
  note(turnId: string, msg: EventMsg): void {
    this.#unsent.note(turnId, msg);
    this.#turns.note(turnId, msg, this.history.items.length);
  }

  /** See `History.removeOpenReasoning`. */
  removeOpenReasoning(): number {
    const removed = this.history.removeOpenReasoning();
    if (removed > 0) this.#turns.shortened(this.history.items.length);
    return removed;
  }

  compact(itemId: string, items: readonly ResponseItem[]): void {
    this.history.compact(itemId, items);
    this.#turns.forgetStarts();
    this.context.reset(items);
  }

  /** Returns why it cannot be undone, and then changes nothing. */
  undoCompaction(itemId: string): string | undefined {
    const refusal = {
      unknown: `There is no compaction ${itemId} that can be undone.`,
      not_last: 'A later compaction includes this one: undo the later one first.',
      undone: undefined,
    }[this.history.undoCompaction(itemId)];
    if (refusal !== undefined) return refusal;
    this.#turns.forgetStarts();
    this.context.reset(this.history.items);
    return undefined;
  }

  /** The turn that this message began and all after it; `undefined` when it began none. */
  turnsFrom(messageId: string): TurnsFrom | undefined {
    return this.#turns.turnsFrom(messageId, this.history.items);
  }

  /** Removes these turns, whose history begins behind `history`. */
  goBack(turnIds: readonly string[], history: readonly ResponseItem[]): void {
    this.history.restart(history);
    this.context.reset(this.history.items);
    this.#turns.drop(turnIds);
    this.#unsent.drop(turnIds);
  }

  /** Replaces the outputs of these calls by a note that the user has removed them. */
  removeOutputs(callIds: ReadonlySet<string>): void {
    this.history.replaceOutputs(callIds, REMOVED_OUTPUT);
    this.#turns.replaceOutputs(callIds, REMOVED_OUTPUT);
  }
}
