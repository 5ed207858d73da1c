/** One of VS Code's own pictures (codicons). Always beside a word or inside a named button, hence hidden. */
export function Icon({ name, className = '' }: { name: string; className?: string }) {
  return <span class={`codicon codicon-${name} ${className}`.trim()} aria-hidden="true" />;
}

export function Spinner() {
  return <Icon name="loading" className="codicon-modifier-spin" />;
}
