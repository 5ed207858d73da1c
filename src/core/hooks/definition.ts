import type { HookEvent } from '../../protocol/hooks.ts';
import { sha256 } from '../util/canonical.ts';

/** A program that runs at a point of a thread, as it is written down. */
export interface HookDefinition {
  readonly event: HookEvent;
  /** Names of tools, or the source of a session; empty or `*` for all. */
  readonly matcher: string;
  /** For a shell; with `args`, a program. */
  readonly command: string;
  readonly args?: readonly string[] | undefined;
  readonly shell?: string | undefined;
  /** Relative to the working directory of the thread. */
  readonly cwd?: string | undefined;
  readonly env: Readonly<Record<string, string>>;
  readonly timeoutMs: number;
  /** `block`: a hook that fails counts as one that blocks. */
  readonly onFailure: 'continue' | 'block';
  /** Its event is written with a small first letter, as that of Copilot. */
  readonly isSmall?: true;
}

/**
 * The source of a hook. Hooks of the settings run without approval; those of files, which other products read, too, run
 * once the user has approved them. `workspace` files come with the workspace, `user` files are those of the user.
 */
export interface HookPlace {
  readonly origin: 'settings' | 'user' | 'workspace';
  /** The absolute path; for the settings their key. */
  readonly source: string;
  /** The product whose tool names its matcher uses, for names that several products have. */
  readonly style: 'claude' | 'codex' | 'github';
}

export interface Hook extends HookDefinition, HookPlace {
  /** Identifies the command, its event and matcher, and the file that defines it. */
  readonly hash: string;
}

/** Time-outs do not belong to the hash: with them it would be asked about again, while the program is the same. */
export function hookOf(definition: HookDefinition, place: HookPlace): Hook {
  const { event, matcher, command, args = null, shell = null, cwd = null, env } = definition;
  return { ...definition, ...place, hash: sha256([event, matcher, command, args, shell, cwd, env, place.source]) };
}

/** The command line of the hook. */
export function commandOf({ command, args = [] }: HookDefinition): string {
  return [command, ...args].join(' ');
}
