/** Matches a call with the `allowed-tools` of a skill. */
import { visibleName } from '../../protocol/text/escapeInvisible.ts';
import { shortened } from '../../protocol/text/truncate.ts';
import { parseScript } from '../policy/parseScript.ts';
import { toolsNamed } from '../tools/foreignNames.ts';
import { toolsWith } from '../tools/toolTraits.ts';

/** A call as its tool and the tools of other products see it. */
export interface ListableCall {
  /** The name of the tool, then its aliases. */
  readonly names: readonly string[];
  /** The uses of the call, by names of Claude Code where it has such a tool; one call may have several. */
  readonly uses: readonly { readonly name: string; readonly command?: string }[];
}

/** A pattern of theirs is a command. */
const RUNNING: ReadonlySet<string> = new Set(toolsWith(({ group }) => group === 'running'));

const UNLISTED: ReadonlySet<string> = new Set(toolsWith(({ forEverySkill }) => forEverySkill));

/** An entry, `Bash(git add:*)`: its tool, and the pattern of the commands or files that are meant. */
interface Entry {
  readonly tool: string;
  readonly pattern: string | undefined;
}

/**
 * True when the list contains all uses of the call. Of entries with a pattern only those for commands are understood;
 * any other matches no call, so that the call needs approval.
 */
export function isListed(list: readonly string[], { names, uses }: ListableCall): boolean {
  if (names[0] !== undefined && UNLISTED.has(names[0])) return true;
  const entries = list.map(entryOf);
  if (entries.some(({ tool, pattern }) => tool === '*' && pattern === undefined)) return true;
  return uses.every(({ name, command }) => {
    // If one call has several uses, each has to be listed by itself.
    const own = uses.length > 1 ? names.filter((candidate) => toolsNamed(name)?.includes(candidate)) : names;
    const fitting = entries.filter(({ tool }) => means(tool, name, own));
    if (fitting.some(({ pattern }) => pattern === undefined)) return true;
    return (
      command !== undefined &&
      areCommandsListed(
        command,
        fitting.flatMap(({ pattern }) => pattern ?? []),
      )
    );
  });
}

/** In a note: of names, and of the characters of one. */
const [MOST_NAMED, MAX_NAME] = [5, 80];

/**
 * Returns one sentence for each entry of a list that has no effect. `others`: names of the tools that extensions offer.
 * A tool of an MCP server is known by its form alone.
 */
export function notesOnList(list: readonly string[], others: readonly string[] = []): readonly string[] {
  const entries = list.map((text) => ({ text, ...entryOf(text) })).filter(({ tool }) => tool !== '*');
  const unknown = entries.filter(({ tool }) => toolsNamed(tool, others) === undefined);
  const unread = entries.filter(
    ({ tool, pattern }) =>
      pattern !== undefined && toolsNamed(tool, others)?.some((name) => !RUNNING.has(name)) === true,
  );
  return [
    ...(unknown.length === 0 ? [] : [`It lists tools that Tiller does not have: ${named(unknown)}.`]),
    ...(unread.length === 0
      ? []
      : [`Of these entries Tiller does not understand the pattern, and asks about the calls: ${named(unread)}.`]),
  ];
}

function named(entries: readonly { readonly text: string }[]): string {
  const texts = [...new Set(entries.map(({ text }) => shortened(visibleName(text), MAX_NAME)))];
  const more = texts.length - MOST_NAMED;
  return `${texts.slice(0, MOST_NAMED).join(', ')}${more > 0 ? ` and ${more} more` : ''}`;
}

function entryOf(text: string): Entry {
  const [, tool = text, pattern] = /^([^(]+)\(([^)]*)\)$/.exec(text) ?? [];
  return { tool: tool.trim(), pattern };
}

/**
 * The name of an MCP server means all of its tools. Only the entry is expanded, not the use: `Bash` means several tools here,
 * and an entry for one of them must not list the others. `names`: those of the tool for this use.
 */
function means(entry: string, use: string, names: readonly string[]): boolean {
  const meant = [entry, ...(toolsNamed(entry) ?? [])];
  const called = [...names, ...oneTool(use)];
  return (
    entry.toLowerCase() === use.toLowerCase() ||
    called.some((name) =>
      meant.some((entry) => entry === name || (entry.startsWith('mcp__') && name.startsWith(`${entry}__`))),
    )
  );
}

/** The tool that a name of Claude Code means, where it means only one: `Write` and `Edit` are the same here. */
function oneTool(use: string): readonly string[] {
  const tools = toolsNamed(use) ?? [];
  return tools.length === 1 ? tools : [];
}

/** Each command of the script has to fit a pattern. */
function areCommandsListed(script: string, patterns: readonly string[]): boolean {
  const parsed = parseScript(script);
  return (
    parsed.type === 'commands' &&
    !parsed.complex &&
    parsed.commands.every((argv) => patterns.some((pattern) => fits(argv, pattern)))
  );
}

/** `git add:*` and `git add *` are all commands that begin so; without the star the command is exactly this. */
function fits(argv: readonly string[], pattern: string): boolean {
  const [, begin] = /^(.*?)(?::|\s|^)\*$/.exec(pattern) ?? [];
  const words = (begin ?? pattern).split(/\s+/).filter((word) => word !== '');
  const isLonger = begin === undefined && argv.length > words.length;
  return !isLonger && words.every((word, at) => argv[at] === word);
}
