import { useLayoutEffect } from 'preact/hooks';
import { Icon } from '../components/Icon.tsx';
import { t } from '../l10n.ts';
import * as list from './suggestions.ts';

export const LIST_ID = 'suggestions';

/**
 * The list of suggestions above the composer. The composer keeps the focus, and the selected row is its active
 * descendant.
 */
export function SuggestionList({ onTake }: { onTake: (suggestion: list.Suggestion) => void }) {
  const rows = list.suggestions.value;
  const activeIndex = list.activeIndex.value;
  useLayoutEffect(() => {
    document.getElementById(rowId(activeIndex))?.scrollIntoView({ block: 'nearest' });
  }, [activeIndex, rows]);
  if (!list.isOpen.value) return null;
  const isEmpty = rows.length === 0;
  return (
    <div class="pop suggest" data-testid="suggestions" onMouseDown={(event) => event.preventDefault()}>
      <div
        class="suggest-list"
        role="listbox"
        tabIndex={0}
        id={LIST_ID}
        aria-label={list.showsCommands.value ? t('Commands') : t('Context')}
        aria-busy={list.isSearching.value}
        hidden={isEmpty}
      >
        {rows.map((suggestion, index) => (
          <Row key={suggestion.key} suggestion={suggestion} index={index} onTake={onTake} />
        ))}
      </div>
      <p class="suggest-none" role="status">
        {isEmpty && (list.isSearching.value ? t('Searching…') : t('Nothing found'))}
      </p>
    </div>
  );
}

function Row(props: { suggestion: list.Suggestion; index: number; onTake: (suggestion: list.Suggestion) => void }) {
  const { suggestion, index, onTake } = props;
  const { icon, label, detail, positions, refused, isCurrent } = suggestion;
  const isActive = index === list.activeIndex.value;
  return (
    <div
      class="suggest-row"
      id={rowId(index)}
      role="option"
      data-testid="suggestion-row"
      aria-selected={isActive}
      aria-checked={isCurrent}
      aria-disabled={refused === undefined ? undefined : true}
      title={refused ?? `${label}${detail === '' ? '' : `, ${detail}`}`}
      onClick={() => onTake(suggestion)}
    >
      <Icon name={refused === undefined ? icon : 'circle-slash'} />
      <span class="suggest-label">
        <Marked text={label} positions={positions} />
      </span>
      {(refused ?? detail) !== '' && <span class="suggest-detail">{refused ?? detail}</span>}
    </div>
  );
}

/** Marks the characters at `positions`; adjacent ones get one mark together. */
function Marked({ text, positions }: { text: string; positions: readonly number[] }) {
  const marks = new Set(positions);
  const parts: { text: string; readonly isMarked: boolean }[] = [];
  let at = 0;
  for (const character of text) {
    const isMarked = marks.has(at);
    at += character.length;
    const last = parts.at(-1);
    if (last?.isMarked === isMarked) last.text += character;
    else parts.push({ text: character, isMarked });
  }
  return <>{parts.map((part, index) => (part.isMarked ? <b key={index}>{part.text}</b> : part.text))}</>;
}

/** Returns the id of a row's element, for `aria-activedescendant`. */
export function rowId(index: number): string {
  return `suggestion-${index}`;
}
