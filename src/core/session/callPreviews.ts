import type { EventMsg } from '../../protocol/event.ts';
import type { TurnItem } from '../../protocol/item.ts';
import type { ResponseEvent } from '../model/client.ts';
import type { Ids } from '../ports.ts';
import type { ToolRegistry } from '../tools/registry.ts';

type CallDelta = Extract<ResponseEvent, { type: 'call_delta' }>;

interface PreviewDeps {
  readonly emit: (msg: EventMsg) => void;
  readonly ports: { readonly ids: Ids };
  readonly registry: ToolRegistry;
}

/** Shows the calls of one response while they stream: today a patch, line by line. */
export class CallPreviews {
  readonly #previews = new Map<string, { readonly item: TurnItem; readonly read: (piece: string) => string }>();
  readonly #run: PreviewDeps;

  constructor(run: PreviewDeps) {
    this.#run = run;
  }

  grow(delta: CallDelta): void {
    const preview = this.#previews.get(delta.key) ?? this.#start(delta);
    const text = preview?.read(delta.text);
    if (preview && text) this.#run.emit({ type: 'item_delta', itemId: preview.item.id, kind: 'patch', text });
  }

  /** Returns the item of a call, which the call itself ends from here on. */
  take(key: string): TurnItem | undefined {
    const item = this.#previews.get(key)?.item;
    this.#previews.delete(key);
    return item;
  }

  /** Ends the items of calls that were not completed. */
  abandon(): void {
    for (const { item } of this.#previews.values()) {
      this.#run.emit({ type: 'item_completed', item: { ...item, status: 'aborted' } });
    }
    this.#previews.clear();
  }

  #start(delta: CallDelta) {
    const preview = delta.name === undefined ? undefined : this.#run.registry.handler(delta.name)?.preview;
    if (!preview) return undefined;
    const item = preview.start(this.#run.ports.ids.next('item'), '');
    const started = { item, read: preview.reader(delta.kind) };
    this.#previews.set(delta.key, started);
    this.#run.emit({ type: 'item_started', item });
    return started;
  }
}
