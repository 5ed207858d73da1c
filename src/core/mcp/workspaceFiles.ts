import { parse, type ParseError } from 'jsonc-parser';
import { entryProblem, type McpServerSettings, parseMcpServers } from '../../protocol/mcp.ts';

/** Files of a workspace that name MCP servers, relative to its folder, and the key of their servers. */
export const WORKSPACE_FILES = [
  { file: '.mcp.json', key: 'mcpServers' },
  { file: '.vscode/mcp.json', key: 'servers' },
] as const;

export interface WorkspaceServers {
  readonly servers: ReadonlyMap<string, McpServerSettings>;
  /** One sentence each. */
  readonly problems: readonly string[];
}

/**
 * The servers in the text of such a file. Other programs read it, too, so keys that Tiller does not know are left out.
 * Nothing of it may be started before the user has approved it.
 */
export function readWorkspaceFile(text: string, { file, key }: (typeof WORKSPACE_FILES)[number]): WorkspaceServers {
  const errors: ParseError[] = [];
  const content: unknown = parse(text, errors, { allowTrailingComma: true });
  const entries =
    typeof content === 'object' && content !== null ? (content as Record<string, unknown>)[key] : undefined;
  if (errors.length > 0) return { servers: new Map(), problems: [`${file} is not valid JSON.`] };
  if (entries === undefined) return { servers: new Map(), problems: [] };
  if (typeof entries !== 'object' || entries === null || Array.isArray(entries)) {
    return { servers: new Map(), problems: [`${file}: "${key}" must be an object.`] };
  }
  const { servers, problems } = parseMcpServers(entries as Record<string, unknown>, { ignoresUnknown: true });
  return { servers, problems: problems.map((one) => `${file}: ${entryProblem(key, one)}`) };
}
