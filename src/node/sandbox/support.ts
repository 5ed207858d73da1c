/** Determines if commands can be sandboxed on this machine: tries it once, and names the cause when it fails. */
import { existsSync, readFileSync } from 'node:fs';
import type { SandboxSupport } from '../../core/sandbox/resolveSandbox.ts';
import { bubblewrapArguments } from '../../core/sandbox/bubblewrap.ts';
import { seatbeltArguments } from '../../core/sandbox/seatbelt.ts';
import { seccompProgram } from '../../core/sandbox/seccomp.ts';
import { NO_BOX_ON_WINDOWS, whyNoSandbox, whyNoSeatbelt } from '../../core/sandbox/whyNoSandbox.ts';
import {
  findBubblewrap,
  findTrue,
  SANDBOX_EXEC,
  type Trial,
  type TrialResult,
  tryOut,
  tryOutBeside,
} from '../host/ownPrograms.ts';
import { isRoot } from './machine.ts';

/** The mechanism that works here, and how bubblewrap has to be started. */
export type Machinery =
  | { readonly type: 'bubblewrap'; readonly program: string; readonly disablesUserNamespaces: boolean }
  | { readonly type: 'seatbelt' }
  | { readonly type: 'none'; readonly cause: string };

let found: Machinery | undefined;

/** Tried at the first call in a process and cached. That call blocks for about 10 ms, unless `prepareSandbox` was awaited. */
export function sandboxMachinery(platform: NodeJS.Platform = process.platform): Machinery {
  if (found === undefined) {
    const search = findMachinery(platform);
    let step = search.next();
    while (step.done !== true) step = search.next(tryOut(step.value));
    found = step.value;
  }
  return found;
}

/** Tries it without blocking this process, for programs that share it with others. Never rejects. */
export async function prepareSandbox(platform: NodeJS.Platform = process.platform): Promise<void> {
  if (found !== undefined) return;
  const search = findMachinery(platform);
  let step = search.next();
  while (step.done !== true) step = search.next(await tryOutBeside(step.value));
  found ??= step.value;
}

/** The result in the form that core needs. */
export function sandboxSupport(): SandboxSupport {
  const machinery = sandboxMachinery();
  return machinery.type === 'none' ? { type: 'fails', cause: machinery.cause } : { type: 'works', box: machinery.type };
}

/** Yields the trials; the caller decides how they run. */
type Search = Generator<Trial, Machinery, TrialResult>;

function* findMachinery(platform: NodeJS.Platform): Search {
  switch (platform) {
    case 'linux':
      return yield* findLinuxMachinery();
    case 'darwin':
      return yield* findMacMachinery();
    default:
      return { type: 'none', cause: NO_BOX_ON_WINDOWS };
  }
}

function* findLinuxMachinery(): Search {
  const program = findBubblewrap();
  const filter = seccompProgram(process.arch);
  let stderr = '';
  if (program !== undefined && filter !== undefined) {
    for (const disablesUserNamespaces of [true, false]) {
      const args = ['--seccomp', '0', ...emptySandbox(disablesUserNamespaces), '--', findTrue()];
      const tried = yield { program, args, input: filter };
      if (tried.works) return { type: 'bubblewrap', program, disablesUserNamespaces };
      stderr = tried.stderr;
    }
  }
  return {
    type: 'none',
    cause: whyNoSandbox({
      bwrap: program ?? null,
      hasFilter: filter !== undefined,
      architecture: process.arch,
      stderr,
      appArmorRestricts: reads('/proc/sys/kernel/apparmor_restrict_unprivileged_userns', '1'),
      namespacesDisabled:
        reads('/proc/sys/kernel/unprivileged_userns_clone', '0') || reads('/proc/sys/user/max_user_namespaces', '0'),
      inContainer: existsSync('/.dockerenv') || existsSync('/run/.containerenv'),
    }),
  };
}

/** Arguments of the emptiest sandbox, for trials. */
export function emptySandbox(disablesUserNamespaces: boolean, network = false): string[] {
  const facts = {
    writable: [],
    readOnly: [],
    visible: [],
    masked: [],
    hidden: ['/tmp'],
    temporary: { folder: '/tmp', seenAt: [] },
    isRoot: isRoot(),
  };
  return bubblewrapArguments(facts, { network, tty: false, disablesUserNamespaces, cwd: '/' });
}

function* findMacMachinery(): Search {
  const nothing = {
    writableRoots: [],
    visible: [],
    network: false,
    unreadable: [],
    unreadableGlobs: [],
    temporary: { folder: '/private/tmp', seenAt: [], isTmpdir: false },
  };
  const tried = yield { program: SANDBOX_EXEC, args: [...seatbeltArguments(nothing), '/usr/bin/true'] };
  return tried.works ? { type: 'seatbelt' } : { type: 'none', cause: whyNoSeatbelt(tried.stderr) };
}

function reads(file: string, value: string): boolean {
  try {
    return readFileSync(file, 'utf8').trim() === value;
  } catch {
    return false;
  }
}
