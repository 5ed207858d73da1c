import type { TurnItemOf } from '../../src/protocol/item.ts';
import { visibleText } from '../../src/protocol/text/escapeInvisible.ts';
import { t } from '../l10n.ts';
import { CALL_STATES, Step } from '../components/Step.tsx';

import { isWebAddress, WebLink } from '../components/WebLink.tsx';

/** Shows the searches that the model's server made, and the pages that it opened or searched. */
export function WebSearch({ item }: { item: TurnItemOf<'web_search'> }) {
  const body = bodyOf(item);
  return (
    <Step
      testid="web-search"
      icon="globe"
      state={CALL_STATES[item.status]}
      label={visibleText(labelOf(item))}
      {...(body === undefined ? {} : { body: () => body })}
    />
  );
}

function labelOf({ status, query, action }: TurnItemOf<'web_search'>): string {
  if (status === 'in_progress') return t('Searching the web');
  switch (action?.type) {
    case 'open_page':
      return action.url === undefined ? t('Opened a page') : t('Opened {0}', hostOf(action.url));
    case 'find_in_page':
      return action.pattern === undefined ? t('Searched a page') : t('Searched a page for “{0}”', action.pattern);
    case 'search':
    case undefined:
      return query === undefined ? t('Searched the web') : t('Searched the web for “{0}”', query);
  }
}

/** Returns the whole address, or the list of searches if there are several. */
function bodyOf({ action }: TurnItemOf<'web_search'>) {
  switch (action?.type) {
    case 'open_page':
    case 'find_in_page':
      return action.url === undefined ? undefined : <WebLink url={action.url} />;
    case 'search':
      if (action.queries.length < 2) return undefined;
      return (
        <ul>
          {action.queries.map((query) => (
            <li key={query}>{visibleText(query)}</li>
          ))}
        </ul>
      );
    case undefined:
      return undefined;
  }
}

function hostOf(url: string): string {
  return isWebAddress(url) ? new URL(url).host : url;
}
