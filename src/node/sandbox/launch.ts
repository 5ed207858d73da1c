/** Turns a command and its sandbox limits into the program to start, and cleans up when it has ended. */
import { lstatSync, utimesSync } from 'node:fs';
import path from 'node:path';
import type { SandboxFinding, SandboxLimits, ExecRequest } from '../../core/ports.ts';
import { bubblewrapArguments } from '../../core/sandbox/bubblewrap.ts';
import { HOST_PROXY_PORT, npmCache, proxyVariables } from '../../core/sandbox/proxyVariables.ts';
import { seatbeltArguments } from '../../core/sandbox/seatbelt.ts';
import { messageOf } from '../../core/util/fileErrors.ts';
import { SANDBOX_EXEC } from '../host/ownPrograms.ts';
import { makePrivateFolderSync } from '../host/privateFiles.ts';
import { runPostRunChecks } from './postRunChecks.ts';
import { type SandboxLife, followSandbox } from './sandboxLife.ts';
import { realOf } from './disk.ts';
import { filterFile } from './filter.ts';
import type { HostProxyOptions } from '../network/hostProxy.ts';
import {
  type BubblewrapHosts,
  hostsOfBubblewrap,
  hostsOfSeatbelt,
  hostSupport,
  type LaunchedHosts,
  withoutHosts,
} from './hostBridge.ts';
import { KillWatch } from './killWatch.ts';
import type { MovedFiles } from '../host/movedFiles.ts';
import { inspectTree } from './inspectTree.ts';
import { MountPoints } from './mountPoints.ts';
import { Quarantine } from './quarantine.ts';
import { SecretLinks } from './secretLinks.ts';
import { interruptible, type ProgramStart, startBubblewrap } from './startBubblewrap.ts';
import { emptySandbox, sandboxMachinery } from './support.ts';
import { mountFolder } from './sweep.ts';
import { TreeScan } from './treeScan.ts';

/** A command ready to be started, in its sandbox if it has one. */
export interface Launch extends ProgramStart {
  /** Additional environment variables. */
  readonly env: Readonly<Record<string, string>>;
  /** Call when the command has ended or never started: returns its leftovers. Never rejects. */
  ended(): Promise<readonly SandboxFinding[]>;
  /** Call after `ended`: resolves when the mount points that it needed in a workspace are removed, a moment later. */
  settled(): Promise<void>;
  /** Set where the limits have `hosts`: the command waits until `ready` has resolved. */
  readonly hosts?: LaunchedHosts | undefined;
}

export interface SandboxesOptions {
  readonly afterKill?: string;
  readonly marksMountPoints?: boolean;
  readonly moved?: MovedFiles;
  /** The look-up of names and the proxy of the machine, for commands that may reach some hosts. */
  readonly network?: HostProxyOptions | undefined;
}

/** All sandboxes of this process. */
export class Sandboxes {
  readonly #folder: string;
  readonly #mountPoints: MountPoints;
  readonly #killWatch: KillWatch;
  readonly #scan = new TreeScan();
  readonly #links: SecretLinks;
  readonly #quarantine: Quarantine;
  readonly #marksMountPoints: boolean;
  readonly #network: HostProxyOptions;

  /**
   * `home`: TILLER_HOME. `afterKill`: the built script afterKill.ts; without it the leftovers of a killed process in a
   * workspace are removed at the next start. `marksMountPoints`: for VS Code, whose Explorer hides marked ones.
   * `moved`: shared with the workspace, so that file tools know where commands have moved files with secrets.
   */
  constructor(home: string, { afterKill, marksMountPoints = false, moved, network = {} }: SandboxesOptions = {}) {
    this.#network = network;
    this.#marksMountPoints = marksMountPoints;
    this.#links = new SecretLinks(moved);
    this.#folder = path.join(home, 'box');
    this.#quarantine = new Quarantine(home);
    this.#mountPoints = new MountPoints(mountFolder(home));
    this.#killWatch = new KillWatch(home, afterKill, () => this.#mountPoints.isNeeded);
  }

  /** Call when no more commands will be started. */
  dispose(): void {
    this.#mountPoints.dispose();
    this.#killWatch.stop();
  }

