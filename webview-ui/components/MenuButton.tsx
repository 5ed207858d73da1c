import type { Ref } from 'preact';
import { Icon } from './Icon.tsx';

/** A button that shows only an icon and opens a menu. */
export function MenuButton(props: {
  /** The button's `data-testid`; each is listed in docs/testids.md. */
  testid: string;
  icon: string;
  label: string;
  className?: string;
  /** True while the menu is open. Undefined if the host shows the menu. */
  isOpen?: boolean;
  element?: Ref<HTMLButtonElement>;
  onClick: () => void;
}) {
  const { testid, icon, label, className = 'ibtn', isOpen, element, onClick } = props;
  return (
    <button
      ref={element}
      type="button"
      class={className}
      data-testid={testid}
      title={label}
      aria-label={label}
      aria-haspopup="menu"
      aria-expanded={isOpen}
      onClick={onClick}
    >
      <Icon name={icon} />
    </button>
  );
}
