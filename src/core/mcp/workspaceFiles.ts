import { parse, type ParseError } from 'jsonc-parser';
import { withoutByteOrderMark } from '../util/textBytes.ts';
import { entryProblem, type McpServerSettings, parseMcpServers } from '../../protocol/mcp.ts';

/** Files of a workspace that name MCP servers, relative to its folder, and the key of their servers. */
export const WORKSPACE_FILES = [
  { file: '.mcp.json', key: 'mcpServers' },
  { file: '.vscode/mcp.json', key: 'servers' },
] as const;

/** Bytes of such a file, and servers in it: more of them would fill the window with questions. */
export const MAX_FILE_BYTES = 1024 * 1024;
const MAX_SERVERS = 50;

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
  const content = contentOf(text);
  if (content === undefined) return { servers: new Map(), problems: [`${file} is not valid JSON.`] };
  const entries =
    typeof content === 'object' && content !== null ? (content as Record<string, unknown>)[key] : undefined;
  if (entries === undefined) return { servers: new Map(), problems: [] };
  if (typeof entries !== 'object' || entries === null || Array.isArray(entries)) {
    return { servers: new Map(), problems: [`${file}: "${key}" must be an object.`] };
  }
  const all = Object.entries(entries as Record<string, unknown>);
  const { servers, problems } = parseMcpServers(Object.fromEntries(all.slice(0, MAX_SERVERS)), {
    ignoresUnknown: true,
  });
  const tooMany = `${file} names ${all.length} servers; the first ${MAX_SERVERS} are proposed.`;
  return {
    servers,
    problems: [
      ...problems.map((problem) => `${file}: ${entryProblem(key, problem)}`),
      ...(all.length > MAX_SERVERS ? [tooMany] : []),
    ],
  };
}

/** `undefined` for a text that is not JSON with comments, or that is nested too deeply to be read. */
function contentOf(text: string): unknown {
  const errors: ParseError[] = [];
  try {
    const content: unknown = parse(withoutByteOrderMark(text), errors, { allowTrailingComma: true });
    return errors.length > 0 ? undefined : content;
  } catch {
    return undefined;
  }
}
