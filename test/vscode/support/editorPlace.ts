/** A folder of its own in the workspace of the test VS Code, with working ports. */
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync, readlinkSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import * as vscode from 'vscode';
import type { ApplyResult, DecidedChange, FileChange } from '../../../src/core/ports.ts';
import { hunksFrom } from '../../../src/core/patch/hunkAlgebra.ts';
import { applyDeps } from '../../../src/extension/applyPorts.ts';
import { DiskPaths } from '../../../src/node/apply/canonicalPath.ts';
import { WantedLinks } from '../../../src/node/host/wantedLinks.ts';
import { createLocks } from '../../../src/node/storage/locks.ts';
import { type InterruptedApply, recoverJournals } from '../../../src/node/apply/recoverJournals.ts';
import { findRecoverable } from '../../../src/extension/recoverPatches.ts';
import type { RecoverablePatch } from '../../../src/vscode/recovery/interruptedPatch.ts';
import { FileMoves } from '../../../src/vscode/apply/fileMoves.ts';
import type { ApplyDeps, ApplyJournal, PatchOrigin } from '../../../src/vscode/apply/model.ts';
import { Decisions } from '../../../src/vscode/changeReview/decide.ts';
import { Reviews } from '../../../src/vscode/changeReview/reviews.ts';
import { UndoPatch } from '../../../src/vscode/undo/undoPatch.ts';
import { decided } from '../../support/decided.ts';
import { openDocument } from '../../../src/vscode/workspace/documents.ts';
import { createEditorWorkspace, type EditorWorkspace } from '../../../src/vscode/apply/editorWorkspace.ts';
import { applyPatch } from '../../../src/vscode/apply/applyPatch.ts';
import { journalsIn } from '../../support/journals.ts';

type Content = string | Uint8Array;
const silent = () => {};
/** Above the pids of Linux. */
const NOBODY = 2 ** 22 + 1;

export class EditorPlace {
  readonly root: string;
  readonly #home: string;
  readonly #deadHome: string;
  readonly #moves: FileMoves;
  readonly deps: ApplyDeps;
  readonly workspace: EditorWorkspace;
  readonly undo: UndoPatch;
  readonly reviews = new Reviews((error) => {
    throw error;
  });
  readonly decisions: Decisions;
  /** Called when the journal is on disk and before the first write. */
  beforeFirstWrite: () => void | Promise<void> = silent;

