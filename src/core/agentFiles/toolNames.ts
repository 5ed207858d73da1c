/** What other products call the tools that an agent file lists. */

const READING = ['read_file', 'view_image'];
const SEARCHING = ['grep_files', 'list_dir'];
const EDITING = ['apply_patch'];
const RUNNING = ['exec_command', 'write_stdin', 'shell'];

/** Tools of Tiller by their own names. */
const OWN = [
  ...RUNNING,
  ...EDITING,
  ...READING,
  ...SEARCHING,
  'code_navigation',
  'fetch_url',
  'web_search',
  'update_plan',
  'request_user_input',
  'get_memory',
] as const;

/**
 * By lower-case name: tools of Claude Code (code.claude.com/docs/en/sub-agents) and the aliases of GitHub's custom agents
 * (docs.github.com, "Custom agents configuration"). Empty: Tiller has no such tool for an agent.
 */
const OTHERS: Readonly<Record<string, readonly string[]>> = {
  read: READING,
  notebookread: READING,
  view: READING,
  glob: SEARCHING,
  grep: SEARCHING,
  ls: SEARCHING,
  lsp: ['code_navigation'],
  search: SEARCHING,
  edit: EDITING,
  multiedit: EDITING,
  write: EDITING,
  notebookedit: EDITING,
  bash: RUNNING,
  powershell: RUNNING,
  execute: RUNNING,
  bashoutput: ['write_stdin'],
  killshell: ['write_stdin'],
  killbash: ['write_stdin'],
  webfetch: ['fetch_url'],
  web: ['fetch_url', 'web_search'],
  todowrite: ['update_plan'],
  todo: ['update_plan'],
  askuserquestion: ['request_user_input'],
  websearch: ['web_search'],
  task: [],
  agent: [],
  'custom-agent': [],
  exitplanmode: [],
  slashcommand: [],
  skill: [],
};

export interface AllowedTools {
  /** `null`: all. */
  readonly tools: readonly string[] | null;
  /** One sentence for each name that is left out. */
  readonly notes: readonly string[];
}

/** The tools that a list of an agent file allows. A name that means nothing here allows nothing. */
export function allowedTools(names: readonly string[]): AllowedTools {
  if (names.includes('*')) return { tools: null, notes: [] };
  const found = names.map((name) => ({ name, tools: toolsNamed(name) }));
  return {
    tools: [...new Set(found.flatMap(({ tools }) => tools ?? []))],
    notes: found.flatMap(({ name, tools }) =>
      tools === undefined
        ? [`There is no tool ${JSON.stringify(name.slice(0, MAX_NAME))}: the agent does not get it.`]
        : [],
    ),
  };
}

/** In characters: a file may hold anything. */
const MAX_NAME = 80;

/** All of Tiller's own tools but these. Without the list of them, tools of MCP servers are left out, too. */
export function toolsWithout(names: readonly string[]): readonly string[] {
  const out = new Set(names.flatMap((name) => toolsNamed(name) ?? []));
  return OWN.filter((name) => !out.has(name));
}

function toolsNamed(name: string): readonly string[] | undefined {
  if ((OWN as readonly string[]).includes(name)) return [name];
  if (/^mcp__[\w-]+$/.test(name)) return [name];
  // `server/tool` and `server/*` of GitHub.
  const [, server, tool] = /^([\w-]+)\/(\*|[\w-]+)$/.exec(name) ?? [];
  if (server !== undefined) return [tool === '*' ? `mcp__${server}` : `mcp__${server}__${tool}`];
  const known = name.toLowerCase();
  return Object.hasOwn(OTHERS, known) ? OTHERS[known] : undefined;
}
