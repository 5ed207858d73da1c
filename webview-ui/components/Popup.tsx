import type { ComponentChildren } from 'preact';
import { useLayoutEffect, useRef } from 'preact/hooks';
import { openPopup } from '../view.ts';

/** Takes the focus, closes on Esc or on losing it, and returns it to its opener. */
export function Popup(props: {
  testid: string;
  label: string;
  /** The test id of the button that opens it. */
  opener: string;
  className: string;
  children: ComponentChildren;
}) {
  const { testid, label, opener, className, children } = props;
  const frame = useRef<HTMLDivElement>(null);
  const openerOf = () => document.querySelector<HTMLElement>(`[data-testid="${opener}"]`);
  useLayoutEffect(() => (frame.current?.querySelector<HTMLElement>('[role=menuitem]') ?? frame.current)?.focus(), []);
  return (
    <div
      ref={frame}
      class={className}
      role="dialog"
      aria-label={label}
      data-testid={testid}
      tabIndex={-1}
      onKeyDown={(event) => {
        if (event.key !== 'Escape') return;
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

/** Arrow keys in a `role=menu`. */
export function moveInMenu(event: KeyboardEvent & { currentTarget: HTMLUListElement }): void {
  const step = event.key === 'ArrowDown' ? 1 : event.key === 'ArrowUp' ? -1 : 0;
  if (step === 0) return;
  event.preventDefault();
  const items = [...event.currentTarget.querySelectorAll('button')];
  const place = items.findIndex((item) => item === document.activeElement);
  items[(place + step + items.length) % items.length]?.focus();
}
