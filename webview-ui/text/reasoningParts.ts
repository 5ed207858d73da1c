export interface ReasoningPart {
  readonly heading: string | null;
  /** The text below the heading, as Markdown. */
  readonly body: string;
}

/**
 * Splits reasoning into its sections. Servers begin each section of a summary with a line in bold; raw reasoning has no
 * headings.
 */
export function reasoningParts(text: string): readonly ReasoningPart[] {
  const parts: { heading: string | null; body: string }[] = [];
  for (const line of text.split('\n')) {
    const [, heading] = /^\s*\*\*((?:(?!\*\*).)+)\*\*\s*$/.exec(line) ?? [];
    if (heading !== undefined) parts.push({ heading, body: '' });
    else if (parts.length > 0 || line.trim() !== '') {
      const last = parts.at(-1);
      if (last === undefined) parts.push({ heading: null, body: `${line}\n` });
      else last.body += `${line}\n`;
    }
  }
  return parts.map(({ heading, body }) => ({ heading, body: body.trim() }));
}
