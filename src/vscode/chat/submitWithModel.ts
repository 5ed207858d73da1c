import type { UserInput } from '../../protocol/item.ts';
import type { Op } from '../../protocol/op.ts';

export interface SubmitDeps {
  readonly hasModel: () => boolean;
  /** Lets the user choose a model; resolves also when none was chosen. */
  readonly selectModel: () => Promise<void>;
  readonly submit: (op: Op) => Promise<void>;
  /** Keeps a message over a reload of the window until the returned function is called. */
  readonly hold: (input: readonly UserInput[]) => () => void;
  /** Returns a message that is not sent to the composer. */
  readonly giveBack: (input: readonly UserInput[]) => void;
}

/**
 * Submits an op of the page. Before the first message a model is chosen; then the message is sent. When the user chooses
 * none, it goes back to the composer.
 */
export async function submitWithModel(
  op: Op,
  { hasModel, selectModel, submit, hold, giveBack }: SubmitDeps,
): Promise<void> {
  if ((op.type === 'user_turn' || op.type === 'steer') && !hasModel()) {
    const release = hold(op.input);
    try {
      await selectModel();
    } finally {
      if (!hasModel()) giveBack(op.input);
      release();
    }
    if (!hasModel()) return;
  }
  await submit(op);
}
