/**
 * Calls under the names and arguments of VS Code and of Copilot, whose hooks are in `.github/hooks`. Sources: hooks of
 * microsoft/vscode-docs and of github/docs, and the tools of microsoft/vscode-copilot-chat.
 */
import type { Hook } from './definition.ts';
import type { ToolFace } from './toolFace.ts';

type Arguments = Readonly<Record<string, unknown>>;

/** A tool of another product for the same purpose as one of Claude Code. */
interface Counterpart {
  readonly name: string;
  /** Its arguments, each with the one of Claude Code that has its value. */
  readonly keys: Readonly<Record<string, string>>;
  /** Arguments that are computed from those of Claude Code, in place of the ones above. */
  readonly further?: (claude: Arguments) => Arguments;
  /** The reverse of `further` for a change by a hook; `undefined` for one that cannot be made. */
  readonly reverse?: (changed: Arguments) => Arguments | undefined;
  /** Other tools for the same. */
  readonly others?: readonly Counterpart[];
}

type Counterparts = Readonly<Record<string, Counterpart>>;

const EDIT_KEYS = { filePath: 'file_path', oldString: 'old_string', newString: 'new_string' };

/** Lines that a read without a limit returns, so that it has a last line (tools/files/readFile.ts). */
const READ_LINES = 2_000;

/** VS Code edits a file by one of several tools, depending on the model. */
const VS_CODE: Counterparts = {
  Bash: { name: 'run_in_terminal', keys: { command: 'command', explanation: 'description' } },
  Write: { name: 'create_file', keys: { filePath: 'file_path', content: 'content' } },
  Edit: {
    name: 'replace_string_in_file',
    keys: EDIT_KEYS,
    others: [
      {
        name: 'multi_replace_string_in_file',
        keys: {},
        further: (edit) => ({ explanation: '', replacements: [argumentsBy(EDIT_KEYS, edit)] }),
      },
      {
        name: 'insert_edit_into_file',
        keys: { filePath: 'file_path', code: 'new_string' },
        further: () => ({ explanation: '' }),
      },
    ],
  },
  Read: {
    name: 'read_file',
    keys: { filePath: 'file_path', offset: 'offset', limit: 'limit' },
    further: ({ offset = 1, limit = READ_LINES }) => ({
      startLine: offset,
      endLine: Number(offset) + Number(limit) - 1,
    }),
    reverse: ({ startLine: first, endLine: last }) => ({ offset: first, limit: Number(last) - Number(first) + 1 }),
  },
  LS: { name: 'list_dir', keys: { path: 'path' } },
  Grep: {
    name: 'grep_search',
    keys: { query: 'pattern', includePattern: 'glob' },
    further: () => ({ isRegexp: true }),
  },
  WebFetch: {
    name: 'fetch_webpage',
    keys: { query: 'prompt' },
    further: ({ url }) => ({ urls: [url] }),
    reverse: ({ urls }) => (Array.isArray(urls) && urls.length === 1 ? { url: urls[0] } : undefined),
  },
  TodoWrite: { name: 'manage_todo_list', keys: {}, further: ({ todos }) => ({ todoList: todoListOf(todos) }) },
  Agent: { name: 'runSubagent', keys: { prompt: 'prompt', description: 'description', agentName: 'subagent_type' } },
  AskUserQuestion: { name: 'vscode_askQuestions', keys: { questions: 'questions' } },
};

/** The steps of a plan as VS Code numbers and names them. */
function todoListOf(todos: unknown): readonly Arguments[] {
  if (!Array.isArray(todos)) return [];
  return todos.map((todo: { readonly content?: unknown; readonly status?: unknown }, index) => ({
    id: index + 1,
    title: todo.content,
    status: todo.status === 'pending' ? 'not-started' : String(todo.status).replace('_', '-'),
  }));
}

const SHELL_KEYS = { command: 'command', description: 'description' };

const COPILOT: Counterparts = {
  Bash: { name: 'bash', keys: SHELL_KEYS, others: [{ name: 'powershell', keys: SHELL_KEYS }] },
  Write: { name: 'create', keys: { path: 'file_path', file_text: 'content' } },
  Edit: { name: 'edit', keys: { path: 'file_path', old_str: 'old_string', new_str: 'new_string' } },
  Read: { name: 'view', keys: { path: 'file_path' } },
  LS: { name: 'view', keys: { path: 'path' } },
  Grep: { name: 'grep', keys: { pattern: 'pattern', path: 'path', glob: 'glob' } },
  WebFetch: { name: 'web_fetch', keys: { url: 'url' } },
  Agent: { name: 'task', keys: { prompt: 'prompt', description: 'description', agent_type: 'subagent_type' } },
  AskUserQuestion: { name: 'ask_user', keys: { questions: 'questions' } },
};

/** True for a hook in the shape of Copilot: in `.github/hooks`, under an event with a small first letter. */
export function isOfCopilot({ style, isSmall }: Pick<Hook, 'style' | 'isSmall'>): boolean {
  return style === 'github' && isSmall === true;
}

/** `claude`: the same call under the names of Claude Code. A tool that the product does not have is left out. */
export function githubFaces(hook: Pick<Hook, 'style' | 'isSmall'>, claude: readonly ToolFace[]): readonly ToolFace[] {
  const counterparts = isOfCopilot(hook) ? COPILOT : VS_CODE;
  return claude.flatMap((face) => {
    const counterpart = Object.hasOwn(counterparts, face.name) ? counterparts[face.name] : undefined;
    return counterpart === undefined ? [] : [translated(face, counterpart)];
  });
}

function translated(face: ToolFace, counterpart: Counterpart): ToolFace {
  const { name, keys, further, reverse, others = [] } = counterpart;
  const input = { ...argumentsBy(keys, face.input), ...further?.(face.input) };
  return {
    ...face,
    ...{ name, input, others: others.map((other) => translated(face, other)) },
    updated(changed) {
      const isChanged = (key: string) => JSON.stringify(changed[key]) !== JSON.stringify(input[key]);
      const given = Object.entries(keys).flatMap(([theirs, key]) =>
        theirs in changed ? [[key, changed[theirs]]] : [],
      );
      const computed = Object.keys(further?.(face.input) ?? {}).some((key) => key in changed && isChanged(key))
        ? reverse?.({ ...input, ...changed })
        : {};
      return computed && face.updated({ ...face.input, ...Object.fromEntries(given), ...computed });
    },
  };
}

/** The arguments of the other product that have their value from one of Claude Code. */
function argumentsBy(keys: Counterpart['keys'], claude: Arguments): Arguments {
  return Object.fromEntries(
    Object.entries(keys).flatMap(([theirs, key]) => (key in claude ? [[theirs, claude[key]]] : [])),
  );
}

/** The fields of a call for a hook of Copilot, beside those of every hook. The arguments are a JSON text. */
export function copilotCall(face: ToolFace, result?: { readonly text: string; readonly success: boolean }) {
  const toolResult = result && {
    resultType: result.success ? 'success' : 'failure',
    textResultForLlm: result.text,
  };
  return { toolName: face.name, toolArgs: JSON.stringify(face.input), ...(toolResult && { toolResult }) };
}
