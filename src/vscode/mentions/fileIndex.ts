/** The names of the files and folders of the workspace, for the list at an `@`. */
import path, { posix } from 'node:path';
import * as vscode from 'vscode';
import { type Disposable, DisposableStore } from '../../core/util/disposable.ts';
import { IGNORE_FILE, IgnoreRules } from '../../core/util/ignoreRules.ts';
import { isBelow } from '../../core/util/pathBelow.ts';
import { pathOf } from '../workspace/places.ts';
import { inSlices } from './inSlices.ts';

export interface IndexedFile {
  /** As VS Code shows it: relative to its folder, which is named where there are several. Folders end with `/`. */
  readonly name: string;
  /** Absolute. */
  readonly path: string;
  readonly kind: 'file' | 'folder';
}

/** The most files that are listed. */
const MAX_FILES = 50_000;
/** Folders that a package manager restores, and repositories of version control. */
const NEVER_LISTED = ['**/node_modules', '**/.git', '**/.hg', '**/.svn', '**/.jj'];

/**
 * Reads the names on the first request, and again when a file was created or deleted since. Honours `files.exclude`,
 * `search.exclude` and, with `search.useIgnoreFiles`, every `.gitignore`.
 */
export class FileIndex implements Disposable {
  readonly #store = new DisposableStore();
  #files: Promise<readonly IndexedFile[]> | undefined;
  #isWatching = false;

  /** Rejects with the signal's reason. A running search for files continues for the next request. */
  async files(signal: AbortSignal): Promise<readonly IndexedFile[]> {
    this.#watch();
    const files = (this.#files ??= this.#read());
    files.catch(() => {
      if (this.#files === files) this.#files = undefined;
    });
    const found = await files;
    signal.throwIfAborted();
    return found;
  }

  dispose(): void {
    this.#store.dispose();
  }

  /** Begins with the first request: a watcher of all files has a cost. */
  #watch(): void {
    if (this.#isWatching) return;
    this.#isWatching = true;
    const forget = () => (this.#files = undefined);
    const watcher = this.#store.add(vscode.workspace.createFileSystemWatcher('**/*', false, true, false));
    this.#store.add(watcher.onDidCreate(forget));
    this.#store.add(watcher.onDidDelete(forget));
    const ignoreFiles = this.#store.add(
      vscode.workspace.createFileSystemWatcher(`**/${IGNORE_FILE}`, true, false, true),
    );
    this.#store.add(ignoreFiles.onDidChange(forget));
    this.#store.add(vscode.workspace.onDidChangeWorkspaceFolders(forget));
    this.#store.add(
      vscode.workspace.onDidChangeConfiguration((event) => {
        if (['files.exclude', 'search.exclude', 'search.useIgnoreFiles'].some((key) => event.affectsConfiguration(key)))
          forget();
      }),
    );
  }

  async #read(): Promise<readonly IndexedFile[]> {
    const uris = await vscode.workspace.findFiles('**/*', excluded(), MAX_FILES);
    const rulesIn = await ignoreRules(uris);
    const names = namesIn(vscode.workspace.workspaceFolders ?? []);
    const files: IndexedFile[] = [];
    const folders = new Map<string, IndexedFile>();
    await inSlices(uris, (uri) => {
      const file = pathOf(uri);
      if (rulesIn(path.dirname(file))?.ignores(file, 'file')) return;
      const name = names(uri);
      files.push({ name, path: file, kind: 'file' });
      let [folder, place] = [posix.dirname(name), posix.dirname(slashed(file))];
      while (folder !== '.' && folder !== '/' && !folders.has(folder)) {
        folders.set(folder, { name: `${folder}/`, path: place, kind: 'folder' });
        [folder, place] = [posix.dirname(folder), posix.dirname(place)];
      }
    });
    return [...files, ...folders.values()];
  }
}

/** The name of a file in the workspace, cheaper than `asRelativePath`, which asks for the folder of each file. */
function namesIn(folders: readonly vscode.WorkspaceFolder[]): (uri: vscode.Uri) => string {
  const innerFirst = folders.toSorted((one, other) => other.uri.path.length - one.uri.path.length);
  return (uri) => {
    const folder = innerFirst.find(
      (root) => uri.scheme === root.uri.scheme && uri.path.startsWith(`${root.uri.path}/`),
    );
    if (folder === undefined) return vscode.workspace.asRelativePath(uri);
    const below = uri.path.slice(folder.uri.path.length + 1);
    return folders.length > 1 ? `${folder.name}/${below}` : below;
  };
}

function slashed(path: string): string {
  return process.platform === 'win32' ? path.replaceAll('\\', '/') : path;
}

/** `files.exclude` holds beside it. */
function excluded(): string {
  const search = vscode.workspace.getConfiguration('search').get<Readonly<Record<string, unknown>>>('exclude') ?? {};
  const chosen = Object.entries(search).flatMap(([glob, value]) =>
    value === true && !glob.includes('{') ? [glob] : [],
  );
  return `{${[...new Set([...NEVER_LISTED, ...chosen])].join(',')}}`;
}

/** The rules of a folder, which are those of the folders above it and its own. */
type RulesIn = (folder: string) => IgnoreRules | undefined;

/** `uris`: the files of the workspace, ignored ones included. */
async function ignoreRules(uris: readonly vscode.Uri[]): Promise<RulesIn> {
  if (vscode.workspace.getConfiguration('search').get('useIgnoreFiles') === false) return () => undefined;
  const roots = (vscode.workspace.workspaceFolders ?? []).map(({ uri }) => uri);
  const found = uris.filter(({ path: place }) => posix.basename(place) === IGNORE_FILE);
  // Ignore files of the open folders count also where there are more files than the maximum.
  const all = [...roots.map((root) => vscode.Uri.joinPath(root, IGNORE_FILE)), ...found];
  const texts = new Map<string, string>();
  await Promise.all(
    all.map(async (uri) => {
      const text = await textAt(uri);
      if (text !== undefined) texts.set(path.dirname(pathOf(uri)), text);
    }),
  );
  const rootPaths = roots.map(pathOf);
  const known = new Map<string, IgnoreRules | undefined>();
  const rulesIn: RulesIn = (folder) => {
    if (known.has(folder)) return known.get(folder);
    const above = rootPaths.some((root) => isBelow(folder, root)) ? rulesIn(path.dirname(folder)) : undefined;
    const text = texts.get(folder);
    // As in git, an ignored folder has no rules of its own.
    const hasOwn = text !== undefined && above?.ignores(folder, 'directory') !== true;
    const rules = hasOwn ? new IgnoreRules(above, folder, text) : above;
    known.set(folder, rules);
    return rules;
  };
  return rulesIn;
}

/** `undefined` where there is no file. */
async function textAt(uri: vscode.Uri): Promise<string | undefined> {
  try {
    return Buffer.from(await vscode.workspace.fs.readFile(uri)).toString('utf8');
  } catch {
    return undefined;
  }
}
