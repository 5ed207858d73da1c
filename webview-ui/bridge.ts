/**
 * The connection to the host. Messages are queued and folded once per animation frame, a slice at a time, so that a
 * burst makes no long task (docs/reference/libraries.md §1, "Coalescing").
 */
import type { Attachment, DraftEdit } from '../src/protocol/draft.ts';
import type { PanelEvent } from '../src/protocol/threadReducer.ts';
import type { HostMessage, WebviewMessage } from '../src/protocol/wire.ts';

/** State that outlives the webview while the host runs. */
export interface PanelState {
  readonly threadId: string | null;
  readonly draft: string;
  readonly attachments?: readonly Attachment[];
  readonly edit?: DraftEdit | null;
  /** The item at the top of the view; `null` while the transcript follows its end. */
  readonly place?: Place | null;
}

/** An element of a turn. Distances from the top of the transcript change with the turns drawn above. */
export interface Place {
  /** The id of the heading of the turn. */
  readonly turnId: string;
  /** The index among its siblings of each element on the way from the turn to the element. */
  readonly path: readonly number[];
  /** Pixels of the element above the view. */
  readonly offset: number;
}

const host = acquireVsCodeApi<PanelState>();

/** Sends a message to the extension host. Messages arrive in order. */
export function post(message: WebviewMessage): void {
  host.postMessage(message);
}

/** Returns the state that the page saved before VS Code created it anew. */
export function savedState(): PanelState | undefined {
  return host.getState();
}

/** Saves the state; VS Code keeps it as long as the view exists. Cheap: VS Code writes it later. */
export function saveState(state: PanelState): void {
  host.setState(state);
}

/**
 * Limits of one frame: milliseconds spent on folding, and number of events. The rest waits for the next frame.
 * Rendering costs even more than folding.
 */
const FRAME_BUDGET = 6;
const EVENTS_PER_FRAME = 800;
/**
 * Limit of characters of model output in one frame: drawing them takes about 8 µs each. The host joins at most as many
 * into one event.
 */
const PROSE_PER_FRAME = 3000;
/**
 * Milliseconds between two slices while the webview is hidden: then it has no animation frames, but still gets
 * messages.
 */
const HIDDEN_INTERVAL = 200;

/** Passes every message of this build to `receive`, in order. Sends `ready` first. */
export function connect(receive: (message: HostMessage) => void): void {
  const queue: HostMessage[] = [];
  let scheduled = false;
  let hasSeenOtherBuild = false;

  const schedule = () => {
    if (scheduled) return;
    scheduled = true;
    if (document.visibilityState === 'hidden') setTimeout(flush, HIDDEN_INTERVAL);
    else requestAnimationFrame(flush);
  };
  const flush = () => {
    scheduled = false;
    const deadline = performance.now() + FRAME_BUDGET;
    const room: Room = { events: EVENTS_PER_FRAME, prose: PROSE_PER_FRAME };
    try {
      while (queue.length > 0 && room.events > 0 && room.prose > 0 && performance.now() < deadline) {
        const [next, later] = splitMessage(queue.shift(), room);
        if (later !== undefined) queue.unshift(later);
        if (next !== undefined) receive(next);
      }
    } finally {
      // If a message cannot be handled, the following ones still are.
      if (queue.length > 0) schedule();
    }
  };

  window.addEventListener('message', ({ data }: MessageEvent<HostMessage>) => {
    if (data.build !== TILLER_BUILD) {
      // The message comes from a host of another build: on `ready` the host reloads the page. Sent only once, otherwise
      // two builds would reload each other for ever.
      if (!hasSeenOtherBuild) post({ type: 'ready', build: TILLER_BUILD });
      hasSeenOtherBuild = true;
      return;
    }
    queue.push(data);
    schedule();
  });
  post({ type: 'ready', build: TILLER_BUILD });
}

/** The capacity that the present frame still has: a number of events, and of characters of model output. */
interface Room {
  events: number;
  prose: number;
}

/**
 * Splits a message into a part for this frame and the rest. The first part has at least one event; its size is
 * subtracted from `room`.
 */
function splitMessage(message: HostMessage | undefined, room: Room): readonly [now?: HostMessage, later?: HostMessage] {
  if (message?.type !== 'events') return [message];
  let count = 0;
  for (const event of message.events) {
    if (count > 0 && (room.events === 0 || room.prose < proseIn(event))) break;
    room.events -= 1;
    room.prose -= proseIn(event);
    count += 1;
  }
  if (count === message.events.length) return [message];
  return [
    { ...message, events: message.events.slice(0, count) },
    { ...message, events: message.events.slice(count) },
  ];
}

function proseIn({ msg }: PanelEvent): number {
  return msg.type === 'item_delta' && msg.kind !== 'output' ? msg.text.length : 0;
}
