/** Calls as hooks see them: under the names of Claude Code, with its arguments, and under our own. */
import path from 'node:path';
import { recognizePatch } from '../patch/invocation.ts';
import type { PatchOperation } from '../patch/operation.ts';
import { parsePatch } from '../patch/parse.ts';
import type { Host } from '../ports.ts';
import type { ToolCall, ToolPayload } from '../tools/handler.ts';
import { printedIn } from '../tools/handlers/commandAnswer.ts';
import { displayOf } from '../tools/handlers/displayOf.ts';
import { rawArgumentsOf } from '../tools/router.ts';
import { shellArgv } from '../tools/shellArgv.ts';
import { parseJson } from '../util/json.ts';
import type { Hook } from './definition.ts';
import { githubFaces } from './githubFaces.ts';
import { matchesName } from './parseHooks.ts';
import type { ToolFace } from './toolFace.ts';

type Arguments = Readonly<Record<string, unknown>>;

export interface HookedTool {
  /** Ours, with its aliases. */
  readonly names: readonly string[];
  readonly own: ToolFace;
  /** The names of Claude Code; the files of a patch are one each. Empty where it has no such tool. */
  readonly claude: readonly ToolFace[];
  /** The name and arguments of Codex, where they are others than ours. */
  readonly codex?: ToolFace;
}

/** `undefined` for arguments that no tool takes: the call fails by itself. */
export function hookedTool(
  call: ToolCall,
  names: readonly string[],
  place: { readonly cwd: string; readonly host: Host },
): HookedTool | undefined {
  const args = argumentsOf(call.payload);
  if (args === undefined) return undefined;
  const own = faceOf(call.name, args, (input) => input);
  const [name] = names;
  switch (name) {
    case 'exec_command':
    case 'local_shell':
      return shellTool(own, args, names, place);
    case 'apply_patch': {
      const patch = textIn(args, 'input') ?? '';
      const codex = patchFace(patch);
      return { names, own: codex, codex, claude: patchFaces(patch, place.cwd) };
    }
    default: {
      const known = name === undefined || !Object.hasOwn(CLAUDE, name) ? undefined : CLAUDE[name];
      return { names, own, claude: known === undefined ? [] : [known(args, place.cwd)] };
    }
  }
}

/** The faces under which a hook gets the call; none when its matcher does not match. */
export function facesFor(hook: Pick<Hook, 'matcher' | 'style' | 'isSmall'>, tool: HookedTool): readonly ToolFace[] {
  const { matcher, style } = hook;
  const { names, own, claude, codex = own } = tool;
  const isGithub = style === 'github' ? matching(matcher, githubFaces(hook, claude)) : [];
  if (isGithub.length > 0) return isGithub;
  const isClaude = matching(matcher, claude);
  const isOurs = [...names, own.name, codex.name].some((name) => matchesName(matcher, name));
  if (style === 'codex') return isClaude.length > 0 || isOurs ? [codex] : [];
  if (isClaude.length > 0) return isClaude;
  return isOurs ? [own] : [];
}

/** Returns the faces that the matcher matches, each as the tool that it matches. */
function matching(matcher: string, faces: readonly ToolFace[]): readonly ToolFace[] {
  return faces.flatMap((face) => [face, ...(face.others ?? [])].find(({ name }) => matchesName(matcher, name)) ?? []);
}

function argumentsOf(payload: ToolPayload): Arguments | undefined {
  if (payload.type === 'custom') return { input: payload.input };
  const text = rawArgumentsOf(payload);
  const value = parseJson(text === '' ? '{}' : text);
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? { ...value } : undefined;
}

function faceOf(
  name: string,
  input: Arguments,
  updated: (input: Arguments) => Arguments | undefined,
  response: ToolFace['response'] = (text) => text,
): ToolFace {
  return {
    name,
    input,
    updated: (changed) => {
      const args = updated(changed);
      return args && { type: 'function', arguments: JSON.stringify(args) };
    },
    response,
  };
}

function textIn(args: Arguments, key: string): string | undefined {
  const value = args[key];
  return typeof value === 'string' ? value : undefined;
}

function absolute(given: string | undefined, cwd: string): string {
  return path.resolve(cwd, given ?? '.');
}

/** A patch that is written as a command is a patch, too. */
function shellTool(
  own: ToolFace,
  args: Arguments,
  names: readonly string[],
  { cwd, host }: { readonly cwd: string; readonly host: Host },
): HookedTool {
  // Depends on the tool alone: each ignores the argument of the other.
  const key = names[0] === 'exec_command' ? 'cmd' : 'command';
  const written = args[key];
  const words = Array.isArray(written) ? written.filter((word) => typeof word === 'string') : undefined;
  const command = words === undefined ? (textIn(args, key) ?? '') : displayOf(words);
  const workdir = textIn(args, 'workdir') ?? textIn(args, 'working_directory');
  const { working_directory: _, type: __, ...rest } = args;
  const bash = faceOf(
    'Bash',
    { command, ...(workdir === undefined ? {} : { workdir }), ...described(args) },
    (input) => {
      const changed = textIn(input, 'command');
      return changed === undefined ? undefined : { ...rest, ...(workdir && { workdir }), [key]: changed };
    },
    (answer) => ({ stdout: printedIn(answer), stderr: '', interrupted: false, isImage: false }),
  );
  const argv = words ?? shellArgv(command, host);
  const invocation = recognizePatch(argv);
  const patch =
    invocation.type === 'patch'
      ? patchFaces(invocation.patch, path.resolve(cwd, workdir ?? '.', invocation.workdir ?? '.'))
      : [];
  return { names, own, claude: [bash, ...patch], codex: bash };
}

