import type { UserInput } from '../../protocol/item.ts';
import type { Op } from '../../protocol/op.ts';

export interface SubmitDeps {
  readonly hasModel: () => boolean;
  /** Lets the user choose a model; resolves also when none was chosen. */
  readonly selectModel: () => Promise<void>;
  /** Rejects when a message is not submitted. */
  readonly submit: (op: Op) => Promise<void>;
  /** Keeps a message over a reload of the window until the returned function is called. */
  readonly hold: (input: readonly UserInput[]) => () => void;
  /** Returns a message that is not sent to the composer. */
  readonly giveBack: (input: readonly UserInput[]) => void;
}

/**
 * Submits an op of the page. Before the first message a model is chosen; then the message is sent. When the user
 * chooses none, and when it cannot be submitted, it is returned to the composer. Resolves to true if it was submitted.
 */
export async function submitWithModel(
  op: Op,
  { hasModel, selectModel, submit, hold, giveBack }: SubmitDeps,
): Promise<boolean> {
  const isNew = op.type === 'user_turn' || op.type === 'steer';
  const input = isNew || op.type === 'edit_queued' ? op.input : null;
  const mustChoose = isNew && !hasModel();
  const release = mustChoose ? hold(op.input) : undefined;
  let isSent = false;
  try {
    if (mustChoose) await selectModel();
    if (mustChoose && !hasModel()) return false;
    await submit(op);
    isSent = true;
    return true;
  } finally {
    if (!isSent && input !== null) giveBack(input);
    release?.();
  }
}
