/** The names of our tools in other products, in the files that they and we read. */
import { isOwnTool, toolsWith } from './toolTraits.ts';

const READING = toolsWith(({ group }) => group === 'reading');
const SEARCHING = toolsWith(({ group }) => group === 'searching');
const EDITING = toolsWith(({ group }) => group === 'editing');
const RUNNING = toolsWith(({ group }) => group === 'running');

/**
 * By lower-case name: tools of Claude Code (code.claude.com/docs/en/sub-agents), the aliases of GitHub's custom agents
 * (docs.github.com, "Custom agents configuration"), and the names in VS Code's prompt files before its tool sets. Empty: Tiller
 * has no such tool for an agent.
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
  codebase: SEARCHING,
  usages: ['code_navigation'],
  editfiles: EDITING,
  runcommands: RUNNING,
  runinterminal: RUNNING,
  runtests: ['run_tests'],
  fetch: ['fetch_url'],
  todos: ['update_plan'],
  task: [],
  agent: [],
  'custom-agent': [],
  exitplanmode: [],
  slashcommand: [],
  skill: [],
};

/** Tool sets of VS Code (code.visualstudio.com/docs/agents/reference/tools-reference), with the names of `OTHERS`. */
const TOOL_SETS = ['read', 'search', 'edit', 'execute', 'web'];

export interface AgentTools {
  /** `null`: all. */
  readonly tools: readonly string[] | null;
  /** Taken away from these; `*` takes all. */
  readonly without: readonly string[];
  /** One sentence for each name that is unknown here. */
  readonly notes: readonly string[];
}

/**
 * The tools of an agent by the lists of its file. An unknown name adds no tool. `others`: names of the tools that
 * extensions offer now.
 */
export function toolsOfAgent(
  lists: { readonly tools?: readonly string[] | undefined; readonly without: readonly string[] },
  others: readonly string[],
): AgentTools {
  const named = (names: readonly string[]) => names.map((name) => ({ name, tools: toolsNamed(name, others) }));
  const all = lists.tools === undefined || lists.tools.includes('*');
  const allowed = all ? [] : named(lists.tools ?? []);
  const denied = named(lists.without);
  const unknown = (found: typeof allowed, effect: string) => {
    const names = found.flatMap(({ name, tools }) => (tools === undefined ? [name] : []));
    const more = names.length - MOST_NOTES;
    return [
      ...names.slice(0, MOST_NOTES).map((name) => `There is no tool ${shown(name)}: ${effect}.`),
      ...(more > 0 ? [`There are ${more} more names that are of no tool.`] : []),
    ];
  };
  return {
    tools: all ? null : toolsIn(allowed),
    without: lists.without.includes('*') ? ['*'] : toolsIn(denied),
    notes: [
      ...unknown(allowed, 'the agent does not get it'),
      ...unknown(
        denied.filter(({ name }) => name !== '*'),
        'nothing is taken from the agent for it',
      ),
    ],
  };
}

function toolsIn(found: readonly { readonly tools: readonly string[] | undefined }[]): readonly string[] {
  return [...new Set(found.flatMap(({ tools }) => tools ?? []))];
}

function shown(name: string): string {
  return JSON.stringify(name.slice(0, MAX_NAME));
}

/** A file may hold anything. Characters of a name in a note, and names with a note. */
const [MAX_NAME, MOST_NOTES] = [80, 10];

/**
 * Our names for a name of another product, of an MCP server (all its tools) or of one of `others`. Empty: a tool of
 * theirs that an agent does not have here. `undefined`: an unknown name.
 */
export function toolsNamed(name: string, others: readonly string[] = []): readonly string[] | undefined {
  if (isOwnTool(name) || others.includes(name)) return [name];
  if (/^mcp__[\w-]+$/.test(name)) return [name];
  // `server/tool` and `server/*` of GitHub; a tool set of VS Code has the same form (`execute/runInTerminal`).
  const [, server, tool] = /^([\w-]+)\/(\*|[\w-]+)$/.exec(name) ?? [];
  if (server !== undefined) {
    const ofSet = TOOL_SETS.includes(server) ? (OTHERS[server] ?? []) : [];
    return [...ofSet, tool === '*' ? `mcp__${server}` : `mcp__${server}__${tool}`];
  }
  const known = name.toLowerCase();
  return Object.hasOwn(OTHERS, known) ? OTHERS[known] : undefined;
}
