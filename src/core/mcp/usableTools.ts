import type { McpTool } from './connection.ts';

/** In characters of JSON: a tool whose schema is longer would fill every request. */
const MAX_SCHEMA = 64_000;
/** More tools of one server would fill every request. */
const MAX_TOOLS = 512;
/** Maximum names in a sentence, which has the number of all. */
const MOST_NAMES = 10;

/** The tools of one server that are offered: the first ones, and none with a schema that is too long. */
export function usableTools(tools: readonly McpTool[]): readonly McpTool[] {
  return tools.filter(hasUsableSchema).slice(0, MAX_TOOLS);
}

/** Returns false for a tool that is not offered, because its schema is too long. */
export function hasUsableSchema({ inputSchema }: McpTool): boolean {
  return (JSON.stringify(inputSchema) ?? '').length <= MAX_SCHEMA;
}

/** Which tools of a server are not offered and why, as a sentence for user and model; `undefined` when all are. */
export function leftOutSentence(tools: readonly McpTool[]): string | undefined {
  const usable = tools.filter(hasUsableSchema);
  const sentences = [
    notOffered(
      `the schema is longer than ${MAX_SCHEMA} characters`,
      tools.filter((tool) => !usable.includes(tool)),
    ),
    notOffered(`the server has more than ${MAX_TOOLS} tools`, usable.slice(MAX_TOOLS)),
  ].filter((sentence) => sentence !== undefined);
  return sentences.length === 0 ? undefined : sentences.join(' ');
}

function notOffered(why: string, tools: readonly McpTool[]): string | undefined {
  if (tools.length === 0) return undefined;
  const names = tools.slice(0, MOST_NAMES).map(({ name }) => name.slice(0, 64));
  const more = tools.length > MOST_NAMES ? `, and ${tools.length - MOST_NAMES} more` : '';
  return `Not offered, because ${why}: ${names.join(', ')}${more}.`;
}
