import { readFile, realpath } from 'node:fs/promises';
import path from 'node:path';
import * as vscode from 'vscode';
import { type Disposable, DisposableStore } from '../../core/util/disposable.ts';
import { isBelow } from '../../core/util/pathBelow.ts';
import type { RecordedChange } from '../../protocol/baseline.ts';
import { workspaceRoots } from '../workspace/places.ts';

export interface OtherProgramsDeps {
  /** Records the content of the folders. Real paths. */
  readonly look: (roots: readonly string[]) => Promise<void>;
  /** The git folder of the repository that a folder is in: the one with the log of HEAD. */
  readonly gitFolder: (root: string) => Promise<string | undefined>;
  readonly mark: (changes: readonly RecordedChange[]) => Promise<void>;
  readonly report: (error: unknown) => void;
}

/** After the last event of a file: a program often writes several. */
const QUIET_MS = 400;
const NOT_WATCHED = /[\\/](?:\.git|node_modules)(?:[\\/]|$)/;

/**
 * Marks changes in the workspace by programs that Tiller has not started, while it is turned on. The record of changes
 * knows the user's changes in the editor; files that git writes when it moves HEAD, as by a checkout or a pull, are
 * left out here.
 */
export class OtherPrograms implements Disposable {
  readonly #deps: OtherProgramsDeps;
  #watching: DisposableStore | undefined;
  #timer: ReturnType<typeof setTimeout> | undefined;
  /** The last move of HEAD, by root. */
  #moves: ReadonlyMap<string, string> = new Map();
  #roots: readonly string[] = [];
  /** A look has succeeded since it was turned on. */
  #isReady = false;

  constructor(deps: OtherProgramsDeps) {
    this.#deps = deps;
  }

  set isOn(isOn: boolean) {
    if (isOn === (this.#watching !== undefined)) return;
    this.dispose();
    if (isOn) this.#start().catch(this.#deps.report);
  }

  /** Call with changes of unknown writers. Never rejects. */
  async take(changes: readonly RecordedChange[]): Promise<void> {
    // The first look finds changes from before it was on.
    if (!this.#isReady) return;
    try {
      const moves = await this.#lastMoves();
      const moved = this.#roots.filter((root) => moves.get(root) !== this.#moves.get(root));
      this.#moves = moves;
      const byGit = moved.filter((root) => !/\tcommit/.test(moves.get(root) ?? ''));
      await this.#deps.mark(changes.filter((change) => !byGit.some((root) => isBelow(change.path, root))));
    } catch (error) {
      this.#deps.report(error);
    }
  }

  dispose(): void {
    clearTimeout(this.#timer);
    this.#watching?.dispose();
    this.#watching = undefined;
    this.#isReady = false;
    // Changes by git while this is off are not reported once it is on again.
    this.#roots = [];
    this.#moves = new Map();
  }

  async #start(): Promise<void> {
    const watching = new DisposableStore();
    this.#watching = watching;
    const watcher = watching.add(vscode.workspace.createFileSystemWatcher('**/*'));
    const soon = ({ fsPath }: vscode.Uri) => {
      if (!NOT_WATCHED.test(fsPath)) this.#lookSoon();
    };
    watching.add(watcher.onDidChange(soon));
    watching.add(watcher.onDidCreate(soon));
    watching.add(watcher.onDidDelete(soon));
    watching.add(vscode.workspace.onDidChangeWorkspaceFolders(() => this.#lookSoon()));
    await this.#look();
  }

  #lookSoon(): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => void this.#look().catch(this.#deps.report), QUIET_MS);
  }

  async #look(): Promise<void> {
    const watching = this.#watching;
    const roots = await Promise.all(workspaceRoots().map((root) => realpath(root).catch(() => undefined)));
    if (watching === undefined || this.#watching !== watching) return;
    const known = this.#roots;
    this.#roots = roots.filter((root) => root !== undefined);
    if (this.#roots.some((root) => !known.includes(root))) this.#moves = await this.#lastMoves();
    await this.#deps.look(this.#roots);
    if (this.#watching === watching) this.#isReady = true;
  }

  /** The last lines of the logs of HEAD, by root; empty without a repository. */
  async #lastMoves(): Promise<ReadonlyMap<string, string>> {
    const logs = this.#roots.map(async (root) => {
      const folder = await this.#deps.gitFolder(root);
      const text = folder && (await readFile(path.join(folder, 'logs', 'HEAD'), 'utf8').catch(() => ''));
      return [root, text?.trimEnd().split('\n').at(-1) ?? ''] as const;
    });
    return new Map(await Promise.all(logs));
  }
}

/** Turns the setting on or off, for the user. */
export async function toggleOtherPrograms(): Promise<void> {
  const settings = vscode.workspace.getConfiguration('tiller');
  const isOn = settings.get('reviewOtherPrograms') !== true;
  await settings.update('reviewOtherPrograms', isOn, vscode.ConfigurationTarget.Global);
  const sentence = isOn
    ? vscode.l10n.t('Changes by other programs are marked for review from now on.')
    : vscode.l10n.t('Changes by other programs are no longer marked for review.');
  void vscode.window.showInformationMessage(sentence);
}
