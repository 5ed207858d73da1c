import type { ComponentChildren } from 'preact';
import { useLayoutEffect, useRef } from 'preact/hooks';
import { openPopup } from '../view.ts';
import { Icon } from './Icon.tsx';

/**
 * A popup: takes the focus when it opens, closes on Esc or when it loses the focus, and returns the focus to its
 * opener.
 */
export function Popup(props: {
  testid: string;
  label: string;
  /** The test id of the button that opens the popup. */
  opener: string;
  className: string;
  children: ComponentChildren;
}) {
  const { testid, label, opener, className, children } = props;
  const frame = useRef<HTMLDivElement>(null);
  const openerOf = () => document.querySelector<HTMLElement>(`[data-testid="${opener}"]`);
  useLayoutEffect(() => firstFocus(frame.current)?.focus(), []);
  return (
    <div
      ref={frame}
      class={className}
      role="dialog"
      aria-label={label}
      data-testid={testid}
      data-opener={opener}
      tabIndex={-1}
      onKeyDown={(event) => {
        if (event.key !== 'Escape' || event.isComposing) return;
        event.preventDefault();
        event.stopPropagation();
        openPopup.value = null;
        openerOf()?.focus();
      }}
      onFocusOut={({ relatedTarget }) => {
        const next = relatedTarget instanceof Node ? relatedTarget : null;
        if (!frame.current?.contains(next) && openerOf() !== next) openPopup.value = null;
      }}
    >
      {children}
    </div>
  );
}

/** Returns the element to focus: the search field, else the value that is set, else the first entry. */
function firstFocus(frame: HTMLElement | null): HTMLElement | null | undefined {
  const found = ['[role=combobox]', '[role=menuitemradio][aria-checked=true]', '[role^=menuitem]'].map((selector) =>
    frame?.querySelector<HTMLElement>(selector),
  );
  return found.find((element) => element) ?? frame;
}

/**
 * Closes the popup of an entry and returns the focus to the popup's opener. If the entry opens a picker of VS Code, the
 * opener gets the focus back from there.
 */
export function closePopupOf(entry: Element): void {
  const opener = entry.closest<HTMLElement>('[data-opener]')?.dataset['opener'];
  document.querySelector<HTMLElement>(`[data-testid="${opener}"]`)?.focus();
  openPopup.value = null;
}

/** An entry of a `role=menu`: closes the popup, then acts. */
export function MenuItem(props: {
  testid: string;
  label: ComponentChildren;
  icon?: string | undefined;
  /** Shown as a hint; the surrounding component handles the key. */
  shortcut?: string | undefined;
  act: () => void;
}) {
  const { testid, label, icon, shortcut, act } = props;
  return (
    <li role="none">
      <button
        type="button"
        class="pop-item"
        role="menuitem"
        data-testid={testid}
        aria-keyshortcuts={shortcut}
        onClick={({ currentTarget }) => {
          closePopupOf(currentTarget);
          act();
        }}
      >
        {icon && <Icon name={icon} />}
        <span class="pop-label">{label}</span>
        {shortcut && <kbd aria-hidden="true">{shortcut}</kbd>}
      </button>
    </li>
  );
}

/** Handles the arrow keys, Home and End in a `role=menu`. */
export function moveInMenu(event: KeyboardEvent & { currentTarget: HTMLUListElement }): void {
  const items = [...event.currentTarget.querySelectorAll('button')];
  const index = items.findIndex((item) => item === document.activeElement);
  const last = items.length - 1;
  const places: Readonly<Record<string, number>> = {
    ArrowDown: index === last ? 0 : index + 1,
    ArrowUp: index <= 0 ? last : index - 1,
    Home: 0,
    End: last,
  };
  const next = places[event.key];
  if (next === undefined) return;
  event.preventDefault();
  items[next]?.focus();
}
