import * as vscode from 'vscode';
import type { ShownThread } from '../../core/agent/shownThread.ts';
import type { Session } from '../../core/session/session.ts';
import { isNothing, type SideCopy, type SideCopyStore } from '../../core/sideCopies/sideCopy.ts';
import { isBelow } from '../../core/util/pathBelow.ts';
import { cwdOf, type ThreadState } from '../../protocol/thread.ts';
import { withoutIcons, withoutLinks } from '../ui/escapeUiText.ts';
import { agreesToLose } from './agreesToLose.ts';
import type { BringHome } from './bringHome.ts';
import { localRoots, makeSideCopy, offerRoots } from './makeSideCopy.ts';

export interface SideCopyDeps {
  readonly store: SideCopyStore;
  readonly bringHome: BringHome;
  /** Returns the copy of the shown thread. */
  readonly shown: () => SideCopy | undefined;
  readonly threads: Pick<ShownThread, 'adopt' | 'live'>;
  /** A session that has not begun, in the folders of a copy. */
  readonly startIn: (folders: SideCopy['folders']) => Promise<Session>;
  /** Asks for a model where none is selected. False when the user selects none. */
  readonly hasModel: () => Promise<boolean>;
  /** The setting `sideCopies.links`. */
  readonly links: () => readonly string[];
  readonly titleOf: (threadId: string) => Promise<string | null | undefined>;
  /** Ids of the threads, sub-agents included, that work in one of these folders. */
  readonly threadsIn: (folders: readonly string[]) => Promise<readonly string[]>;
  readonly showThread: (threadId: string) => Promise<void>;
  /** Suspends a thread whose folder is removed; it continues in the workspace when it is opened again. */
  readonly leaveCopy: (threadId: string) => Promise<void>;
  /** Called also where the copy could not be removed. */
  readonly onRemoved: (copy: SideCopy) => void;
  readonly report: (error: unknown) => void;
}

interface CopyItem extends vscode.QuickPickItem {
  readonly copy: SideCopy;
}

/** A copy whose record cannot be read. */
interface UnreadableItem extends vscode.QuickPickItem {
  readonly folder: string;
}

/** "Start in Side Copy", "Show Side Copies", "Bring Home" and "Remove Side Copy". */
export class SideCopyCommands {
  readonly #deps: SideCopyDeps;

  constructor(deps: SideCopyDeps) {
    this.#deps = deps;
  }

