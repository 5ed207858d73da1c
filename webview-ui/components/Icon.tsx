/**
 * One of VS Code's icons (codicons). It always stands beside a text or inside a named button, so it is hidden from
 * screen readers.
 */
export function Icon({ name, className = '' }: { name: string; className?: string }) {
  return <span class={`codicon codicon-${name} ${className}`.trim()} aria-hidden="true" />;
}

/** The icon for work in progress. */
export function Spinner() {
  return <Icon name="loading" className="codicon-modifier-spin" />;
}
