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
import { guardOf } from './unreadableNamed.ts';

/** Bounds of the arguments that are looked at: texts, and characters of a text that may be a path. */
const [MAX_TEXTS, MAX_PATH] = [200, 4_096];

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
  const texts = textsIn(args).filter((text) => text !== '' && text.length <= MAX_PATH && !/[\n\0]/.test(text));
  if (texts.length === 0) return undefined;
  const named = [...new Set(texts.map((text) => pathIn(text, context)))];
  const guard = await guardOf(context);
  const found = [...(await workspace.places(named)).values()];
  const places = found.flatMap((place) => (place instanceof WorkspaceError ? [] : [place]));
  const names = [...named, ...places.flatMap(({ name, target }) => [name, target])];
  const targets = places.map(({ target }) => target);
  const [linked] = (await linkedSecrets(targets, guard, readLimitsOf(context), context)).values();
  const hidden = guard(names) ?? linked;
  if (hidden !== undefined) return { source: 'policy', id: UNREADABLE_FILE, text: `${hidden}.` };
  if (access === 'reads') return undefined;
  const roots = [...new Set([settings.cwd, ...workspace.roots])];
  const placeIn = placesIn({ roots, protectedNames: PROTECTED_PATTERNS }, host.platform);
  const absolute = new Set(texts.filter(isAbsolute).map((text) => pathIn(text, context)));
  const written = [...absolute, ...places.flatMap(({ name, target }) => [name, target])];
  const closed = absolute.size === 0 ? undefined : written.find((name) => placeIn(name) === 'protected');
  return closed === undefined
    ? undefined
    : { source: 'policy', id: 'protected-path', text: `${closed} is protected, and the tool may write.` };
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
  return /^file:/i.test(text) || path.isAbsolute(text) || text.startsWith('~/');
}

function pathIn(text: string, { settings, host }: Pick<Context, 'settings' | 'host'>): string {
  if (/^file:/i.test(text)) {
    try {
      return fileURLToPath(text);
    } catch {
      // An address that is no path is a name like any other.
    }
  }
  return path.resolve(settings.cwd, text.startsWith('~/') ? path.join(host.homeDirectory, text.slice(2)) : text);
}

/** All texts in a value, the keys of objects left out. */
function textsIn(value: unknown): readonly string[] {
  const texts: string[] = [];
  const queue = [value];
  // The queue grows while it is worked through.
  for (const part of queue) {
    if (texts.length >= MAX_TEXTS) break;
    if (typeof part === 'string') texts.push(part);
    else if (typeof part === 'object' && part !== null) for (const inner of Object.values(part)) queue.push(inner);
  }
  return texts;
}