function described(args: Arguments): Arguments {
  const description = textIn(args, 'justification');
  return description === undefined ? {} : { description };
}

function patchFace(patch: string): ToolFace {
  return faceOf('apply_patch', { command: patch, input: patch }, (input) => {
    const changed = [textIn(input, 'input'), textIn(input, 'command')].find((text) => text && text !== patch);
    return { input: changed ?? patch };
  });
}

/**
 * Returns one face for each file: a hook that guards files must see all of them, also those that are deleted or moved.
 */
function patchFaces(patch: string, cwd: string): readonly ToolFace[] {
  const parsed = parsePatch(patch);
  if (parsed.type === 'invalid') return [];
  const isAlone = parsed.operations.length === 1;
  return parsed.operations.flatMap((operation) => operationFaces(operation, isAlone, cwd));
}

function operationFaces(operation: PatchOperation, isAlone: boolean, cwd: string): readonly ToolFace[] {
  const file = absolute(operation.path, cwd);
  const done = (_text: string, success: boolean) => ({ filePath: file, success });
  switch (operation.type) {
    case 'add': {
      const rewritten = (input: Arguments) => {
        const content = textIn(input, 'content');
        const named = textIn(input, 'file_path') ?? operation.path;
        // A name with a line end would be further lines of the patch.
        if (!isAlone || content === undefined || /[\r\n]/.test(named)) return undefined;
        return { input: addPatch(named, content) };
      };
      const content = operation.lines.map((line) => `${line}\n`).join('');
      return [faceOf('Write', { file_path: file, content }, rewritten, done)];
    }
    case 'delete':
      return [editFace(file, '', '', done)];
    case 'update': {
      const lines = operation.chunks.flatMap((chunk) => chunk.lines);
      const before = lines.filter(({ kind }) => kind !== 'add').map(({ text }) => text);
      const after = lines.filter(({ kind }) => kind !== 'remove').map(({ text }) => text);
      const edit = editFace(file, before.join('\n'), after.join('\n'), done);
      if (operation.movedTo === null) return [edit];
      return [edit, editFace(absolute(operation.movedTo, cwd), '', after.join('\n'), done)];
    }
  }
}

/** A changed edit cannot be converted to a patch safely: its old text may occur at several places. */
function editFace(file: string, before: string, after: string, response: ToolFace['response']): ToolFace {
  const input = { file_path: file, old_string: before, new_string: after, replace_all: false };
  return faceOf('Edit', input, () => undefined, response);
}

function addPatch(file: string, content: string): string {
  const lines = content.replace(/\n$/, '').split('\n');
  return ['*** Begin Patch', `*** Add File: ${file}`, ...lines.map((line) => `+${line}`), '*** End Patch'].join('\n');
}

/** Takes the values of some keys of a changed input back into the arguments of our tool. */
function renamed(args: Arguments, keys: Readonly<Record<string, string>>): (input: Arguments) => Arguments {
  return (input) => {
    const changed = Object.entries(keys).flatMap(([theirs, ours]) => (theirs in input ? [[ours, input[theirs]]] : []));
    return { ...args, ...Object.fromEntries(changed) };
  };
}

/** Claude Code 2.1.63 renamed Task to Agent; its matchers take both names. Those of Codex take Agent for `spawn_agent`. */
function agentFace(input: Arguments, updated: (input: Arguments) => Arguments): ToolFace {
  return { ...faceOf('Agent', input, updated), others: [faceOf('Task', input, updated)] };
}

/** Our tools that Claude Code has under another name. */
const CLAUDE: Readonly<Record<string, (args: Arguments, cwd: string) => ToolFace>> = {
  read_file: (args, cwd) => {
    const { file_path: _, ...rest } = args;
    const keys = { file_path: 'file_path', offset: 'offset', limit: 'limit' };
    return faceOf('Read', { ...rest, file_path: absolute(textIn(args, 'file_path'), cwd) }, renamed(args, keys));
  },
  view_image: (args, cwd) =>
    faceOf('Read', { file_path: absolute(textIn(args, 'path'), cwd) }, renamed(args, { file_path: 'path' })),
  list_dir: (args, cwd) =>
    faceOf('LS', { path: absolute(textIn(args, 'dir_path'), cwd) }, renamed(args, { path: 'dir_path' })),
  grep_files: (args, cwd) => {
    const input = { pattern: args['pattern'], path: absolute(textIn(args, 'path'), cwd), glob: args['include'] };
    return faceOf('Grep', input, renamed(args, { pattern: 'pattern', path: 'path', glob: 'include' }));
  },
  code_navigation: (args) => faceOf('LSP', args, (input) => input),
  fetch_url: (args) => faceOf('WebFetch', { url: args['url'], prompt: '' }, renamed(args, { url: 'url' })),
  update_plan: (args) => {
    const steps = Array.isArray(args['plan']) ? args['plan'] : [];
    const todos = steps.map((given: unknown) => {
      const { step, status } = typeof given === 'object' && given !== null ? (given as Arguments) : {};
      return { content: step, status, activeForm: step };
    });
    return faceOf('TodoWrite', { todos }, () => undefined);
  },
  task: (args) => {
    const input = { description: args['description'], prompt: args['prompt'], subagent_type: args['agent'] };
    const keys = { description: 'description', prompt: 'prompt', subagent_type: 'agent' };
    return agentFace(input, renamed(args, keys));
  },
  spawn_agent: (args) => {
    const input = { prompt: args['message'], subagent_type: args['agent_type'] };
    return agentFace(input, renamed(args, { prompt: 'message', subagent_type: 'agent_type' }));
  },
  request_user_input: (args) => faceOf('AskUserQuestion', args, (input) => input),
};
