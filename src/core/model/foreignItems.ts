import { isFromModel, type ResponseItem } from '../../protocol/responseItem.ts';

/** `undefined`: the provider that the thread began with. */
export type Origin = string | undefined;

/** True when the item came from another provider than the current one. */
export function isForeign(item: ResponseItem, origin: Origin): boolean {
  return isFromModel(item) && originOf(item) !== origin;
}

/**
 * True when the item is useless for another provider: its reasoning, which may be encrypted, and its own searches.
 * Messages and calls are sent; their ids and the provider's data on them are not.
 */
export function isLeftOut(item: ResponseItem, origin: Origin): boolean {
  return (item.type === 'reasoning' || item.type === 'web_search_call') && isForeign(item, origin);
}

function originOf(item: ResponseItem): Origin {
  return 'origin' in item ? item.origin : undefined;
}

/** The item of a response, with the provider that has sent it unless the thread began with it. */
export function withOrigin<Item extends ResponseItem>(item: Item, origin: Origin): Item {
  return origin === undefined || !isFromModel(item) ? item : { ...item, origin };
}