  /**
   * `inheritable`: descriptors that the process which starts the command has by accident; those of this process where
   * absent. @throws Error with a message for the model when there is no sandbox: then no command may run.
   */
  async launch(request: ExecRequest, limits: SandboxLimits, inheritable?: readonly number[]): Promise<Launch> {
    const machinery = sandboxMachinery();
    makeTemporary(limits.temporary.folder);
    switch (machinery.type) {
      case 'bubblewrap':
        return this.#launchBubblewrap(request, limits, { ...machinery, inheritable });
      case 'seatbelt':
        return launchSeatbelt(
          request,
          { ...limits, unreadable: [...limits.unreadable, ...this.#secretsIn(limits)] },
          this.#network,
        );
      case 'none':
        throw new Error(`The command was not run: it needs a sandbox, and there is none. ${machinery.cause}`);
    }
  }

  /** Real paths of the files that the globs match. */
  #secretsIn({ unreadableGlobs, visible, writableRoots }: SandboxLimits): readonly string[] {
    this.#scan.hide(unreadableGlobs);
    const folders = [
      ...new Set([...visible, ...writableRoots.map((root) => root.path)].flatMap((folder) => realOf(folder) ?? [])),
    ];
    const found = folders.flatMap((folder) => this.#scan.recent(folder, folders).secrets);
    const files = new Map(found.flatMap((file) => realOf(file) ?? []).map((file) => [file, lstatSync(file)] as const));
    const closed = new Map([...files].filter(([, stats]) => !stats.isDirectory()));
    return [...closed.keys(), ...this.#links.of(closed, folders)];
  }

  async #launchBubblewrap(
    { argv, cwd, env, tty }: ExecRequest,
    limits: SandboxLimits,
    {
      program,
      disablesUserNamespaces,
      inheritable,
    }: {
      readonly program: string;
      readonly disablesUserNamespaces: boolean;
      readonly inheritable: readonly number[] | undefined;
    },
  ): Promise<Launch> {
    const filter = filterFile(this.#folder);
    const life = followSandbox(this.#folder);
    let giveBack = () => {};
    let hosts: LaunchedHosts | BubblewrapHosts | undefined;
    try {
      hosts = await this.#hostsOf(limits, life, { program, disablesUserNamespaces });
      const gate = hosts !== undefined && 'gate' in hosts ? hosts.gate : undefined;
      const before = inspectTree(limits, cwd, {
        scan: this.#scan,
        links: this.#links,
        isMountPoint: this.#mountPoints.ours(),
        marksMountPoints: this.#marksMountPoints,
      });
      giveBack = await this.#hold(before.heldNames);
      const held = before.heldNames.filter((name) => realOf(name) === name);
      const facts = { ...before.facts, readOnly: [...before.facts.readOnly, ...held] };
      const network = limits.network || gate !== undefined;
      const options = { network, tty: tty !== undefined, disablesUserNamespaces, cwd: before.cwd };
      const inside = tty === undefined ? argv : interruptible(argv);
      const sandboxed = [...bubblewrapArguments(facts, options), '--', ...inside];
      const start = startBubblewrap(program, sandboxed, { filter, life, tty: tty !== undefined, inheritable, gate });
      return {
        ...start,
        env: { ...tmpdirOf(limits), ...(gate && { ...npmCache(limits, env), ...proxyVariables(HOST_PROXY_PORT) }) },
        hosts,
        ended: async () => {
          let isOver = false;
          hosts?.close();
          try {
            isOver = await life.ended();
            return runPostRunChecks(before, {
              scan: this.#scan,
              links: this.#links,
              quarantine: this.#quarantine,
              isMountPoint: (place) => this.#mountPoints.ours()(place),
            });
          } catch (error) {
            const message = `What the command left behind could not be looked through: ${messageOf(error)}`;
            return [{ kind: 'left_behind', path: cwd, message }];
          } finally {
            // While the sandbox runs, this would open it.
            if (isOver) giveBack();
            else void life.gone().then(giveBack);
          }
        },
        settled: () => this.#mountPoints.settled(),
      };
    } catch (error) {
      giveBack();
      life.close();
      hosts?.close();
      throw error;
    }
  }

  async #hostsOf(
    { hosts }: SandboxLimits,
    life: SandboxLife,
    { program, disablesUserNamespaces }: { readonly program: string; readonly disablesUserNamespaces: boolean },
  ): Promise<LaunchedHosts | BubblewrapHosts | undefined> {
    if (hosts === undefined) return undefined;
    const support = await hostSupport(program, emptySandbox(disablesUserNamespaces, true));
    if (support.type === 'fails') return withoutHosts(support.cause);
    const { nsenter, mkfifo } = support;
    return hostsOfBubblewrap(this.#folder, life, hosts, { ...this.#network, nsenter, mkfifo });
  }

  /** @throws Error with a message for the model. */
  async #hold(names: readonly string[]): Promise<() => void> {
    try {
      if (names.length > 0) this.#killWatch.start();
      return await this.#mountPoints.hold(names);
    } catch (error) {
      throw new Error(`The command was not run: its sandbox could not be set up. ${messageOf(error)}`, {
        cause: error,
      });
    }
  }
}

/** Launches without a sandbox. */
export function launchPlainly({ argv: [program, ...args] }: ExecRequest): Launch {
  return { program, args, descriptors: [], env: {}, started: () => {}, ended: async () => [], settled: async () => {} };
}

async function launchSeatbelt(
  { argv, env }: ExecRequest,
  limits: SandboxLimits,
  network: HostProxyOptions,
): Promise<Launch> {
  const hosts = limits.hosts && (await hostsOfSeatbelt(limits.hosts, network));
  return {
    program: SANDBOX_EXEC,
    args: [...seatbeltArguments(limits, hosts?.port), ...argv],
    descriptors: [],
    env: { ...tmpdirOf(limits), ...(hosts && { ...npmCache(limits, env), ...proxyVariables(hosts.port) }) },
    hosts,
    started: () => {},
    ended: async () => {
      hosts?.close();
      return [];
    },
    settled: async () => {},
  };
}

function tmpdirOf({ temporary }: SandboxLimits): Readonly<Record<string, string>> {
  return temporary.isTmpdir ? { TMPDIR: temporary.folder } : {};
}

function makeTemporary(folder: string): void {
  makePrivateFolderSync(folder);
  const now = new Date();
  utimesSync(folder, now, now);
}
