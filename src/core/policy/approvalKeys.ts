/** What an approval for the thread is remembered under (codex-behaviour.md §6.4, issue 7 point 4): this and nothing like it. */
import path from 'node:path';
import type { Box, SandboxPermissions } from '../../protocol/policy.ts';
import type { Argv } from './parseScript.ts';
import { unwrapCommand } from './unwrapCommand.ts';

export interface CommandApproval {
  readonly argv: Argv;
  /** Absolute. */
  readonly cwd: string;
  readonly box: Box;
  readonly sandboxPermissions: SandboxPermissions;
  readonly tty: boolean;
}

export function commandApprovalKey({ argv, cwd, box, sandboxPermissions, tty }: CommandApproval): string {
  return JSON.stringify(['command', canonicalArgv(argv), path.resolve(cwd), box, sandboxPermissions, tty]);
}

/** One key per absolute path, where it was and where it moves to; a patch is approved only if all of them are. */
export function patchApprovalKeys(paths: readonly string[]): string[] {
  return [...new Set(paths.map((one) => JSON.stringify(['patch', path.resolve(one)])))];
}

/**
 * A script of one plain command is that command, however it is spaced or quoted. Every other script is its exact text:
 * between its commands stand operators, and they matter.
 */
export function canonicalArgv(argv: Argv): Argv {
  const unwrapped = unwrapCommand(argv);
  if (unwrapped.type !== 'script' || unwrapped.script.type !== 'commands' || unwrapped.script.complex) return argv;
  const [only, ...others] = unwrapped.script.commands;
  return only === undefined || others.length > 0 ? argv : only;
}
