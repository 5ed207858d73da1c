/**
 * The files that a call of another program's tool names. Such a tool runs outside of the sandbox of commands, and the user
 * may have allowed it for good without a thought of these files.
 */
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { type ApprovalPolicy, type DecisionReason, UNREADABLE_FILE } from '../../protocol/policy.ts';
import { placesIn } from '../policy/pathScope.ts';
import type { ApprovalRequirement } from '../policy/requirement.ts';
import { WorkspaceError } from '../ports.ts';
import { PROTECTED_PATTERNS } from '../sandbox/writableRoots.ts';
import { linkedSecrets, readLimitsOf } from './files/readGuard.ts';
import type { ToolContext } from './handler.ts';
import { fileNamedIn, guardOf } from './unreadableNamed.ts';

/**
 * Limits: texts of one call; characters of a text that may be a path (a long form such as `./././a` may name a short
 * path); paths that are resolved; command lines.
 */
const [MAX_TEXTS, MAX_TEXT, MAX_RESOLVED, MAX_SCRIPTS] = [10_000, 65_536, 400, 16];

type Context = Pick<ToolContext, 'settings' | 'host' | 'workspace' | 'thread'>;

/**
 * Returns the reason to ask about a call with these arguments: a file that may not be read, or, where the tool may write, an
 * absolute path that is protected in the open folders. A guess: a tool may find a file that no argument names.
 */
export async function closedFileNamed(
  args: unknown,
  access: 'reads' | 'may_write',
  context: Context,
): Promise<DecisionReason | undefined> {
  const { settings, host, workspace } = context;
  const texts = textsIn(args).filter((text) => text !== '' && text.length <= MAX_TEXT && !text.includes('\n'));
  if (texts.length === 0) return undefined;
  const named = [...new Set(texts.flatMap((text) => pathsIn(text, context)))];
  const guard = await guardOf(context);
  const byName = guard(named);
  if (byName !== undefined) return hiddenFile(byName);
  for (const script of scriptsIn(args)) {
    const inScript = await fileNamedIn(['sh', '-c', script], settings.cwd, context);
    if (inScript !== undefined) return hiddenFile(inScript);
  }
  const found = [...(await workspace.places(named.slice(0, MAX_RESOLVED))).values()];
  const places = found.flatMap((place) => (place instanceof WorkspaceError ? [] : [place]));
  const names = places.flatMap(({ name, target }) => [name, target]);
  const targets = places.map(({ target }) => target);
  const [linked] = (await linkedSecrets(targets, guard, readLimitsOf(context), context)).values();
  const hidden = guard(names) ?? linked;
  if (hidden !== undefined) return hiddenFile(hidden);
  if (access === 'reads') return undefined;
  const roots = [...new Set([settings.cwd, ...workspace.roots])];
  const placeIn = placesIn({ roots, protectedNames: PROTECTED_PATTERNS }, host.platform);
  const absolute = texts.filter(isAbsolute).flatMap((text) => pathsIn(text, context));
  const written = [...absolute, ...names];
  const closed = absolute.length === 0 ? undefined : written.find((name) => placeIn(name) === 'protected');
  return closed === undefined
    ? undefined
    : { source: 'policy', id: 'protected-path', text: `${closed} is protected, and the tool may write.` };
}

/** Returns why the file that the address of a resource names may not be read, as a clause. */
export async function refusalOfAddress(address: string, context: Context): Promise<string | undefined> {
  return (await closedFileNamed([address], 'reads', context))?.text.replace(/\.$/, '');
}

/** `why`: a clause. */
function hiddenFile(why: string): DecisionReason {
  return { source: 'policy', id: UNREADABLE_FILE, text: `${why}.` };
}

/** The requirement for a call that names such a file: it is asked about each time, whatever was allowed before. */
export function withClosedFile(
  decided: ApprovalRequirement,
  reason: DecisionReason | undefined,
  approvalPolicy: ApprovalPolicy,
): ApprovalRequirement {
  if (reason === undefined || decided.type === 'forbidden') return decided;
  if (approvalPolicy !== 'never') return { type: 'needs_approval', reason, parts: [] };
  const text = reason.text.replace(/\.$/, ', and the approval policy never asks.');
  return { type: 'forbidden', reason: { ...reason, text } };
}

function isAbsolute(text: string): boolean {
  return /^(?:file|vscode-\w+):/i.test(text) || path.isAbsolute(text) || text.startsWith('~/');
}

/**
 * The paths that a tool may mean by a text. The path of a URI counts, and relative paths count below the working
 * directory and each open folder.
 */
function pathsIn(
  text: string,
  { settings, host, workspace }: Pick<Context, 'settings' | 'host' | 'workspace'>,
): string[] {
  const home = text.startsWith('~/') ? path.join(host.homeDirectory, text.slice(2)) : text;
  const written = [...addressedPath(text), home];
  return [settings.cwd, ...workspace.roots].flatMap((folder) => written.map((one) => path.resolve(folder, one)));
}

/** The path of an address of any scheme, such as `file:` and `vscode-remote:`, without its percent encoding. */
function addressedPath(text: string): readonly string[] {
  if (!/^[a-z][a-z\d+.-]+:/i.test(text)) return [];
  try {
    const address = new URL(text);
    const isLocalFile = address.protocol === 'file:' && address.host === '';
    return [isLocalFile ? fileURLToPath(address) : decodeURIComponent(address.pathname)];
  } catch {
    // An address that is no path is a name like any other.
    return [];
  }
}

/** All texts in a value without the blanks around them, with the keys of objects, which may be paths, too. */
function textsIn(value: unknown): readonly string[] {
  const texts = fieldsIn(value).flatMap(({ key = '', text }) => [key, text]);
  // A program in C reads no further than to a NUL.
  return texts.map((text) => (text.split('\0', 1)[0] ?? '').trim());
}

/** Names of arguments that are command lines, in tools that run them. */
const SCRIPT_KEY = /^(?:command|cmd|script|command_?line)$/i;

function scriptsIn(value: unknown): readonly string[] {
  const scripts = fieldsIn(value).filter(({ key, text }) => SCRIPT_KEY.test(key ?? '') && text.length <= MAX_TEXT);
  return scripts.slice(0, MAX_SCRIPTS).map(({ text }) => text);
}

/**
 * The texts in a value, with the keys of those in objects. Other values are fields with an empty text, for their keys.
 */
function fieldsIn(value: unknown): readonly { readonly key?: string; readonly text: string }[] {
  const fields: { readonly key?: string; readonly text: string }[] = [];
  const queue: { readonly key?: string; readonly inner: unknown }[] = [{ inner: value }];
  // The queue grows while it is worked through.
  for (const { key, inner } of queue) {
    if (fields.length >= MAX_TEXTS) break;
    fields.push({ ...(key === undefined ? {} : { key }), text: typeof inner === 'string' ? inner : '' });
    if (Array.isArray(inner)) for (const each of inner) queue.push({ inner: each });
    else if (typeof inner === 'object' && inner !== null)
      for (const [name, each] of Object.entries(inner)) queue.push({ key: name, inner: each });
  }
  return fields;
}
