/** Web searches that the server of the model runs: their rows, and their lines in the audit log. */
import type { TurnItemOf } from '../../protocol/item.ts';
import { traitsOf } from '../../protocol/itemTraits.ts';
import type { WebSearchCallItem } from '../../protocol/responseItem.ts';
import type { TurnRun } from './turnRun.ts';

/** Enough for a row; a server may name hundreds. */
const MOST_QUERIES = 20;

type Shown = Pick<TurnItemOf<'web_search'>, 'query' | 'action'>;

/** Unknown actions are shown as a search without words. */
export function searchShown({ action = { type: 'search' } }: WebSearchCallItem): Shown {
  const text = (name: string) => (typeof action[name] === 'string' ? { [name]: action[name] } : {});
  switch (action.type) {
    case 'open_page':
      return { action: { type: 'open_page', ...text('url') } };
    case 'find_in_page':
    case 'find':
      return { action: { type: 'find_in_page', ...text('url'), ...text('pattern') } };
    default: {
      const named = Array.isArray(action['queries']) ? action['queries'] : [action.query];
      const queries = named
        .filter((query): query is string => typeof query === 'string' && query !== '')
        .slice(0, MOST_QUERIES);
      const query = action.query || queries[0];
      return { ...(query ? { query } : {}), action: { type: 'search', queries } };
    }
  }
}

/** The server has run it already: the setting has allowed it. @throws StorageFailure, which ends the turn */
export function auditSearch(
  { audit, settings }: Pick<TurnRun, 'audit' | 'settings'>,
  item: TurnItemOf<'web_search'>,
): void {
  const act = traitsOf(item).act(item, settings.cwd);
  if (act === undefined) return;
  const call = { itemId: item.id, callId: item.id };
  const reason = {
    source: 'policy',
    id: 'web-search',
    text: 'The setting web.search lets the server of the model search the web.',
  } as const;
  audit.decided({ ...call, act, outcome: 'allowed', by: 'policy', reason, box: 'none', escalated: false });
  audit.ended({ ...call, status: item.status, exit: null, durationMs: 0 });
}
