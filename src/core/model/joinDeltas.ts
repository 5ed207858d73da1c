import type { ResponseEvent } from './client.ts';

type Delta = Extract<
  ResponseEvent,
  { type: 'text_delta' | 'reasoning_summary_delta' | 'reasoning_raw_delta' | 'call_delta' }
>;

/** Characters of a joined delta: the panel draws it in one frame. */
const MAX_JOINED = 2000;

/**
 * Yields the events that arrived in one read of a connection, with consecutive deltas of one text joined: a server that
 * is faster than the reader costs one event for each read instead of one for each token, a slower one still one for
 * each token. When `read` throws, the deltas before come first.
 */
export function* joinDeltas<Wire>(
  wires: readonly Wire[],
  read: (wire: Wire) => readonly ResponseEvent[],
): Generator<ResponseEvent, void, undefined> {
  let open: Delta | undefined;
  /** The text of `open` and of the deltas joined with it. */
  let text = '';
  for (const wire of wires) {
    let events: readonly ResponseEvent[];
    try {
      events = read(wire);
    } catch (error) {
      if (open !== undefined) yield { ...open, text };
      throw error;
    }
    for (const event of events) {
      if (!isDelta(event)) {
        if (open !== undefined) yield { ...open, text };
        open = undefined;
        yield event;
      } else if (open !== undefined && text.length + event.text.length <= MAX_JOINED && isOfSameText(open, event)) {
        text += event.text;
      } else {
        if (open !== undefined) yield { ...open, text };
        open = event;
        text = event.text;
      }
    }
  }
  if (open !== undefined) yield { ...open, text };
}

function isDelta(event: ResponseEvent): event is Delta {
  switch (event.type) {
    case 'text_delta':
    case 'reasoning_summary_delta':
    case 'reasoning_raw_delta':
    case 'call_delta':
      return true;
    default:
      return false;
  }
}

/** The first deltas of a call may come before its name. */
function isOfSameText(left: Delta, right: Delta): boolean {
  if (left.type !== right.type || left.key !== right.key) return false;
  return left.type !== 'call_delta' || right.type !== 'call_delta' || left.name === right.name;
}
