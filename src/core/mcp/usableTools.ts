import type { McpTool } from './connection.ts';

/** In characters of JSON: a tool whose schema is longer would fill every request. */
const MAX_SCHEMA = 64_000;
/** Maximum names in a sentence, which has the number of all. */
const MOST_NAMES = 10;

/** Returns false for a tool that is not offered, because its schema is too long. */
export function hasUsableSchema({ inputSchema }: McpTool): boolean {
  return (JSON.stringify(inputSchema) ?? '').length <= MAX_SCHEMA;
}

/** Which tools are not offered and why, as a sentence for user and model; `undefined` when all are. */
export function leftOutSentence(tools: readonly McpTool[]): string | undefined {
  const names = tools.filter((tool) => !hasUsableSchema(tool)).map(({ name }) => name.slice(0, 64));
  if (names.length === 0) return undefined;
  const more = names.length > MOST_NAMES ? `, and ${names.length - MOST_NAMES} more` : '';
  const listed = `${names.slice(0, MOST_NAMES).join(', ')}${more}`;
  return `Not offered, because the schema is longer than ${MAX_SCHEMA} characters: ${listed}.`;
}
