/**
 * Keys under which approvals for the thread are remembered (codex-behaviour.md §6.4). A key covers exactly one command
 * or place and nothing similar.
 */
import { createHash } from 'node:crypto';
import path from 'node:path';
import * as z from 'zod';
import {
  type SandboxMechanism,
  sandboxMechanismSchema,
  type SandboxPermissions,
  type SandboxPolicy,
} from '../../protocol/policy.ts';
import type { DecidedChange, FilePlace } from '../ports.ts';
import type { Argv } from './parseScript.ts';
import { unwrapCommand } from './unwrapCommand.ts';

export interface CommandApproval {
  readonly argv: Argv;
  /** Absolute. */
  readonly cwd: string;
  readonly box: SandboxMechanism;
  /** The sandbox policy of the call. */
  readonly sandboxPolicy: SandboxPolicy;
  readonly sandboxPermissions: SandboxPermissions;
  readonly tty: boolean;
}

/**
 * Returns the key of an approval "for this thread": equal for the same command in the same folder, sandbox and
 * terminal.
 */
export function commandApprovalKey(approval: CommandApproval): string {
  const { argv, cwd, box, sandboxPolicy, sandboxPermissions, tty } = approval;
  const policy = Object.entries(sandboxPolicy).toSorted(([one], [other]) => (one < other ? -1 : 1));
  return JSON.stringify(['command', canonicalArgv(argv), path.resolve(cwd), box, policy, sandboxPermissions, tty]);
}

/**
 * One key for each place, the source and the target of a move included; a patch is approved only if all of them are.
 */
export function patchApprovalKeys(places: readonly FilePlace[]): string[] {
  const real = places.flatMap(({ name, target }) => [name, target]);
  return [...new Set(real)].map((place) => JSON.stringify(['patch', place]));
}

/**
 * Identifies what an approval of a patch covers: the places of its files, and all text that it removes and inserts.
 * Lines that moved because of edits elsewhere in the file do not change the binding; a different replaced text does,
 * and so does a path that leads to another place.
 */
export function patchBinding(changes: readonly DecidedChange[]): string {
  const effects = changes.map((change) => {
    const place = bound(change.places.path);
    switch (change.kind) {
      case 'add':
        return [change.kind, place, change.before, change.text];
      case 'delete':
        return [change.kind, place, change.before];
      case 'update': {
        const lines = change.before.split(/(?<=\n)/);
        const hunks = change.hunks.map(({ start, end, text }) => [lines.slice(start, end).join(''), text]);
        const { movedTo } = change.places;
        return [change.kind, place, hunks, movedTo === null ? null : bound(movedTo), change.movedOver];
      }
    }
  });
  return `patch:${createHash('sha256').update(JSON.stringify(effects)).digest('hex')}`;
}

const bound = ({ name, target }: FilePlace): readonly string[] => [name, target];

const commandKeySchema = z.lazy(() =>
  z.tuple([z.literal('command'), z.array(z.string()), z.string(), sandboxMechanismSchema]).rest(z.unknown()),
);
const patchKeySchema = z.lazy(() => z.tuple([z.literal('patch'), z.string()]));
const toolKeySchema = z.lazy(() => z.tuple([z.literal('mcp'), z.string(), z.string(), z.string(), z.string()]));

/** A tool of an MCP server, as the server describes it: hashes of the definition of the server and of the tool. */
export function toolApprovalKey(server: string, tool: string, serverHash: string, toolHash: string): string {
  return JSON.stringify(['mcp', server, tool, serverHash, toolHash]);
}

/** The answer to a hook that asked about a call: the key of the call is inside. */
const hookKeySchema = z.lazy(() => z.tuple([z.literal('hook'), z.string(), z.string()]));

/** `key`: of the call that the hook has asked about; an approval of the call itself does not answer the hook. */
export function hookApprovalKey(hook: string, key: string): string {
  return JSON.stringify(['hook', hook, key]);
}

const fetchKeySchema = z.lazy(() => z.tuple([z.literal('fetch'), z.string()]));

/** A host that pages are fetched from: its scheme, name and port. */
export function fetchApprovalKey(origin: string): string {
  return JSON.stringify(['fetch', origin]);
}

/** Parses a key for display; `undefined` for a key of another version. */
export function readApprovalKey(
  key: string,
):
  | { readonly kind: 'command'; readonly argv: Argv; readonly cwd: string }
  | { readonly kind: 'patch'; readonly path: string }
  | { readonly kind: 'tool'; readonly server: string; readonly tool: string }
  | { readonly kind: 'fetch'; readonly origin: string }
  | undefined {
  const value = parseJson(key);
  const hook = hookKeySchema.safeParse(value);
  if (hook.success) return readApprovalKey(hook.data[2]);
  const command = commandKeySchema.safeParse(value);
  if (command.success) return { kind: 'command', argv: command.data[1], cwd: command.data[2] };
  const patch = patchKeySchema.safeParse(value);
  if (patch.success) return { kind: 'patch', path: patch.data[1] };
  const tool = toolKeySchema.safeParse(value);
  if (tool.success) return { kind: 'tool', server: tool.data[1], tool: tool.data[2] };
  const fetched = fetchKeySchema.safeParse(value);
  return fetched.success ? { kind: 'fetch', origin: fetched.data[1] } : undefined;
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/**
 * A script of one plain command is reduced to that command, so spacing and quoting do not matter. Every other script is
 * compared by its exact text, because the operators between its commands matter.
 */
export function canonicalArgv(argv: Argv): Argv {
  const unwrapped = unwrapCommand(argv);
  if (unwrapped.type !== 'script' || unwrapped.script.type !== 'commands' || unwrapped.script.complex) return argv;
  const [only, ...others] = unwrapped.script.commands;
  return only === undefined || others.length > 0 ? argv : only;
}
