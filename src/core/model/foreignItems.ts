import type { ResponseItem } from '../../protocol/responseItem.ts';

/** `undefined`: the provider that the thread began with. */
export type Origin = string | undefined;

/** True when another provider than the one that is asked now has sent the item. */
export function isForeign(item: ResponseItem, origin: Origin): boolean {
  return 'origin' in item || origin !== undefined ? isOutput(item) && originOf(item) !== origin : false;
}

/**
 * True when the item means nothing to another provider: its reasoning, which may be encrypted, and its own searches.
 * Messages and calls are sent; their ids and the provider's data on them are not.
 */
export function isLeftOut(item: ResponseItem, origin: Origin): boolean {
  return (item.type === 'reasoning' || item.type === 'web_search_call') && isForeign(item, origin);
}

function originOf(item: ResponseItem): Origin {
  return 'origin' in item ? item.origin : undefined;
}

/** Written by a model; all else is Tiller's or the user's. */
function isOutput(item: ResponseItem): boolean {
  switch (item.type) {
    case 'message':
      return item.role === 'assistant';
    case 'function_call_output':
    case 'custom_tool_call_output':
      return false;
    default:
      return true;
  }
}

/** The item of a response, with the provider that has sent it unless the thread began with it. */
export function withOrigin<Item extends ResponseItem>(item: Item, origin: Origin): Item {
  return origin === undefined || !isOutput(item) ? item : { ...item, origin };
}
