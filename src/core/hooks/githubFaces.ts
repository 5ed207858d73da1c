/**
 * Calls under the names and arguments of VS Code and of Copilot, whose hooks are in `.github/hooks`. Sources: hooks of
 * microsoft/vscode-docs and of github/docs, and the tools of microsoft/vscode-copilot-chat.
 */
import type { Hook } from './definition.ts';
import type { ToolFace } from './toolFace.ts';

/** A tool of another product for the same purpose as one of Claude Code. */
interface Counterpart {
  readonly name: string;
  /** Other tools for the same, with the same arguments. */
  readonly otherNames?: readonly string[];
  /** Their arguments, each with the one of Claude Code that has its value. */
  readonly keys: Readonly<Record<string, string>>;
}

type Counterparts = Readonly<Record<string, Counterpart>>;

/** VS Code edits a file by one of several tools, depending on the model. */
const VS_CODE: Counterparts = {
  Bash: { name: 'run_in_terminal', keys: { command: 'command', explanation: 'description' } },
  Write: { name: 'create_file', keys: { filePath: 'file_path', content: 'content' } },
  Edit: {
    name: 'replace_string_in_file',
    otherNames: ['multi_replace_string_in_file', 'insert_edit_into_file'],
    keys: { filePath: 'file_path', oldString: 'old_string', newString: 'new_string' },
  },
  Read: { name: 'read_file', keys: { filePath: 'file_path', offset: 'offset', limit: 'limit' } },
  LS: { name: 'list_dir', keys: { path: 'path' } },
  Grep: { name: 'grep_search', keys: { query: 'pattern', includePattern: 'glob' } },
  WebFetch: { name: 'fetch_webpage', keys: { url: 'url', query: 'prompt' } },
  TodoWrite: { name: 'manage_todo_list', keys: { todoList: 'todos' } },
  Agent: { name: 'runSubagent', keys: { prompt: 'prompt', description: 'description', agentName: 'subagent_type' } },
  AskUserQuestion: { name: 'vscode_askQuestions', keys: { questions: 'questions' } },
};

const COPILOT: Counterparts = {
  Bash: { name: 'bash', otherNames: ['powershell'], keys: { command: 'command', description: 'description' } },
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

function translated(face: ToolFace, { name, otherNames = [], keys }: Counterpart): ToolFace {
  const pairs = Object.entries(keys);
  const input = Object.fromEntries(
    pairs.flatMap(([ours, key]) => (key in face.input ? [[ours, face.input[key]]] : [])),
  );
  return {
    ...face,
    ...{ name, otherNames, input },
    updated(changed) {
      const given = pairs.flatMap(([ours, key]) => (ours in changed ? [[key, changed[ours]]] : []));
      return face.updated({ ...face.input, ...Object.fromEntries(given) });
    },
  };
}

/** The fields of a call for a hook of Copilot, beside those of every hook. The arguments are a JSON text. */
export function copilotCall(face: ToolFace, result?: { readonly text: string; readonly success: boolean }) {
  const toolResult = result && {
    resultType: result.success ? 'success' : 'failure',
    textResultForLlm: result.text,
  };
  return { toolName: face.name, toolArgs: JSON.stringify(face.input), ...(toolResult && { toolResult }) };
}
