/** Names under which the tools of MCP servers are offered (codex-behaviour.md §9 and trap 18). */
import { createHash } from 'node:crypto';

const NOT_IN_NAMES = /[^A-Za-z0-9_-]/;
/** The longest tool name that model servers accept. */
const MAX_LENGTH = 64;
/** Characters of a longer name that are kept before its hash of 40 digits. */
const KEPT = MAX_LENGTH - 40;

/** `mcp__server__tool`, with `_` for characters that names cannot contain; shortened by a SHA-1 of the whole name. */
export function offeredName(server: string, tool: string): string {
  const whole = `mcp__${server}__${tool}`;
  const name = inNames(whole);
  return name.length <= MAX_LENGTH ? name : withHash(name, whole);
}

function withHash(name: string, hashed: string): string {
  return name.slice(0, KEPT) + createHash('sha1').update(hashed).digest('hex');
}

/** The prefix of the names of all tools of a server, except shortened names. */
export function toolPrefix(server: string): string {
  return inNames(`mcp__${server}__`);
}

function inNames(text: string): string {
  return text.replaceAll(new RegExp(NOT_IN_NAMES, 'g'), '_');
}

export interface NamedTool<Tool> {
  readonly name: string;
  /** Further names that are answered: `server.tool` and `server__tool` where they mean one tool only. */
  readonly aliases: readonly string[];
  readonly tool: Tool;
}

/**
 * Sorted by name, so that the same tools are the same bytes in every request. Of tools that would have the same name, one
 * whose own name has all its characters in it gets it, else the first by server and own name; those of the others end in a hash.
 */
export function nameTools<Tool extends { readonly server: string; readonly tool: string }>(
  tools: readonly Tool[],
): readonly NamedTool<Tool>[] {
  const byName = new Map<string, Tool>();
  const inOrder = tools.toSorted(
    (one, other) =>
      Number(isReplaced(one.tool)) - Number(isReplaced(other.tool)) ||
      compare(one.server, other.server) ||
      compare(one.tool, other.tool),
  );
  for (const tool of inOrder) {
    const name = offeredName(tool.server, tool.tool);
    byName.set(byName.has(name) ? withHash(name, `${tool.server}\n${tool.tool}`) : name, tool);
  }
  const kept = [...byName];
  const uses = new Map<string, number>();
  for (const [name, tool] of kept) {
    for (const alias of [name, ...otherNames(tool)]) uses.set(alias, (uses.get(alias) ?? 0) + 1);
  }
  const named = kept.map(([name, tool]) => ({
    name,
    aliases: otherNames(tool).filter((alias) => uses.get(alias) === 1),
    tool,
  }));
  return named.toSorted((one, other) => compare(one.name, other.name));
}

/** Returns true when a name has characters that the offered name cannot contain. */
function isReplaced(name: string): boolean {
  return NOT_IN_NAMES.test(name);
}

/** An alias of a built-in tool, which has the precedence. */
const TAKEN = 'container.exec';

function otherNames({ server, tool }: { readonly server: string; readonly tool: string }): string[] {
  return [`${server}.${tool}`, `${server}__${tool}`].filter((alias) => alias !== TAKEN);
}

/** Compares by code units: the language of the machine does not matter. */
function compare(one: string, other: string): number {
  return one < other ? -1 : one > other ? 1 : 0;
}
