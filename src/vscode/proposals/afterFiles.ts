import * as vscode from 'vscode';

interface AfterFile {
  readonly text: string;
  readonly isEditable: boolean;
  /** True if VS Code gets it with a byte order mark. */
  readonly hasMark: boolean;
  /** VS Code reloads a file whose time is newer than the one it has. */
  readonly modifiedAt: number;
}

/**
 * With a byte order mark, the user's `files.encoding` does not change how our texts are decoded. Only used where it
 * would: VS Code shows the mark in the status bar.
 */
const UTF8_MARK = '\u{FEFF}';

/**
 * Right sides of diff editors: files that exist only here and that the user may edit before approval. Saving one
 * applies no change.
 */
export class AfterFiles implements vscode.FileSystemProvider, vscode.Disposable {
  readonly #files = new Map<string, AfterFile>();
  readonly #changed = new vscode.EventEmitter<vscode.FileChangeEvent[]>();
  readonly onDidChangeFile = this.#changed.event;

  /** The text set or saved last. */
  textOf(uri: vscode.Uri): string {
    return this.#files.get(uri.toString())?.text ?? '';
  }

  /** An open document without edits shows the new text at once. */
  put(uri: vscode.Uri, text: string, isEditable: boolean): void {
    const address = uri.toString();
    const known = this.#files.get(address);
    if (known?.text === text && known.isEditable === isEditable) return;
    this.#set(uri, { text, isEditable });
    if (known) this.#changed.fire([{ type: vscode.FileChangeType.Changed, uri }]);
  }

  forget(uri: vscode.Uri): void {
    this.#files.delete(uri.toString());
  }

  stat(uri: vscode.Uri): vscode.FileStat {
    const file = this.#find(uri);
    const { isEditable, modifiedAt } = file;
    return {
      type: vscode.FileType.File,
      ctime: 0,
      mtime: modifiedAt,
      size: bytesOf(file).length,
      ...(isEditable ? {} : { permissions: vscode.FilePermission.Readonly }),
    };
  }

  readFile(uri: vscode.Uri): Uint8Array {
    return bytesOf(this.#find(uri));
  }

  writeFile(uri: vscode.Uri, content: Uint8Array): void {
    if (!this.#find(uri).isEditable) throw vscode.FileSystemError.NoPermissions(uri);
    // The decoder removes the byte order mark.
    this.#set(uri, { text: new TextDecoder().decode(content), isEditable: true });
  }

  watch(): vscode.Disposable {
    return new vscode.Disposable(() => {});
  }

  readDirectory(uri: vscode.Uri): never {
    throw vscode.FileSystemError.FileNotADirectory(uri);
  }

  createDirectory(uri: vscode.Uri): never {
    throw vscode.FileSystemError.NoPermissions(uri);
  }

  delete(uri: vscode.Uri): never {
    throw vscode.FileSystemError.NoPermissions(uri);
  }

  rename(uri: vscode.Uri): never {
    throw vscode.FileSystemError.NoPermissions(uri);
  }

  dispose(): void {
    this.#changed.dispose();
    this.#files.clear();
  }

  #find(uri: vscode.Uri): AfterFile {
    const file = this.#files.get(uri.toString());
    if (file === undefined) throw vscode.FileSystemError.FileNotFound(uri);
    return file;
  }

  #set(uri: vscode.Uri, { text, isEditable }: Pick<AfterFile, 'text' | 'isEditable'>): void {
    const address = uri.toString();
    const known = this.#files.get(address);
    const hasMark = known?.hasMark ?? !isReadAsUtf8(uri);
    this.#files.set(address, {
      text,
      isEditable,
      hasMark,
      modifiedAt: Math.max(Date.now(), (known?.modifiedAt ?? 0) + 1),
    });
  }
}

function bytesOf({ text, hasMark }: AfterFile): Uint8Array {
  return new TextEncoder().encode(hasMark ? UTF8_MARK + text : text);
}

/** Returns true if VS Code decodes a file without a byte order mark as UTF-8, whatever its language. */
function isReadAsUtf8(uri: vscode.Uri): boolean {
  const files = vscode.workspace.getConfiguration('files', uri);
  const isSetTo = (name: string, value: unknown) =>
    files.get(name) === value && (files.inspect(name)?.languageIds ?? []).length === 0;
  return isSetTo('encoding', 'utf8') && isSetTo('autoGuessEncoding', false);
}
