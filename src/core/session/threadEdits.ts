import type { TurnSettings } from '../../protocol/event.ts';
import type { OpOf } from '../../protocol/op.ts';
import { removeOutput } from './removeOutput.ts';
import type { RevertOutcome } from './reverts.ts';
import type { SessionParts } from './sessionParts.ts';

type Parts = Pick<
  SessionParts,
  | 'options'
  | 'conversation'
  | 'findings'
  | 'reverts'
  | 'compaction'
  | 'recorder'
  | 'models'
  | 'tokens'
  | 'tools'
  | 'emit'
  | 'open'
  | 'keep'
>;

const COMPACTED_SINCE =
  'The thread was compacted since this message, or a compaction was undone: it cannot go back there.';

/**
 * The user's changes to a thread between two turns: undo, redo and rollback, a compaction undone, an output removed, a
 * finding of a review marked. No turn may run, except where stated. A change that is not possible emits a warning and
 * changes nothing.
 */
export class ThreadEdits {
  readonly #parts: Parts;
  readonly #settings: () => TurnSettings;

  /** `settings`: those of the next turn. */
  constructor(parts: Parts, settings: () => TurnSettings) {
    this.#parts = parts;
    this.#settings = settings;
  }

  async revert(submissionId: string, op: OpOf<'undo' | 'redo' | 'rollback'>): Promise<void> {
    if (op.type === 'rollback') return this.#rollback(submissionId, op);
    const { reverts } = this.#parts;
    this.#tellReverted(submissionId, await (op.type === 'redo' ? reverts.redo(op) : reverts.undo([op.turnId], op)));
  }

  /** Files first: where they cannot be restored the conversation stays, too. Closes agents that removed turns have started. */
  async #rollback(submissionId: string, op: OpOf<'rollback'>): Promise<void> {
    const { toItemId, files, conversation } = op;
    const gone = this.#parts.conversation.turnsFrom(toItemId);
    if (gone === undefined) return this.#warn(submissionId, `No turn begins with the message ${toItemId}.`);
    if (conversation && gone.history === null) return this.#warn(submissionId, COMPACTED_SINCE);
    const { turnIds, agentIds, history } = gone;
    if (files || op.preview) {
      const outcome = await this.#parts.reverts.undo(turnIds, op);
      this.#tellReverted(submissionId, outcome);
      if (op.preview || outcome.type === 'failed') return;
    }
    if (conversation && history !== null) this.#parts.conversation.goBack(turnIds, history);
    const msg = { type: 'turns_rolled_back' as const, toItemId, turnIds: [...turnIds], files, conversation };
    await this.#parts.keep(submissionId, msg);
    if (!conversation) return;
    // The model does not know them any more.
    for (const agentId of agentIds) await this.#parts.options.agents?.close(agentId);
    this.#countAgain(submissionId);
  }

  /** Possible also while a turn runs. */
  async markFinding(submissionId: string, op: OpOf<'mark_finding'>): Promise<void> {
    const { findings, keep } = this.#parts;
    if (findings.has(op)) return keep(submissionId, { ...op, type: 'finding_marked' });
    this.#warn(submissionId, `There is no finding ${op.findingId} of ${op.itemId}.`);
  }

  async undoCompaction(submissionId: string, itemId: string): Promise<void> {
    const { conversation, compaction, emit, open } = this.#parts;
    await open();
    const refusal = conversation.undoCompaction(itemId);
    if (refusal !== undefined) return this.#warn(submissionId, refusal);
    emit(submissionId, { type: 'compaction_undone', itemId });
    compaction.undone();
    this.#countAgain(submissionId);
  }

  /**
   * Removes the output of a command from the rollout, then from the model's history: a resumed thread must not restore
   * it. `isStored`: the thread has a rollout.
   */
  async purgeOutput(submissionId: string, itemId: string, isStored: boolean): Promise<void> {
    const { options, conversation, recorder, emit, open } = this.#parts;
    if (isStored) await open();
    const callIds = isStored ? await removeOutput(itemId, { recorder, storage: options.ports.storage }) : undefined;
    if (callIds === undefined) return this.#warn(submissionId, `There is no command ${itemId} in this thread.`);
    conversation.removeOutputs(callIds);
    emit(submissionId, { type: 'output_purged', itemId });
  }

  /** Estimates the next request, after the history was replaced by another. */
  #countAgain(submissionId: string): void {
    const { options, models, tools, tokens, compaction, conversation, emit } = this.#parts;
    const settings = this.#settings();
    const { family } = models.connect(settings);
    const prompt = {
      instructions: options.meta.instructions,
      tools: tools.registryFor(family, settings).specs,
      input: conversation.history.items,
    };
    const count = tokens.foresee(prompt, family.contextWindow);
    emit(submissionId, { type: 'token_count', ...count, ...compaction.compactsAtOf(family.contextWindow) });
  }

  #tellReverted(submissionId: string, { msgs }: RevertOutcome): void {
    for (const msg of msgs) this.#parts.emit(submissionId, msg);
  }

  #warn(submissionId: string, message: string): void {
    this.#parts.emit(submissionId, { type: 'warning', message });
  }
}
