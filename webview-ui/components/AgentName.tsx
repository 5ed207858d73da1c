/** The colours of roles that every theme defines. The name of a role with any other colour is shown as plain text. */
const COLORS: ReadonlySet<string> = new Set(['red', 'blue', 'green', 'yellow', 'orange', 'purple']);

export function AgentName({ role, color }: { role: string; color?: string | undefined }) {
  const known = color !== undefined && COLORS.has(color) ? color : undefined;
  return (
    <span class="agent-name" data-color={known}>
      {role}
    </span>
  );
}
