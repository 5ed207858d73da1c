/** A command in one line, for a place with little room. */
export function shortened(command: string, limit: number): string {
  const [line = ''] = command.trim().split('\n', 1);
  return line.length <= limit ? line : `${line.slice(0, limit - 1)}…`;
}
