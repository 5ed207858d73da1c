import type { EventMsg } from '../../protocol/event.ts';
import type { ToolContentItem } from '../../protocol/item.ts';

export interface DynamicToolResponse {
  readonly contentItems: readonly ToolContentItem[];
  readonly success: boolean;
}

/** Pending calls of tools that the client runs itself ("dynamic tools" of Codex). */
export class DynamicCalls {
  readonly #pending = new Map<string, (response: DynamicToolResponse) => void>();
  /** The answer to every further call once the client is gone. */
  #answer: DynamicToolResponse | undefined;

  /** Resolves with the client's answer. Rejects with the signal's reason when the turn ends first. */
  request(
    call: { readonly callId: string; readonly turnId: string; readonly tool: string; readonly arguments: unknown },
    emit: (msg: EventMsg) => void,
    signal: AbortSignal,
  ): Promise<DynamicToolResponse> {
    signal.throwIfAborted();
    const answer = this.#answer;
    if (answer) return Promise.resolve(answer);
    return new Promise((resolve, reject) => {
      const close = (success: boolean) => {
        this.#pending.delete(call.callId);
        signal.removeEventListener('abort', cancel);
        emit({ type: 'dynamic_tool_resolved', callId: call.callId, success });
      };
      const cancel = () => {
        close(false);
        reject(signal.reason);
      };
      signal.addEventListener('abort', cancel, { once: true });
      this.#pending.set(call.callId, (response) => {
        close(response.success);
        resolve(response);
      });
      emit({ type: 'dynamic_tool_requested', ...call });
    });
  }

  /** Returns false when no call with this id is pending. */
  respond(callId: string, response: DynamicToolResponse): boolean {
    const settle = this.#pending.get(callId);
    settle?.(response);
    return settle !== undefined;
  }

  /** Call when the client is gone: pending calls and all later ones fail with the message. */
  failAll(message: string): void {
    this.#answer = { contentItems: [{ type: 'input_text', text: message }], success: false };
    for (const settle of [...this.#pending.values()]) settle(this.#answer);
  }
}
