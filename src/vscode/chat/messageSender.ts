import type { MessageTarget, ShownThread } from '../../core/agent/shownThread.ts';
import type { UserInput } from '../../protocol/item.ts';
import type { Op } from '../../protocol/op.ts';
import type { ChatView } from './chatView.ts';
import { chooseModel } from './chooseModel.ts';
import { submitWithModel } from './submitWithModel.ts';

export interface MessageSenderDeps {
  readonly view: Pick<ChatView, 'reveal' | 'hold' | 'giveBack'>;
  readonly threads: Pick<ShownThread, 'target'>;
  /** A model that the user has chosen is in the settings. */
  readonly modelSettled: () => Promise<void>;
  readonly hasModel: () => boolean;
  readonly submit: (op: Op, target: MessageTarget) => Promise<void>;
}

/** Sends the messages of the panel and of commands. One that cannot be sent goes back to the composer. */
export class MessageSender {
  readonly #deps: MessageSenderDeps;

  constructor(deps: MessageSenderDeps) {
    this.#deps = deps;
  }

  /**
   * The target is that of the click: another thread may be shown before the message is sent. Resolves with whether it was
   * sent, false when the user has chosen no model; rejects when it cannot be submitted.
   */
  async send(op: Op, target: MessageTarget): Promise<boolean> {
    const { view, modelSettled, hasModel, submit } = this.#deps;
    await modelSettled();
    return submitWithModel(op, {
      hasModel,
      selectModel: chooseModel,
      submit: (chosen) => submit(chosen, target),
      hold: (input) => view.hold(input, target.threadId ?? null),
      giveBack: (input) => view.giveBack(input, target.threadId ?? null),
    });
  }

  /** Shows the panel and sends a message that a command has made, by default to the thread that is shown now. */
  async sendInput(input: readonly UserInput[], target = this.#deps.threads.target): Promise<boolean> {
    await this.#deps.view.reveal();
    return this.send({ type: 'steer', input: [...input] }, target);
  }
}
