/** Turns a command and its walls into what has to be started, and puts things in order when it has ended. */
import { closeSync, mkdirSync, openSync, utimesSync } from 'node:fs';
import path from 'node:path';
import type { BoxFinding, BoxWalls, ExecRequest } from '../../core/ports.ts';
import { bubblewrapArguments } from '../../core/sandbox/bubblewrap.ts';
import { seatbeltArguments } from '../../core/sandbox/seatbelt.ts';
import { messageOf } from '../errors.ts';
import { findBash, SANDBOX_EXEC } from '../ownPrograms.ts';
import { PRIVATE_FOLDER } from '../privateFiles.ts';
import { aftermath } from './aftermath.ts';
import { filterFile } from './filter.ts';
import { type Descriptor, emptyDescriptor, inheritableDescriptors } from './inheritable.ts';
import { look } from './look.ts';
import { MountPoints } from './mountPoints.ts';
import { Quarantine } from './quarantine.ts';
import { boxMachinery } from './support.ts';
import { TreeScan } from './treeScan.ts';

/** A command ready to be started, in its box if it has one. */
export interface Launch {
  readonly program: string;
  readonly args: readonly string[];
  /** To be handed over as 3, 4, … with nothing in the gaps; none with a terminal, which cannot. */
  readonly descriptors: readonly Descriptor[];
  /** What the environment has to say besides. */
  readonly env: Readonly<Record<string, string>>;
  /** It was started, or could not be: our copies of the descriptors are closed. */
  started(): void;
  /** It has ended, or never began: tells what it has left behind. Never rejects. */
  ended(): Promise<readonly BoxFinding[]>;
}

/** All boxes of this process. */
export class Boxes {
  readonly #folder: string;
  readonly #mountPoints: MountPoints;
  readonly #scan = new TreeScan();
  readonly #quarantine: Quarantine;

  /** `home`: TILLER_HOME. */
  constructor(home: string) {
    this.#folder = path.join(home, 'box');
    this.#quarantine = new Quarantine(home);
    this.#mountPoints = new MountPoints(path.join(this.#folder, 'mounts'));
  }

  /** No further command is expected just now. */
  rest(): void {
    this.#mountPoints.rest();
  }

  /** Gives back at once what no box needs any more. */
  dispose(): void {
    this.#mountPoints.dispose();
  }

  /** @throws Error with a sentence fit for the model when there is no box: then nothing must run. */
  launch(request: ExecRequest, walls: BoxWalls): Launch {
    const machinery = boxMachinery();
    makeTemporary(walls.temporary.folder);
    switch (machinery.type) {
      case 'bubblewrap':
        return this.#launchBubblewrap(request, walls, machinery);
      case 'seatbelt':
        return launchSeatbelt(request, walls);
      case 'none':
        throw new Error(`The command was not run: it needs a sandbox, and there is none. ${machinery.cause}`);
    }
  }

