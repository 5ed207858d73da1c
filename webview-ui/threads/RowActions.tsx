import { useLayoutEffect, useRef } from 'preact/hooks';
import { t } from '../l10n.ts';
import { activeRow, renaming } from './store.ts';
import { MenuButton } from '../components/MenuButton.tsx';
import { rowId } from './ThreadLine.tsx';

/** The button at the end of the active row, which opens the context menu. It is not inside the listbox. */
export function RowActions() {
  const button = useRef<HTMLButtonElement>(null);
  const row = activeRow.value;
  useLayoutEffect(() => {
    const line = row && document.getElementById(rowId(row.id));
    if (button.current && line) button.current.style.insetBlockStart = `${line.offsetTop}px`;
  });
  if (row === null || renaming.value !== null) return null;
  const label = t('More actions for {0}', row.title ?? t('Untitled'));
  return (
    <MenuButton
      element={button}
      testid="thread-more"
      icon="ellipsis"
      label={label}
      className="ibtn th-more"
      onClick={() => button.current && openMenu(row.id, button.current)}
    />
  );
}

/**
 * Opens the context menu of the thread's row at the button. The host shows the menu of the element at this position.
 */
function openMenu(id: string, button: HTMLElement): void {
  const { left, bottom } = button.getBoundingClientRect();
  const options = { bubbles: true, cancelable: true, clientX: left, clientY: bottom };
  document.getElementById(rowId(id))?.dispatchEvent(new MouseEvent('contextmenu', options));
}