  constructor(files: Readonly<Record<string, Content>> = {}) {
    this.root = fresh.pop() ?? newFolder();
    this.#home = join(tmpdir(), `tiller-home-${randomUUID().slice(0, 8)}`);
    this.#deadHome = `${this.#home}-dead`;
    for (const [path, content] of Object.entries(files)) this.write(path, content);
    const log = { debug: silent, info: silent, warn: silent, error: silent };
    this.#moves = new FileMoves(
      () => new DiskPaths(),
      (error) => {
        throw error;
      },
    );
    const made = applyDeps(this.#home, { uuid: randomUUID }, this.#moves, log);
    const deps: ApplyDeps = { ...made, journal: this.#watched(made.journal) };
    this.deps = deps;
    const { reviews } = this;
    const links = new WantedLinks();
    const findLinks: WantedLinks['find'] = (files, wanted, places) => links.find(files, wanted, places);
    const reader = createEditorWorkspace({ ...deps, findLinks });
    const deciding = { ...deps, watch: reviews.watchAs('decision') };
    this.undo = new UndoPatch({
      reader,
      apply: async (changes) => {
        const result = await applyPatch(changes, deciding);
        if (result.type === 'applied') reviews.applied(result.changes, undefined);
        return result;
      },
    });
    this.decisions = new Decisions({ reviews, reader, apply: (changes) => applyPatch(changes, deciding) });
    this.workspace = createEditorWorkspace({
      ...deps,
      findLinks,
      watchFor: (origin) => reviews.watchFor(origin),
      onApplied: (changes, origin) => {
        this.undo.record(changes, origin);
        reviews.applied(changes, origin);
      },
    });
  }

  at(path: string): string {
    return join(this.root, path);
  }

  uri(path: string): vscode.Uri {
    return vscode.Uri.file(this.at(path));
  }

  // ---------------------------------------------------------------- the disk

  write(path: string, content: Content): void {
    mkdirSync(dirname(this.at(path)), { recursive: true });
    writeFileSync(this.at(path), content);
  }

  /** Byte for byte. */
  disk(path: string): string {
    return readFileSync(this.at(path), 'latin1');
  }

  /** Every file below the folder, by its path; a link as `-> target`. */
  tree(): Record<string, string> {
    return treeBelow(this.root);
  }

  journals(): string[] {
    return journalsIn(this.#home);
  }

  /** The open journal, as if the host that wrote it had been killed. */
  keepJournalOfDeadHost(edited = (text: string) => text): void {
    const folder = join(this.#home, 'journal');
    const dead = join(this.#deadHome, 'journal');
    mkdirSync(dead, { recursive: true });
    for (const name of journalsIn(this.#home)) {
      const bytes = readFileSync(join(folder, name), 'latin1').replace(`"pid":${process.pid}`, `"pid":${NOBODY}`);
      writeFileSync(join(dead, name.replace(`-${process.pid}.`, `-${NOBODY}.`)), edited(bytes), 'latin1');
    }
  }

  interruptedApplies(): Promise<readonly InterruptedApply[]> {
    return recoverJournals(this.#deadHome, createLocks(this.#deadHome, 'vscode'), assert.fail);
  }

  /** The patches of the dead host as the extension finds them. */
  recoverable(): Promise<readonly RecoverablePatch[]> {
    return findRecoverable(this.#deadHome, createLocks(this.#deadHome, 'vscode'), this.deps);
  }

  // ---------------------------------------------------------------- the editor

  async open(path: string): Promise<vscode.TextEditor> {
    return vscode.window.showTextDocument(this.uri(path), { preview: false });
  }

  document(path: string): vscode.TextDocument | undefined {
    return openDocument(this.uri(path));
  }

  /** Names of files in the folder with unsaved text: other tests may have left theirs. */
  dirty(): string[] {
    return vscode.workspace.textDocuments
      .filter(({ isDirty, uri }) => isDirty && uri.fsPath.startsWith(`${this.root}/`))
      .map(({ uri }) => uri.fsPath);
  }

  /** Opens the file, inserts the text before its first line and does not save. */
  async type(path: string, text: string): Promise<void> {
    const editor = await this.open(path);
    await editor.edit((builder) => builder.insert(new vscode.Position(0, 0), text));
  }

  async pressUndo(path: string): Promise<string> {
    const editor = await this.open(path);
    await vscode.commands.executeCommand('undo');
    return editor.document.getText();
  }

  /** Labels, in order. */
  tabs(): string[] {
    return vscode.window.tabGroups.all.flatMap((group) => group.tabs.map((tab) => tab.label));
  }

  // ---------------------------------------------------------------- ports

  /** The places, resolved now. */
  async apply(changes: readonly FileChange[], origin?: PatchOrigin): Promise<ApplyResult> {
    return this.applyDecided(await decided(this.workspace, changes), origin);
  }

  applyDecided(changes: readonly DecidedChange[], origin?: PatchOrigin): Promise<ApplyResult> {
    return this.workspace.apply(changes, undefined, origin);
  }

  async close(): Promise<void> {
    this.#moves.dispose();
    this.reviews.dispose();
    for (const tab of vscode.window.tabGroups.all.flatMap((group) => group.tabs)) await discard(tab);
    rmSync(this.root, { recursive: true, force: true });
    rmSync(this.#home, { recursive: true, force: true });
    rmSync(this.#deadHome, { recursive: true, force: true });
  }

  // ---------------------------------------------------------------- changes

  add(path: string, text: string, before: string | null = null): FileChange {
    return { kind: 'add', path: this.at(path), text, before };
  }

  remove(path: string, before: string | null): FileChange {
    return { kind: 'delete', path: this.at(path), before };
  }

  update(path: string, before: string, after: string): FileChange {
    const hunks = hunksFrom(before, after);
    return { kind: 'update', path: this.at(path), before, after, hunks, movedTo: null, movedOver: null };
  }

  move(path: string, to: string, before: string, after = before, movedOver: string | null = null): FileChange {
    const hunks = hunksFrom(before, after);
    return { kind: 'update', path: this.at(path), before, after, hunks, movedTo: this.at(to), movedOver };
  }

  #watched(journal: ApplyJournal): ApplyJournal {
    return {
      open: async (entries, signal) => {
        const opened = await journal.open(entries, signal);
        await this.beforeFirstWrite();
        return opened;
      },
    };
  }
}

/** Created beforehand: a patch waits where a folder has just been created (`PathStability`). */
const fresh = Array.from({ length: 20 }, newFolder);

function newFolder(): string {
  const folder = join(
    vscode.workspace.workspaceFolders?.[0]?.uri.fsPath ?? tmpdir(),
    `landing-${randomUUID().slice(0, 8)}`,
  );
  mkdirSync(folder, { recursive: true });
  return folder;
}

/** Runs the test and cleans up afterwards, whatever happens in it. */
export function inPlace(
  files: Readonly<Record<string, Content>>,
  story: (place: EditorPlace) => Promise<void>,
): () => Promise<void> {
  return async () => {
    const place = new EditorPlace(files);
    try {
      await story(place);
    } finally {
      await place.close();
    }
  };
}

/** A dirty tab prompts before it closes, which would hang; so its text is reverted first. */
async function discard(tab: vscode.Tab): Promise<void> {
  if (tab.isDirty && tab.input instanceof vscode.TabInputText) {
    await vscode.window.showTextDocument(tab.input.uri, { preview: false, viewColumn: tab.group.viewColumn });
    await vscode.commands.executeCommand('workbench.action.revertAndCloseActiveEditor');
    return;
  }
  await vscode.window.tabGroups.close(tab, true).then(undefined, () => false);
}

function treeBelow(root: string, prefix = ''): Record<string, string> {
  const tree: Record<string, string> = {};
  for (const entry of readdirSync(join(root, prefix), { withFileTypes: true })) {
    const path = prefix + entry.name;
    if (entry.isDirectory()) Object.assign(tree, treeBelow(root, `${path}/`));
    else if (entry.isSymbolicLink()) tree[path] = `-> ${readlinkSync(join(root, path))}`;
    else tree[path] = readFileSync(join(root, path), 'latin1');
  }
  return tree;
}

export async function until(condition: () => boolean, milliseconds = 5000): Promise<void> {
  const deadline = Date.now() + milliseconds;
  while (!condition()) {
    if (Date.now() > deadline) throw new Error(`still not so after ${milliseconds} ms: ${condition.toString()}`);
    await pause(20);
  }
}

export function pause(milliseconds: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, milliseconds));
}

/** Changes a setting of the user until the test ends. */
export async function withSetting(name: string, value: unknown, story: () => Promise<void>): Promise<void> {
  const set = (to: unknown) => vscode.workspace.getConfiguration().update(name, to, vscode.ConfigurationTarget.Global);
  const before = vscode.workspace.getConfiguration().inspect(name)?.globalValue;
  await set(value);
  try {
    await story();
  } finally {
    await set(before);
  }
}
