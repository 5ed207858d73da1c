import { callIdOf, type ToolCallItem } from '../../protocol/responseItem.ts';
import { buildToolCall, fingerprintOf } from '../tools/router.ts';

/**
 * The calls of one request that have begun, over all its attempts. A server (or a gateway that plays back what it has
 * kept) may say a call again that was cut off behind it: the id and the words are the same, so it is the same call, and
 * no call runs twice (design §5).
 */
export class StartedCalls {
  readonly #byId = new Map<string, string>();

  /** False when this very call has begun before. One without an id is always another. */
  begin(item: ToolCallItem): boolean {
    const id = callIdOf(item);
    if (!id) return true;
    const fingerprint = fingerprintOf(buildToolCall(item));
    if (this.#byId.get(id) === fingerprint) return false;
    this.#byId.set(id, fingerprint);
    return true;
  }
}
