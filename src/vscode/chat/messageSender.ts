import * as vscode from 'vscode';
import type { MessageTarget, ShownThread } from '../../core/agent/shownThread.ts';
import type { UserInput } from '../../protocol/item.ts';
import type { Op } from '../../protocol/op.ts';
import type { ChatView } from './chatView.ts';
import { chooseModel } from './chooseModel.ts';
import { submitWithModel } from './submitWithModel.ts';
import { hasFolder, offerFolder } from '../ui/neededPlace.ts';

export interface MessageSenderDeps {
  readonly view: Pick<ChatView, 'reveal' | 'focusBack' | 'hold' | 'giveBack'>;
  readonly threads: Pick<ShownThread, 'target'>;
  /** A model that the user has chosen is in the settings. */
  readonly modelSettled: () => Promise<void>;
  readonly hasModel: () => boolean;
  /** Reads the mentions of a message; `undefined` where there are none to read. */
  readonly fill: (input: readonly UserInput[], target: MessageTarget) => Promise<readonly UserInput[]> | undefined;
  /** `ShownThread.send`. */
  readonly deliver: (op: Op, target: MessageTarget) => Promise<boolean>;
}

/** Sends the messages of the panel and of commands. One that cannot be sent is returned to the composer. */
export class MessageSender {
  readonly #deps: MessageSenderDeps;
  /** Messages whose mentions are being read, in the order in which they were sent; `undefined` when there are none. */
  #reading: Promise<void> | undefined;

  constructor(deps: MessageSenderDeps) {
    this.#deps = deps;
  }

  /**
   * Sends a message to `target`, the thread that was shown when the user sent it. Resolves to true if it was sent, to
   * false if the user has chosen no model or has no folder open: the thread would work in the home folder. Rejects when it
   * cannot be submitted.
   */
  async send(op: Op, target: MessageTarget): Promise<boolean> {
    const { view, modelSettled, hasModel } = this.#deps;
    if (isMessage(op) && !hasFolder()) {
      view.giveBack(op.input, target.threadId ?? null);
      offerFolder();
      return false;
    }
    await modelSettled();
    return submitWithModel(op, {
      hasModel,
      selectModel: () => chooseModel(() => view.focusBack()),
      submit: (chosen) => this.submit(chosen, target),
      hold: (input) => view.hold(input, target.threadId ?? null),
      giveBack: (input) => view.giveBack(input, target.threadId ?? null),
    });
  }

  /**
   * Submits an op where a model is chosen. A message waits until its mentions are read, and those sent after it wait
   * for it; every other op is submitted at once. Rejects when a message cannot be submitted.
   */
  async submit(op: Op, target: MessageTarget): Promise<void> {
    const { view, fill, deliver } = this.#deps;
    if (!isMessage(op)) return void (await deliver(op, target));
    const filled =
      this.#reading === undefined ? fill(op.input, target) : this.#reading.then(() => fill(op.input, target));
    if (filled === undefined) return this.#deliver(op, target);
    const release = view.hold(op.input, target.threadId ?? null);
    const sending = filled.then((input = op.input) => this.#deliver(late({ ...op, input: [...input] }), target));
    const settled = sending.catch(() => {}).then(release);
    this.#reading = settled;
    void settled.then(() => {
      if (this.#reading === settled) this.#reading = undefined;
    });
    return sending;
  }

  async #deliver(op: MessageOp, target: MessageTarget): Promise<void> {
    if (await this.#deps.deliver(op, target)) return;
    throw new Error(
      vscode.l10n.t(
        'The message was not sent: its thread is deleted, or another window works in it. It is in the composer of that thread.',
      ),
    );
  }

  /**
   * Shows the panel and sends a message that a command has made, by default to the thread that is shown now. The focus
   * is not moved: there is no text to write.
   */
  async sendInput(input: readonly UserInput[], target = this.#deps.threads.target): Promise<boolean> {
    await this.#deps.view.reveal({ preserveFocus: true });
    return this.send({ type: 'steer', input: [...input] }, target);
  }
}

type MessageOp = Extract<Op, { type: 'user_turn' | 'steer' | 'edit_queued' }> & { readonly input: UserInput[] };

function isMessage(op: Op): op is MessageOp {
  return op.type === 'user_turn' || op.type === 'steer' || (op.type === 'edit_queued' && op.input !== null);
}

/** A turn may run by now: then the message is added to it. */
function late(op: MessageOp): MessageOp {
  const isPlain = op.type === 'user_turn' && op.overrides === undefined && op.outputSchema === undefined;
  return isPlain ? { type: 'steer', input: op.input } : op;
}
