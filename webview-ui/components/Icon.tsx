/**
 * One of VS Code's icons (codicons). Always beside a text or inside a named button, hence hidden from screen readers.
 */
export function Icon({ name, className = '' }: { name: string; className?: string }) {
  return <span class={`codicon codicon-${name} ${className}`.trim()} aria-hidden="true" />;
}

/** Work in progress. */
export function Spinner() {
  return <Icon name="loading" className="codicon-modifier-spin" />;
}