  #launchBubblewrap(
    { argv, cwd, tty }: ExecRequest,
    walls: BoxWalls,
    { program, disablesUserNamespaces }: { readonly program: string; readonly disablesUserNamespaces: boolean },
  ): Launch {
    const isMountPoint = (one: string) => this.#mountPoints.isOurs(one);
    const before = look(walls, cwd, { scan: this.#scan, isMountPoint });
    const giveBack = this.#mountPoints.hold(before.heldNames);
    try {
      const facts = { ...before.facts, readOnly: [...before.facts.readOnly, ...before.heldNames.filter(isMountPoint)] };
      const options = { network: walls.network, tty: tty !== undefined, disablesUserNamespaces, cwd: before.cwd };
      const inside = tty === undefined ? argv : interruptible(argv);
      const boxed = ['--seccomp', '3', ...bubblewrapArguments(facts, options), '--', ...inside];
      const start = startOf(program, boxed, filterFile(this.#folder), tty !== undefined);
      return {
        ...start,
        env: {},
        ended: async () => {
          try {
            return aftermath(before, { scan: this.#scan, quarantine: this.#quarantine });
          } catch (error) {
            const message = `What the command left behind could not be looked through: ${messageOf(error)}`;
            return [{ kind: 'left_behind', path: cwd, message }];
          } finally {
            giveBack();
          }
        },
      };
    } catch (error) {
      giveBack();
      throw error;
    }
  }
}

/** Beyond it nobody's descriptors stand, and a list of what is handed over would grow long. */
const LAST_DESCRIPTOR = 1_023;

/**
 * With pipes the filter is handed over as a descriptor. What would be inherited by accident is replaced by an empty file,
 * which bubblewrap takes for further arguments: it reads none there, and closes it. A terminal's starter hands over
 * nothing: then bash does both on its way to bubblewrap.
 */
function startOf(
  program: string,
  args: readonly string[],
  filter: string,
  tty: boolean,
): Pick<Launch, 'program' | 'args' | 'descriptors' | 'started'> {
  const leaks = inheritableDescriptors().filter((one) => one !== 3);
  if (tty || leaks.some((one) => one > LAST_DESCRIPTOR)) return startByBash([program, ...args], filter, leaks, tty);
  const descriptor = openSync(filter, 'r');
  const descriptors: Descriptor[] = [descriptor];
  for (let one = 4; one <= Math.max(3, ...leaks); one++) {
    descriptors.push(leaks.includes(one) ? emptyDescriptor() : 'ignore');
  }
  return {
    program,
    args: [...leaks.flatMap((one) => ['--args', String(one)]), ...args],
    descriptors,
    started: () => closeSync(descriptor),
  };
}

function startByBash(
  command: readonly string[],
  filter: string,
  leaks: readonly number[],
  tty: boolean,
): Pick<Launch, 'program' | 'args' | 'descriptors' | 'started'> {
  const closed = leaks.map((one) => ` ${one}<&-`);
  const deaf = tty ? 'trap "" INT QUIT; ' : '';
  const script = `${deaf}exec 3<"$1"${closed.join('')}; shift; exec "$@"`;
  return {
    program: requireBash(),
    args: [...bashRunning(script), filter, ...command],
    descriptors: [],
    started: () => {},
  };
}

/**
 * Ctrl-C on a terminal goes to everybody in front of it, and bubblewrap would die of it with all that it holds. So it is
 * made deaf before it starts, and what runs inside hears again, where `env` (coreutils 8.31) can give that back.
 */
function interruptible(argv: ExecRequest['argv']): readonly string[] {
  const hearing = 'env --default-signal=INT,QUIT';
  const script = `if ${hearing} true 2>/dev/null; then exec ${hearing} "$@"; fi; exec "$@"`;
  return [requireBash(), ...bashRunning(script), ...argv];
}

/** Without anything of the person's or the command's having a say. */
function bashRunning(script: string): readonly string[] {
  return ['--noprofile', '--norc', '-p', '-c', script, 'tiller-box'];
}

function requireBash(): string {
  const bash = findBash();
  if (bash === undefined) throw new Error('The command was not run: a sandbox with a terminal needs bash.');
  return bash;
}

/** As it is. */
export function launchPlainly({ argv: [program, ...args] }: ExecRequest): Launch {
  return { program, args, descriptors: [], env: {}, started: () => {}, ended: async () => [] };
}

function launchSeatbelt({ argv }: ExecRequest, walls: BoxWalls): Launch {
  return {
    program: SANDBOX_EXEC,
    args: [...seatbeltArguments(walls), ...argv],
    descriptors: [],
    // There is no second /tmp there: programs are told where theirs is.
    env: { TMPDIR: walls.temporary.folder },
    started: () => {},
    ended: async () => [],
  };
}

function makeTemporary(folder: string): void {
  mkdirSync(folder, { recursive: true, mode: PRIVATE_FOLDER });
  const now = new Date();
  utimesSync(folder, now, now);
}
