/**
 * Recognizes a patch in a command line, where models write it that learnt apply_patch as a shell command. Strict on
 * purpose: anything that only resembles one of the forms runs as a command (codex-behaviour.md §1.7).
 */
import { parsePatch } from './parse.ts';

export type PatchInvocation =
  | { readonly type: 'not_a_patch' }
  /** `workdir` is as written in the script; relative paths of the patch start there. */
  | { readonly type: 'patch'; readonly patch: string; readonly workdir?: string }
  /** The script itself is a patch: the model must call apply_patch. */
  | { readonly type: 'implicit' };

const COMMAND_NAMES: ReadonlySet<string> = new Set(['apply_patch', 'applypatch']);

/**
 * Finds a patch that a model runs as a command: the patch as the whole command, `apply_patch PATCH`, or a heredoc in a
 * shell. Never throws.
 */
export function recognizePatch(argv: readonly string[]): PatchInvocation {
  const [first = '', second = ''] = argv;
  if (argv.length === 1) return isPatch(first) ? { type: 'implicit' } : { type: 'not_a_patch' };
  if (argv.length === 2) {
    return COMMAND_NAMES.has(first) ? { type: 'patch', patch: second } : { type: 'not_a_patch' };
  }
  const script = scriptOf(argv);
  return script === undefined ? { type: 'not_a_patch' } : recognizePatchInScript(script);
}

/** Recognizes a patch for tools that get a script rather than an argv. */
export function recognizePatchInScript(script: string): PatchInvocation {
  if (isPatch(script)) return { type: 'implicit' };
  const command = COMMAND.exec(script);
  if (command === null) return { type: 'not_a_patch' };
  const { workdir, singleQuoted, doubleQuoted, dash, quote, word, rest = '' } = command.groups ?? {};
  if (workdir === '' || word === undefined) return { type: 'not_a_patch' };
  const patch = heredocBody(rest, word, dash === '-');
  if (patch === undefined || quote === undefined) return { type: 'not_a_patch' };
  const folder = singleQuoted ?? doubleQuoted ?? workdir;
  return folder === undefined ? { type: 'patch', patch } : { type: 'patch', patch, workdir: folder };
}

function isPatch(text: string): boolean {
  return parsePatch(text).type === 'patch';
}

/** The script of `shell flag script`; the shell is recognized by its name in any folder. */
function scriptOf(argv: readonly string[]): string | undefined {
  const [shell = '', ...flags] = argv;
  const script = flags.pop();
  const name = /([^/\\]*?)(?:\.[^./\\]*)?$/.exec(shell)?.[1]?.toLowerCase();
  switch (name) {
    case 'bash':
    case 'zsh':
    case 'sh':
      return flags.length === 1 && /^-l?c$/.test(flags[0] ?? '') ? script : undefined;
    case 'pwsh':
    case 'powershell':
      return /^(?:-noprofile )?-command$/i.test(flags.join(' ')) ? script : undefined;
    case 'cmd':
      return /^\/c$/i.test(flags.join(' ')) ? script : undefined;
    default:
      return undefined;
  }
}

/** `[cd <path> &&] apply_patch <<'WORD'` up to the end of its line. The path is one word without expansions. */
const COMMAND = new RegExp(
  [
    String.raw`^\s*`,
    String.raw`(?:cd[ \t]+(?:'(?<singleQuoted>[^']+)'|"(?<doubleQuoted>[^"$\u0060\\]+)"|(?<workdir>[^\s'"$\u0060\\;&|<>(){}*?~#!\[\]]+))[ \t]*&&\s*)?`,
    String.raw`(?:apply_patch|applypatch)[ \t]*<<(?<dash>-?)[ \t]*(?<quote>['"]?)(?<word>[\w.+-]+)\k<quote>[ \t]*\r?\n(?<rest>[^]*)$`,
  ].join(''),
);

/** The text up to the line with the delimiter; nothing may follow it. */
function heredocBody(text: string, word: string, stripTabs: boolean): string | undefined {
  const lines = text.split('\n').map((line) => (stripTabs ? line.replace(/^\t+/, '') : line));
  const end = lines.indexOf(word);
  if (end < 1 || lines.slice(end + 1).some((line) => line.trim() !== '')) return undefined;
  return lines.slice(0, end).join('\n');
}
