import type { ComponentChildren } from 'preact';
import { Icon } from './Icon.tsx';

interface ControlProps {
  /** The control's `data-testid`; each is listed in docs/testids.md. */
  testid: string;
  onClick: () => void;
}

/** A push button. At most one button on the screen is `primary`, which is drawn filled. */
export function Button(
  props: ControlProps & {
    kind?: 'primary' | 'secondary' | 'quiet';
    /** Shown as a hint; the surrounding component handles the key. */
    shortcut?: string | undefined;
    icon?: string | undefined;
    disabled?: boolean | undefined;
    expanded?: boolean;
    /** The id of the description that is read out after the name. */
    describedBy?: string | undefined;
    children: ComponentChildren;
  },
) {
  const { kind = 'secondary', shortcut, icon, testid, disabled, expanded, describedBy, onClick, children } = props;
  return (
    <button
      type="button"
      class={`btn btn-${kind}`}
      data-testid={testid}
      aria-keyshortcuts={shortcut === 'Esc' ? 'Escape' : shortcut}
      aria-expanded={expanded}
      aria-describedby={describedBy}
      disabled={disabled}
      onClick={onClick}
    >
      {icon && <Icon name={icon} />}
      <span>{children}</span>
      {shortcut && <kbd aria-hidden="true">{shortcut}</kbd>}
    </button>
  );
}

/** A button for an action: text colour, no frame. */
export function Act({
  testid,
  onClick,
  label,
  children,
}: ControlProps & { label?: string; children: ComponentChildren }) {
  return (
    <button type="button" class="act" data-testid={testid} aria-label={label} onClick={onClick}>
      {children}
    </button>
  );
}

/** A button that opens something: link colour. */
export function Link({ testid, onClick, children }: ControlProps & { children: ComponentChildren }) {
  return (
    <button type="button" class="link" data-testid={testid} onClick={onClick}>
      {children}
    </button>
  );
}

/** A button without text. `label`: its name for screen readers and its tooltip. */
export function IconButton({ testid, onClick, icon, label }: ControlProps & { icon: string; label: string }) {
  return (
    <button type="button" class="ibtn" data-testid={testid} title={label} aria-label={label} onClick={onClick}>
      <Icon name={icon} />
    </button>
  );
}
