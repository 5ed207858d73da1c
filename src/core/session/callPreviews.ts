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
  /** Settles when the calls before are shown; `undefined` where there is none. */
  readonly earlierShown: () => Promise<unknown> | undefined;
}

interface Preview {
  readonly item: TurnItem;
  readonly read: (piece: string) => string;
  /** Text that is not shown yet; `null` once text is shown as it arrives. */
  held: string | null;
}

/**
 * Shows the calls of one response while they stream, each below the calls before it. Only patches are shown so far,
 * line by line.
 */
export class CallPreviews {
  readonly #previews = new Map<string, Preview>();
  readonly #run: PreviewDeps;

  constructor(run: PreviewDeps) {
    this.#run = run;
  }

  grow(delta: CallDelta): void {
    const preview = this.#previews.get(delta.key) ?? this.#start(delta);
    const text = preview?.read(delta.text);
    if (!preview || !text) return;
    if (preview.held === null) this.#show(preview, text);
    else preview.held += text;
  }

  /** Returns the item of a call that is shown, which the call itself ends from here on. */
  take(key: string): TurnItem | undefined {
    const preview = this.#previews.get(key);
    this.#previews.delete(key);
    return preview?.held === null ? preview.item : undefined;
  }

  /** Ends the items of calls that were not completed. */
  abandon(): void {
    for (const { item, held } of this.#previews.values()) {
      if (held !== null) continue;
      this.#run.emit({ type: 'item_completed', item: { ...item, status: 'aborted' } });
    }
    this.#previews.clear();
  }

  #start(delta: CallDelta) {
    const preview = delta.name === undefined ? undefined : this.#run.registry.handler(delta.name)?.preview;
    if (!preview) return undefined;
    const item = preview.start(this.#run.ports.ids.next('item'), '');
    const started: Preview = { item, read: preview.reader(delta.kind), held: '' };
    this.#previews.set(delta.key, started);
    const earlier = this.#run.earlierShown();
    if (earlier === undefined) this.#begin(started);
    else void earlier.then(() => this.#previews.get(delta.key) === started && this.#begin(started));
    return started;
  }

  #begin(preview: Preview): void {
    this.#run.emit({ type: 'item_started', item: preview.item });
    if (preview.held) this.#show(preview, preview.held);
    preview.held = null;
  }

  #show({ item }: Preview, text: string): void {
    this.#run.emit({ type: 'item_delta', itemId: item.id, kind: 'patch', text });
  }
}
