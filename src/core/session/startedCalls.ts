import { callIdOf, type ToolCallItem } from '../../protocol/responseItem.ts';
import { buildToolCall, fingerprintOf } from '../tools/router.ts';

/**
 * The calls of one request that have started, over all its attempts. After a cut stream a server, or a gateway that
 * replays a stored response, may send a call again. Same id and same arguments: it is the same call, and no call runs
 * twice (design §5).
 */
export class StartedCalls {
  readonly #byId = new Map<string, string>();

  /** False when this call has started before. A call without an id is always a new one. */
  begin(item: ToolCallItem): boolean {
    const id = callIdOf(item);
    if (!id) return true;
    const fingerprint = fingerprintOf(buildToolCall(item));
    if (this.#byId.get(id) === fingerprint) return false;
    this.#byId.set(id, fingerprint);
    return true;
  }
}
