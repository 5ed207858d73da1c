import { useLayoutEffect, useRef } from 'preact/hooks';
import { replaceDraft } from '../actions.ts';
import * as history from './historySearch.ts';
import { t } from '../l10n.ts';
import { composerFocus } from '../store.ts';
import type { FoundText } from '../text/searchTexts.ts';

/**
 * Searches earlier messages (Ctrl+R). The list is above the composer, with the newest message nearest to it, as in a
 * shell.
 */
export function HistorySearch() {
  return history.isSearching.value ? <Search /> : null;
}

function Search() {
  const field = useRef<HTMLInputElement>(null);
  const active = history.active.value;
  // Before the next key: typed letters would go into the draft, and Enter would send it.
  useLayoutEffect(() => field.current?.focus(), []);
  useLayoutEffect(() => {
    document.getElementById(rowId(history.activeIndex.value))?.scrollIntoView({ block: 'nearest' });
  }, [active]);
  return (
    <div class="pop hist" role="dialog" aria-label={t('Earlier messages')} data-testid="history">
      <div class="hist-list" role="listbox" id="history-list" aria-label={t('Earlier messages')}>
        {history.found.value.map((hit, index) => <Row key={hit.text} hit={hit} index={index} />).toReversed()}
      </div>
      <p class="hist-none" role="status">
        {active === null && t('No earlier message contains this text.')}
      </p>
      <input
        ref={field}
        class="input"
        role="combobox"
        data-testid="history-search"
        aria-label={t('Search earlier messages')}
        aria-expanded="true"
        aria-controls="history-list"
        aria-autocomplete="list"
        aria-activedescendant={active === null ? undefined : rowId(history.activeIndex.value)}
        autocomplete="off"
        placeholder={t('Search earlier messages (Ctrl+R for older)')}
        value={history.query.value}
        onInput={({ currentTarget }) => history.search(currentTarget.value)}
        onKeyDown={onKeyDown}
        onBlur={history.closeSearch}
      />
    </div>
  );
}

function Row({ hit, index }: { hit: FoundText; index: number }) {
  const isActive = index === history.activeIndex.value;
  return (
    <div
      class="hist-row"
      id={rowId(index)}
      role="option"
      data-testid="history-row"
      aria-selected={isActive}
      title={hit.text}
      onMouseDown={(event) => event.preventDefault()}
      onClick={() => take(hit)}
    >
      {hit.before}
      <b>{hit.match}</b>
      {hit.after}
    </div>
  );
}

/** Handles a key of the search. Handled keys are not forwarded to VS Code, where Ctrl+R opens a recent folder. */
function onKeyDown(event: KeyboardEvent): void {
  if (event.isComposing) return;
  const { active } = history;
  if (isSearchKey(event) || event.key === 'ArrowUp') history.stepBack(1);
  else if (event.key === 'ArrowDown') history.stepBack(-1);
  else if (event.key === 'Enter' && active.value !== null) take(active.value);
  else if (event.key === 'Escape') leave();
  else return;
  event.preventDefault();
  event.stopPropagation();
}

/** Returns true for Ctrl+R. It is the same key on every platform, as in a shell. */
export function isSearchKey({ key, ctrlKey, metaKey, altKey, shiftKey }: KeyboardEvent): boolean {
  return key.toLowerCase() === 'r' && ctrlKey && !metaKey && !altKey && !shiftKey;
}

function take({ text }: FoundText): void {
  history.closeSearch();
  replaceDraft(text);
}

function leave(): void {
  history.closeSearch();
  composerFocus.value++;
}

function rowId(index: number): string {
  return `history-${index}`;
}
