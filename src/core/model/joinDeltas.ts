import type { ResponseEvent } from './client.ts';

type Delta = Extract<
  ResponseEvent,
  { type: 'text_delta' | 'reasoning_summary_delta' | 'reasoning_raw_delta' | 'call_delta' }
>;

/** Characters of a joined delta: the panel draws it in one frame. */
const MAX_JOINED = 2000;

/**
 * The events of what arrived in one read of a connection, with consecutive deltas of one text joined: a server that is
 * faster than the reader costs one event for each read instead of one for each token, a slower one still one for each
 * token. When `read` throws, the deltas before come first.
 */
export function* joinDeltas<Wire>(
  wires: readonly Wire[],
  read: (wire: Wire) => readonly ResponseEvent[],
): Generator<ResponseEvent, void, undefined> {
  let open: Delta | undefined;
  for (const wire of wires) {
    let events: readonly ResponseEvent[];
    try {
      events = read(wire);
    } catch (error) {
      if (open !== undefined) yield open;
      throw error;
    }
    for (const event of events) {
      if (open !== undefined && isDelta(event) && canJoin(open, event)) {
        open = { ...open, text: open.text + event.text };
        continue;
      }
      if (open !== undefined) yield open;
      open = isDelta(event) ? event : undefined;
      if (open === undefined) yield event;
    }
  }
  if (open !== undefined) yield open;
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
function canJoin(left: Delta, right: Delta): boolean {
  if (left.text.length + right.text.length > MAX_JOINED) return false;
  if (left.type !== right.type || left.key !== right.key) return false;
  return left.type !== 'call_delta' || right.type !== 'call_delta' || left.name === right.name;
}
