import { useId, useLayoutEffect } from 'preact/hooks';
import { pick } from '../actions.ts';
import { Icon } from '../components/Icon.tsx';
import { closePopupOf, Popup } from '../components/Popup.tsx';
import { t } from '../l10n.ts';
import { composerFocus, settings } from '../store.ts';
import { effortChoices } from './choices.ts';
import * as menu from './modelMenu.ts';

const LIST_ID = 'model-list';

/** The menu of models: those of all providers that are set up, the effort of the model in use, and "Add Provider…". */
export function ModelMenu({ opener }: { opener: string }) {
  // A layout effect runs before the first paint, so that its clean-up also runs for a menu that is closed at once.
  useLayoutEffect(() => menu.open(), []);
  return (
    <Popup testid="model-menu" label={t('Model')} opener={opener} className="pop pop-choices pop-models">
      <Search />
      <List />
      <Effort />
      <button
        type="button"
        class="pop-item pop-foot"
        data-testid="model-add"
        onClick={({ currentTarget }) => {
          closePopupOf(currentTarget);
          pick('model');
        }}
      >
        <Icon name="add" />
        <span class="pop-label">{t('Add Provider…')}</span>
      </button>
    </Popup>
  );
}

function Search() {
  const active = menu.activeIndex.value;
  return (
    <input
      class="input"
      role="combobox"
      data-testid="model-search"
      aria-label={t('Search models')}
      aria-expanded="true"
      aria-controls={LIST_ID}
      aria-autocomplete="list"
      aria-activedescendant={menu.activeRow.value === null ? undefined : rowId(active)}
      autocomplete="off"
      spellcheck={false}
      placeholder={t('Search models')}
      value={menu.query.value}
      onInput={({ currentTarget }) => menu.search(currentTarget.value)}
      onKeyDown={onKeyDown}
    />
  );
}

function List() {
  const active = menu.activeIndex.value;
  const groups = menu.menuGroups.value;
  useLayoutEffect(() => {
    document.getElementById(rowId(active))?.scrollIntoView({ block: 'nearest' });
  }, [active, groups]);
  let index = 0;
  return (
    <>
      <div
        class="model-list"
        role="listbox"
        // Without this, a list that scrolls would be a stop of the Tab key.
        tabIndex={-1}
        id={LIST_ID}
        aria-label={t('Models')}
        aria-busy={menu.isAsking.value}
        hidden={groups.length === 0}
      >
        {groups.map(({ group, rows }) => (
          <Group key={group.provider} group={group}>
            {rows.map((row) => (
              <Row key={keyOf(row)} row={row} index={index} isActive={index++ === active} />
            ))}
          </Group>
        ))}
      </div>
      <p class="suggest-none" role="status">
        {groups.length === 0 &&
          (menu.query.value === '' ? t('No provider is set up yet.') : t('No model has this name.'))}
      </p>
    </>
  );
}

function Group({ group, children }: { group: menu.MenuGroup['group']; children: preact.ComponentChildren }) {
  const id = useId();
  const { title, listing } = group;
  return (
    <div role="group" aria-labelledby={id} class="model-group">
      <p class="pop-title" id={id}>
        {title}
        {listing.type === 'asking' && <span class="pop-sub">{t('Asking for its models…')}</span>}
        {listing.type === 'failed' && <span class="pop-sub">{listing.problem}</span>}
      </p>
      {children}
    </div>
  );
}

function Row({ row, index, isActive }: { row: menu.MenuRow; index: number; isActive: boolean }) {
  const isCurrent = row.type === 'model' && row.isCurrent;
  const detail = row.type === 'model' ? row.model.detail : '';
  return (
    <div
      class="suggest-row"
      id={rowId(index)}
      role="option"
      data-testid="model-row"
      aria-selected={isActive}
      aria-checked={isCurrent}
      title={[labelOf(row), detail].filter((part) => part !== '').join('\n')}
      onMouseDown={(event) => event.preventDefault()}
      onClick={({ currentTarget }) => take(row, currentTarget)}
    >
      <Icon name={row.type === 'set_up' ? 'gear' : isCurrent ? 'check' : 'blank'} />
      <span class="suggest-label">{labelOf(row)}</span>
      {detail !== '' && <span class="suggest-detail">{detail}</span>}
    </div>
  );
}

function labelOf(row: menu.MenuRow): string {
  switch (row.type) {
    case 'model':
      return row.model.label;
    case 'typed':
      return t('Use “{0}”', row.model);
    case 'set_up':
      return row.group.listing.type === 'failed' ? t('Set Up {0}…', row.group.title) : t('All Models…');
  }
}

/** The radio buttons for the effort: Tab focuses the one that is set, arrow keys change it. */
function Effort() {
  const choices = effortChoices();
  const id = useId();
  if (choices.length === 0) return null;
  return (
    <div class="efforts" role="radiogroup" aria-labelledby={id} data-testid="model-effort">
      <p class="pop-title" id={id}>
        {settings.value?.areEffortsGuessed === true
          ? t('Reasoning effort (guessed: the server may refuse it)')
          : t('Reasoning effort')}
      </p>
      {choices.map(({ label, isCurrent = false, run }) => (
        <label key={label} class="effort">
          <input type="radio" name="effort" data-testid="effort" checked={isCurrent} onChange={run} />
          <span>{label}</span>
        </label>
      ))}
    </div>
  );
}

function onKeyDown(event: KeyboardEvent & { currentTarget: Element }): void {
  if (event.isComposing) return;
  const active = menu.activeRow.value;
  if (event.key === 'ArrowDown') menu.step(1);
  else if (event.key === 'ArrowUp') menu.step(-1);
  else if (event.key === 'PageDown') menu.moveTo(menu.activeIndex.value + PAGE);
  else if (event.key === 'PageUp') menu.moveTo(menu.activeIndex.value - PAGE);
  else if (event.key === 'Enter' && active !== null) take(active, event.currentTarget);
  else return;
  event.preventDefault();
  event.stopPropagation();
}

const PAGE = 8;

/** Closes the menu and takes a row. `entry`: an element of the menu. */
function take(row: menu.MenuRow, entry: Element): void {
  closePopupOf(entry);
  menu.take(row);
  // Setting up a provider opens a picker of VS Code; when that closes, the opener gets the focus back.
  if (row.type !== 'set_up') composerFocus.value++;
}

function keyOf(row: menu.MenuRow): string {
  return row.type === 'model' ? `model ${row.model.id}` : row.type;
}

function rowId(index: number): string {
  return `model-${index}`;
}