  /** Makes a copy of the open folders and shows a new thread that works there. */
  async start(): Promise<void> {
    const roots = localRoots();
    if (roots.length === 0) return offerRoots();
    if (!(await this.#deps.hasModel())) return;
    const copy = await makeSideCopy(roots, this.#deps);
    if (copy === undefined) return;
    const session = await this.#deps.startIn(copy.folders).catch(async (error: unknown) => {
      await this.#deps.store.remove(copy.id);
      throw error;
    });
    await this.#deps.store.assign(copy.id, session.threadId);
    await this.#deps.threads.adopt(session);
    await vscode.commands.executeCommand('tiller.focus');
  }

  /** All copies with size and state; from there they are opened, brought home and removed. */
  async showList(): Promise<void> {
    this.#deps.store.reload();
    const copies = this.#deps.store.all;
    const unreadable = unreadableItems(this.#deps.store);
    if (copies.length + unreadable.length === 0) {
      const start = vscode.l10n.t('Start in Side Copy');
      const none = vscode.l10n.t('There are no side copies.');
      const buttons = localRoots().length > 0 ? [start] : [];
      if ((await vscode.window.showInformationMessage(none, ...buttons)) === start) await this.start();
      return;
    }
    const bringHome = { iconPath: new vscode.ThemeIcon('git-pull-request'), tooltip: vscode.l10n.t('Bring Home') };
    const remove = { iconPath: new vscode.ThemeIcon('trash'), tooltip: vscode.l10n.t('Remove Side Copy') };
    const list = vscode.window.createQuickPick<CopyItem | UnreadableItem>();
    list.title = vscode.l10n.t('Side Copies');
    list.placeholder = vscode.l10n.t('Select a side copy to open its thread');
    list.matchOnDescription = true;
    list.matchOnDetail = true;
    list.busy = true;
    const closed = new AbortController();
    const buttons = [bringHome, remove];
    const chosen = await new Promise<(() => Promise<void>) | undefined>((resolve) => {
      list.onDidAccept(() => {
        const [item] = list.selectedItems;
        resolve(item && (() => ('copy' in item ? this.#openThread(item.copy) : revealFolder(item.folder))));
      });
      list.onDidTriggerItemButton(({ item, button }) => {
        if (!('copy' in item)) return;
        resolve(() => (button === remove ? this.remove(item.copy.id) : this.#bringHome(item.copy)));
      });
      list.onDidHide(() => resolve(undefined));
      void this.#describe(copies, closed.signal, (items) => {
        list.items = [...items.map((item) => ({ ...item, buttons })), ...unreadable];
      }).then(() => {
        list.busy = false;
      }, this.#deps.report);
      list.show();
    });
    closed.abort();
    list.dispose();
    await chosen?.();
  }

  /** Brings the copy of the given thread home, else that of the shown one, else one that the user picks. */
  async bringHome(threadId?: string): Promise<void> {
    const copy = threadId === undefined ? this.#deps.shown() : this.#deps.store.of(threadId);
    if (copy === undefined) return this.showList();
    await this.#bringHome(copy);
  }

  async #bringHome(copy: SideCopy): Promise<void> {
    if (this.#isRunning(copy)) {
      const anyway = vscode.l10n.t('Bring Home Anyway');
      const question = vscode.l10n.t('Tiller is still working in this side copy. Bring home what it has done so far?');
      if ((await vscode.window.showWarningMessage(question, { modal: true }, anyway)) !== anyway) return;
    }
    await this.#deps.bringHome.open(copy);
  }

  /** Call when an agent that works in a side copy has ended: offers to bring home its changes. */
  async offer(threadId: string, role: string): Promise<void> {
    this.#deps.store.reload();
    const copy = this.#deps.store.of(threadId);
    if (copy === undefined) return;
    const { length } = await this.#deps.store.changes(copy.id, new AbortController().signal);
    if (length === 0) return;
    const bringHome = vscode.l10n.t('Bring Home');
    const list = vscode.l10n.t('Show Side Copies');
    const sentence =
      length === 1
        ? vscode.l10n.t('The agent {0} has changed 1 file in a side copy.', role)
        : vscode.l10n.t('The agent {0} has changed {1} files in a side copy.', role, length);
    const chosen = await vscode.window.showInformationMessage(withoutLinks(sentence), bringHome, list);
    if (chosen === bringHome) await this.#deps.bringHome.open(copy);
    else if (chosen === list) await this.showList();
  }

  /** Asks first where changes have not come home. Without an id: that of the shown thread. */
  async remove(id = this.#deps.shown()?.id): Promise<void> {
    const copy = this.#deps.store.all.find((candidate) => candidate.id === id);
    if (copy === undefined) return this.showList();
    const isBusy = () => {
      if (!this.#isRunning(copy)) return false;
      void vscode.window.showWarningMessage(
        vscode.l10n.t('Tiller is working in this side copy. Stop the thread first.'),
      );
      return true;
    };
    if (isBusy()) return;
    const { store } = this.#deps;
    const known = await store.losses(copy.id, new AbortController().signal);
    if (!isNothing(known) && !(await agreesToLose(known))) return;
    // The user may have sent a message while the question was open.
    if (isBusy()) return;
    const live = this.#liveIn(copy).map(({ threadId }) => threadId);
    for (const threadId of new Set([...(copy.threadId === null ? [] : [copy.threadId]), ...live])) {
      await this.#deps.leaveCopy(threadId);
    }
    const result = await store.remove(copy.id, {
      threads: await this.#deps.threadsIn(copy.folders.map((folder) => folder.copy)),
      agrees: async (losses) =>
        isNothing(losses) || JSON.stringify(losses) === JSON.stringify(known) || agreesToLose(losses),
    });
    if (result === 'in_use') {
      void vscode.window.showWarningMessage(vscode.l10n.t('Another window uses this side copy.'));
    }
    if (result === 'removed') await this.#deps.bringHome.forget(copy);
    this.#deps.onRemoved(copy);
  }

  /** Calls `show` whenever more is known. */
  async #describe(
    copies: readonly SideCopy[],
    signal: AbortSignal,
    show: (items: readonly CopyItem[]) => void,
  ): Promise<void> {
    const items = await Promise.all(
      copies.map(async (copy): Promise<CopyItem> => {
        const title = copy.threadId === null ? undefined : await this.#deps.titleOf(copy.threadId);
        const live = this.#deps.threads.live.find(({ threadId }) => threadId === copy.threadId);
        const name =
          live?.title ?? title ?? (live ? vscode.l10n.t('New thread') : vscode.l10n.t('Its thread was deleted'));
        const homes = copy.folders.map(({ home }) => home).join(', ');
        return {
          copy,
          label: withoutIcons(name),
          description: vscode.l10n.t('reading…'),
          detail: `${homes} · ${new Date(copy.createdAt).toLocaleString()}`,
        };
      }),
    );
    show(items);
    for (const [index, item] of items.entries()) {
      const { id } = item.copy;
      try {
        const changed = (await this.#deps.store.changes(id, signal)).length;
        const size = sizeInWords(await this.#deps.store.size(id, signal));
        items[index] = { ...item, description: [this.#stateOf(item.copy, changed), size].join(' · ') };
        show(items);
      } catch (error) {
        if (signal.aborted) return;
        this.#deps.report(error);
      }
    }
  }

  #stateOf(copy: SideCopy, changed: number): string {
    const changes =
      changed === 0
        ? vscode.l10n.t('no changes')
        : changed === 1
          ? vscode.l10n.t('1 file changed')
          : vscode.l10n.t('{0} files changed', changed);
    return this.#isRunning(copy) ? `${vscode.l10n.t('running')} · ${changes}` : changes;
  }

  /** A turn, or a command in the background. */
  #isRunning(copy: SideCopy): boolean {
    return this.#liveIn(copy).some(
      ({ activeTurnId, processes }) =>
        activeTurnId !== null || processes.some(({ status }) => status.type === 'running'),
    );
  }

  #liveIn({ folders }: SideCopy): readonly ThreadState[] {
    return this.#deps.threads.live.filter((state) => {
      const cwd = cwdOf(state);
      return folders.some(({ copy }) => isBelow(cwd, copy));
    });
  }

  async #openThread({ threadId }: SideCopy): Promise<void> {
    if (threadId !== null) await this.#deps.showThread(threadId);
  }
}

function sizeInWords(bytes: number): string {
  if (bytes < 1024 * 1024) return vscode.l10n.t('{0} KiB', Math.ceil(bytes / 1024));
  return vscode.l10n.t('{0} MiB', (bytes / 1024 / 1024).toFixed(1));
}

function unreadableItems({ unreadable }: Pick<SideCopyStore, 'unreadable'>): readonly UnreadableItem[] {
  return unreadable.map(({ folder, problem }) => ({
    folder,
    label: vscode.l10n.t('A side copy that cannot be read'),
    description: withoutIcons(problem),
    detail: vscode.l10n.t('Tiller leaves it as it is: {0}', folder),
  }));
}

async function revealFolder(folder: string): Promise<void> {
  await vscode.commands.executeCommand('revealFileInOS', vscode.Uri.file(folder));
}
