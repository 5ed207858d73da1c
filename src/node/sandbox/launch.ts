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
import { type BoxLife, followBox } from './boxLife.ts';
import { filterFile } from './filter.ts';
import { type Descriptor, emptyDescriptor, inheritableDescriptors } from './inheritable.ts';
import { look } from './look.ts';
import { type After, MountPoints } from './mountPoints.ts';
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
  constructor(home: string, after?: After) {
    this.#folder = path.join(home, 'box');
    this.#quarantine = new Quarantine(home);
    this.#mountPoints = new MountPoints(path.join(this.#folder, 'mounts'), after);
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
    const filter = filterFile(this.#folder);
    const life = followBox(this.#folder);
    let giveBack = () => {};
    try {
      const isMountPoint = (one: string) => this.#mountPoints.isOurs(one);
      const before = look(walls, cwd, { scan: this.#scan, isMountPoint });
      giveBack = this.#mountPoints.hold(before.heldNames);
      const facts = { ...before.facts, readOnly: [...before.facts.readOnly, ...before.heldNames.filter(isMountPoint)] };
      const options = { network: walls.network, tty: tty !== undefined, disablesUserNamespaces, cwd: before.cwd };
      const inside = tty === undefined ? argv : interruptible(argv);
      const boxed = [...bubblewrapArguments(facts, options), '--', ...inside];
      const start = startOf(program, boxed, { filter, life, tty: tty !== undefined });
      return {
        ...start,
        env: {},
        ended: async () => {
          try {
            await life.ended();
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
      life.close();
      throw error;
    }
  }
}

/** Beyond it nobody's descriptors stand, and a list of what is handed over would grow long. */
const LAST_DESCRIPTOR = 1_023;

interface Handover {
  /** The file of the system call filter. */
  readonly filter: string;
  readonly life: BoxLife;
  readonly tty: boolean;
}

/** What bubblewrap is handed, by place. */
const FILTER = 3;
const INFO = 4;

/**
 * With pipes filter and info are handed over as descriptors. What would be inherited by accident is replaced by an empty
 * file, which bubblewrap takes for further arguments: it reads none there, and closes it. A terminal's starter hands over
 * nothing: then bash does all of it on its way to bubblewrap.
 */
function startOf(
  program: string,
  args: readonly string[],
  handover: Handover,
): Pick<Launch, 'program' | 'args' | 'descriptors' | 'started'> {
  const handed = ['--seccomp', String(FILTER), '--info-fd', String(INFO)];
  const leaks = inheritableDescriptors().filter((one) => one !== FILTER && one !== INFO);
  if (handover.tty || leaks.some((one) => one > LAST_DESCRIPTOR)) {
    return startByBash([program, ...handed, ...args], handover, leaks);
  }
  const filter = openSync(handover.filter, 'r');
  const descriptors: Descriptor[] = [filter, handover.life.descriptor];
  for (let one = INFO + 1; one <= Math.max(INFO, ...leaks); one++) {
    descriptors.push(leaks.includes(one) ? emptyDescriptor() : 'ignore');
  }
  return {
    program,
    args: [...leaks.flatMap((one) => ['--args', String(one)]), ...handed, ...args],
    descriptors,
    started: () => closeSync(filter),
  };
}

function startByBash(
  command: readonly string[],
  { filter, life, tty }: Handover,
  leaks: readonly number[],
): Pick<Launch, 'program' | 'args' | 'descriptors' | 'started'> {
  const closed = leaks.map((one) => ` ${one}<&-`);
  const deaf = tty ? 'trap "" INT QUIT; ' : '';
  const script = `${deaf}exec ${FILTER}<"$1" ${INFO}<>"$2"${closed.join('')}; shift 2; exec "$@"`;
  return {
    program: requireBash(),
    args: [...bashRunning(script), filter, `/proc/${process.pid}/fd/${life.descriptor}`, ...command],
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
