import { createHash } from 'node:crypto';
import type { ApplyResult, Exec, FileChange, Ports, Workspace } from '../ports.ts';
import { isBelow } from '../util/pathBelow.ts';

interface RunningApply {
  readonly threadId: string;
  /** Hash of the text after the patch; `null` when the file was removed. */
  readonly hash: string | null;
}

type Stale = Extract<ApplyResult, { type: 'stale' }>;

/** A command that runs now. */
export interface RunningCommand {
  readonly threadId: string;
  readonly argv: readonly string[];
  readonly cwd: string;
}

/**
 * Knows the patches and commands of the threads and sub-agents of one process in the folders that they share. One per
 * process. Patches to one path are serialized by the ports, which know the real path; here is recorded which thread
 * applied them.
 */
export class WorkspaceCoordinator {
  readonly #writers = new Map<string, RunningApply>();
  readonly #running = new Set<RunningCommand>();

  /**
   * Returns the ports of one thread; the coordinator sees its patches and commands through them. Commands of a
   * sub-agent count as commands of its root thread, which is the one that the user knows.
   */
  portsFor(threadId: string, ports: Ports, rootId = threadId): Ports {
    return {
      ...ports,
      workspace: this.#workspaceFor(threadId, ports.workspace),
      exec: this.#execFor(rootId, ports.exec),
    };
  }

  /** The thread whose patch changed this path last; `undefined` when none of this process did. */
  lastWriter(path: string): string | undefined {
    return this.#writers.get(path)?.threadId;
  }

  /** Commands that other root threads run now, with those of their sub-agents. */
  commandsOfOthers(rootId: string): readonly RunningCommand[] {
    return [...this.#running].filter((command) => command.threadId !== rootId);
  }

  #workspaceFor(threadId: string, workspace: Workspace): Workspace {
    const restore = workspace.restore?.bind(workspace);
    const findLinks = workspace.findLinks?.bind(workspace);
    return {
      // A getter: folders are opened and closed.
      get roots() {
        return workspace.roots;
      },
      read: (path, signal) => workspace.read(path, signal),
      readBytes: (path, options) => workspace.readBytes(path, options),
      stat: (path) => workspace.stat(path),
      realPath: (path) => workspace.realPath(path),
      places: (paths) => workspace.places(paths),
      readPlaces: (places, signal) => workspace.readPlaces(places, signal),
      list: (path) => workspace.list(path),
      unsavedFiles: () => workspace.unsavedFiles(),
      unsavedTexts: () => workspace.unsavedTexts?.() ?? [],
      moves: workspace.moves,
      save: (paths) => workspace.save(paths),
      ...(restore === undefined ? {} : { restore }),
      ...(findLinks === undefined ? {} : { findLinks }),
      apply: async (changes, signal, origin) => {
        const result = await workspace.apply(changes, signal, origin);
        if (result.type === 'applied') this.#applied(threadId, changes);
        return result.type === 'stale' ? this.#attributed(threadId, changes, result) : result;
      },
    };
  }

  #applied(threadId: string, changes: readonly FileChange[]): void {
    for (const change of changes) {
      for (const [path, text] of textsLeftBy(change)) this.#writers.set(path, { threadId, hash: hashOf(text) });
    }
  }

  /** Marks a stale plan as outdated by another thread, unless the plan already knew the last patch of that thread. */
  #attributed(threadId: string, changes: readonly FileChange[], stale: Stale): ApplyResult {
    const isOthers = (path: string) => {
      const last = this.#writers.get(path);
      if (last === undefined || last.threadId === threadId) return false;
      return !changes.some((change) => change.path === path && hashOf(change.before) === last.hash);
    };
    return stale.paths.some(isOthers) ? { ...stale, byAnotherThread: true } : stale;
  }

  #execFor(rootId: string, exec: Exec): Exec {
    return {
      prepare: () => exec.prepare?.(),
      spawn: async (request, signal) => {
        const process = await exec.spawn(request, signal);
        const command = { threadId: rootId, argv: request.argv, cwd: request.cwd };
        this.#running.add(command);
        void process.exited.then(() => this.#running.delete(command));
        return process;
      },
    };
  }
}

function textsLeftBy(change: FileChange): readonly (readonly [path: string, text: string | null])[] {
  if (change.kind === 'add') return [[change.path, change.text]];
  if (change.kind === 'delete') return [[change.path, null]];
  const { path, movedTo, after } = change;
  return movedTo === null
    ? [[path, after]]
    : [
        [path, null],
        [movedTo, after],
      ];
}

function hashOf(text: string | null): string | null {
  return text === null ? null : createHash('sha256').update(text).digest('hex');
}

/** The commands in this folder, above it or below it, as a user would type them. */
export function commandsIn(
  cwd: string,
  commands: readonly RunningCommand[],
): { readonly threadId: string; readonly command: string }[] {
  return commands
    .filter((command) => isBelow(command.cwd, cwd) || isBelow(cwd, command.cwd))
    .map(({ threadId, argv }) => ({ threadId, command: asTyped(argv) }));
}

function asTyped(argv: readonly string[]): string {
  const [, option = '', script = ''] = argv;
  return argv.length === 3 && /^-l?c$/.test(option) ? script : argv.join(' ');
}
