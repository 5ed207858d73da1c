import { useEffect, useLayoutEffect, useRef } from 'preact/hooks';
import { runCommand } from '../actions.ts';
import { t } from '../l10n.ts';
import * as list from './store.ts';
import { Button } from '../components/Buttons.tsx';
import { Icon } from '../components/Icon.tsx';
import { RenameField } from './RenameField.tsx';
import { RowActions } from './RowActions.tsx';
import { rowId, ThreadLine } from './ThreadLine.tsx';

/** Number of rows by which the page keys move. */
const PAGE = 10;

/**
 * The list of threads, which covers the transcript. The focus stays in the search field; keys act on the active row.
 */
export function ThreadSheet() {
  if (!list.isListOpen.value) return null;
  return (
    <section
      class="sheet"
      role="dialog"
      aria-label={t('Threads')}
      data-testid="threads"
      onKeyDown={(event) => {
        if (event.key !== 'Escape' || event.isComposing) return;
        event.preventDefault();
        list.closeList();
      }}
    >
      <SearchRow />
      <Actions />
      <Rows />
      <Deleted />
    </section>
  );
}

function SearchRow() {
  const field = useRef<HTMLInputElement>(null);
  const isRenaming = list.renaming.value !== null;
  useEffect(() => {
    if (!isRenaming) field.current?.focus();
  }, [isRenaming]);
  const all = list.scope.value === 'all';
  return (
    <div class="sheet-search">
      <Icon name="search" />
      <input
        ref={field}
        class="input"
        role="combobox"
        data-testid="threads-search"
        aria-label={t('Search threads')}
        aria-expanded="true"
        aria-controls="threads-list"
        aria-autocomplete="list"
        aria-activedescendant={list.activeRow.value === null ? undefined : rowId(list.activeRow.value.id)}
        autocomplete="off"
        placeholder={all ? t('Search all threads') : t('Search threads')}
        value={list.query.value}
        onInput={({ currentTarget }) => list.search(currentTarget.value)}
        onKeyDown={onSearchKey}
      />
    </div>
  );
}

function Actions() {
  return (
    <div class="sheet-actions">
      <button
        type="button"
        class="btn btn-quiet"
        data-testid="threads-scope"
        aria-pressed={list.scope.value === 'all'}
        onClick={list.toggleScope}
      >
        <Icon name="globe" />
        <span>{t('All Workspaces')}</span>
      </button>
      <Button testid="threads-import" kind="quiet" icon="cloud-download" onClick={() => runCommand('importThread')}>
        {t('Import Thread…')}
      </Button>
    </div>
  );
}

function onSearchKey(event: KeyboardEvent): void {
  const active = list.activeRow.value;
  const steps: Record<string, number> = { ArrowDown: 1, ArrowUp: -1, PageDown: PAGE, PageUp: -PAGE };
  const step = steps[event.key];
  if (isPinKey(event)) {
    event.preventDefault();
    if (active !== null) list.togglePin(active.id);
    return;
  }
  if (event.isComposing || event.ctrlKey || event.metaKey || event.altKey || event.shiftKey) return;
  if (step !== undefined) list.moveActive(step);
  else if (active === null) return;
  else if (event.key === 'Enter') list.openThread(active.id);
  else if (event.key === 'F2') list.rename(active.id);
  else if (event.key === 'Delete' && isAtEnd(event.target)) list.remove(active.id);
  else return;
  event.preventDefault();
}

/** Returns true for Ctrl+D, on a Mac Cmd+D: the key for a bookmark in browsers. */
function isPinKey({ key, ctrlKey, metaKey, altKey, shiftKey, isComposing }: KeyboardEvent): boolean {
  return key.toLowerCase() === 'd' && ctrlKey !== metaKey && !altKey && !shiftKey && !isComposing;
}

/** Returns true if the caret is at the end of the field, where Delete has no character to delete. */
function isAtEnd(field: EventTarget | null): boolean {
  if (!(field instanceof HTMLInputElement)) return false;
  return field.selectionStart === field.value.length && field.selectionEnd === field.value.length;
}

function Rows() {
  const frame = useRef<HTMLDivElement>(null);
  const active = list.activeRow.value;
  useLayoutEffect(() => {
    if (active) document.getElementById(rowId(active.id))?.scrollIntoView({ block: 'nearest' });
  }, [active?.id]);
  const onScroll = () => {
    const { scrollTop = 0, clientHeight = 0, scrollHeight = 0 } = frame.current ?? {};
    if (scrollHeight - scrollTop - clientHeight < clientHeight) list.showMoreRows();
  };
  return (
    <div class="th" ref={frame} onScroll={onScroll}>
      {list.ordered.value.length === 0 && <Nothing />}
      <div id="threads-list" role="listbox" aria-label={t('Threads')} data-testid="threads-list">
        <Groups />
      </div>
      <RowActions />
      <RenameField />
    </div>
  );
}

function Groups() {
  const now = new Date();
  const total = list.ordered.value.length;
  let before = 0;
  return (
    <>
      {list.groups.value.map(({ id, label, rows }) => {
        const first = before;
        before += rows.length;
        const shown = rows.slice(0, Math.max(0, list.shownRows.value - first));
        if (shown.length === 0) return null;
        return (
          <div key={id} role="group" aria-labelledby={`threads-${id}`}>
            <div class="th-h" id={`threads-${id}`}>
              {label}
            </div>
            {shown.map((row, index) => (
              <ThreadLine key={row.id} row={row} place={first + index + 1} total={total} now={now} />
            ))}
          </div>
        );
      })}
    </>
  );
}

/** Offers to restore the thread that was deleted last. */
function Deleted() {
  const { value } = list.deleted;
  return (
    <div role="status">
      {value && (
        <p class="th-deleted">
          <span class="th-deleted-text">{t('Deleted “{0}”', value.title ?? t('Untitled'))}</span>
          <Button testid="thread-undelete" onClick={list.restoreDeleted}>
            {t('Undo')}
          </Button>
        </p>
      )}
    </div>
  );
}

function Nothing() {
  if (list.isLoading.value) return null;
  const isSearch = list.query.value.trim() !== '';
  return (
    <p class="th-none" data-testid="threads-none">
      {isSearch ? t('No thread contains this text.') : t('No threads yet.')}
    </p>
  );
}
