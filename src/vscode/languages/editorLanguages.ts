/** The Languages port in VS Code: its `vscode.execute…Provider` commands, which ask all extensions of a language. */
import * as vscode from 'vscode';
import type {
  CodeEdit,
  CodeKind,
  CodePosition,
  CodeRelation,
  CodeSymbol,
  Languages,
  RenameAnswer,
  RenamedFile,
} from '../../core/ports.ts';
import type { Disposable } from '../../core/util/disposable.ts';
import { messageOf } from '../../core/util/fileErrors.ts';
import { openDocument } from '../workspace/documents.ts';
import { pathOf, uriOf } from '../workspace/places.ts';
import { problemsOf } from '../workspace/problemsOf.ts';
import { append } from '../../core/util/append.ts';

const COMMANDS: Readonly<Record<CodeRelation, string>> = {
  definition: 'vscode.executeDefinitionProvider',
  references: 'vscode.executeReferenceProvider',
  implementations: 'vscode.executeImplementationProvider',
};

/**
 * Calls without an answer after which an empty answer is believed, for a language that an extension names: with a large
 * project or on a busy machine a language server takes longer than one call waits.
 */
const SILENT_CALLS = 5;

/** Milliseconds: an extension that does not name the language may register for it when it starts. */
const SHORT_PATIENCE = 1_500;

export class EditorLanguages implements Languages, Disposable {
  /** Kinds of requests with the language that something has answered about. */
  readonly #answered = new Set<string>();
  /** By kind of request and language: calls that have waited in vain. */
  readonly #silences = new Map<string, number>();
  readonly #listener = vscode.extensions.onDidChange(() => this.#silences.clear());

  async open(path: string): Promise<void> {
    await vscode.workspace.openTextDocument(uriOf(path));
  }

  hasAnswered(kind: CodeKind, path: string | undefined): boolean {
    return this.#answered.has(keyOf(kind, path));
  }

  isSilent(kind: CodeKind, path: string | undefined): boolean {
    const needed = isDeclared(path) ? SILENT_CALLS : 1;
    return (this.#silences.get(keyOf(kind, path)) ?? 0) >= needed;
  }

  patienceFor(path: string | undefined): number {
    return isDeclared(path) ? Infinity : SHORT_PATIENCE;
  }

  noteSilence(kind: CodeKind, path: string | undefined): void {
    const key = keyOf(kind, path);
    this.#silences.set(key, (this.#silences.get(key) ?? 0) + 1);
  }

  dispose(): void {
    this.#listener.dispose();
  }

  /**
   * Waits until VS Code's TypeScript has read the project. Until then a server without the project answers most
   * requests, but not those for type definitions (docs/decisions/0051).
   */
  async settle(at: CodePosition): Promise<void> {
    await asked('vscode.executeTypeDefinitionProvider', uriOf(at.path), positionOf(at)).then(undefined, () => {});
  }

  async find(relation: CodeRelation, at: CodePosition): Promise<readonly CodePosition[]> {
    const found = await asked<readonly (vscode.Location | vscode.LocationLink)[]>(
      COMMANDS[relation],
      uriOf(at.path),
      positionOf(at),
    );
    return this.#noted('code', at.path, (found ?? []).map(placeOf));
  }

  async describe(at: CodePosition): Promise<readonly string[]> {
    const hovers = await asked<readonly vscode.Hover[]>('vscode.executeHoverProvider', uriOf(at.path), positionOf(at));
    const parts = (hovers ?? []).flatMap(({ contents }) => contents.map((content) => markdownOf(content).trim()));
    return this.#noted(
      'code',
      at.path,
      parts.filter((part) => part !== ''),
    );
  }

  async outline(path: string): Promise<readonly CodeSymbol[]> {
    const found = await asked<readonly (vscode.DocumentSymbol | vscode.SymbolInformation)[]>(
      'vscode.executeDocumentSymbolProvider',
      uriOf(path),
    );
    return this.#noted('outline', path, flat(found ?? [], path, ''));
  }

  async search(query: string): Promise<readonly CodeSymbol[]> {
    const found = await asked<readonly vscode.SymbolInformation[]>('vscode.executeWorkspaceSymbolProvider', query);
    return this.#noted('code', undefined, (found ?? []).map(symbolOf));
  }

  async rename(at: CodePosition, newName: string): Promise<RenameAnswer> {
    try {
      // For a file that is not open, VS Code 1.139 passes the new name in an array, and fails with "Unexpected type".
      await this.open(at.path);
      const edit = await asked<vscode.WorkspaceEdit>(
        'vscode.executeDocumentRenameProvider',
        uriOf(at.path),
        positionOf(at),
        newName,
      );
      return { type: 'renamed', files: this.#noted('code', at.path, edit === undefined ? [] : filesOf(edit)) };
    } catch (error) {
      // The reason of the extension, or VS Code's "No result.".
      return { type: 'refused', message: messageOf(error) };
    }
  }

  problems(path?: string): ReturnType<Languages['problems']> {
    const uris = path === undefined ? vscode.languages.getDiagnostics().map(([uri]) => uri) : [uriOf(path)];
    const known = uris.map((uri) => ({ path: nameOf(uri), problems: problemsOf(uri, openDocument(uri)) }));
    return known.filter(({ problems }) => problems.length > 0);
  }

  #noted<Value>(kind: CodeKind, path: string | undefined, found: readonly Value[]): readonly Value[] {
    if (found.length > 0) this.#answered.add(keyOf(kind, path));
    return found;
  }
}

/**
 * Returns true if an extension with code names the language in its manifest: it may be starting. The stable API does
 * not report for which languages providers are registered. Without a path, any may answer.
 */
function isDeclared(path: string | undefined): boolean {
  const language = path === undefined ? undefined : openDocument(uriOf(path))?.languageId;
  if (language === undefined) return true;
  return vscode.extensions.all.some(({ packageJSON }) => {
    const { main, browser, activationEvents = [] } = packageJSON as Manifest;
    const hasCode = main !== undefined || browser !== undefined;
    return hasCode && (activationEvents.includes(`onLanguage:${language}`) || activationEvents.includes('onLanguage'));
  });
}

interface Manifest {
  readonly main?: unknown;
  readonly browser?: unknown;
  readonly activationEvents?: readonly unknown[];
}

/** The empty language: symbols of the workspace. */
function keyOf(kind: CodeKind, path: string | undefined): string {
  return `${kind} ${path === undefined ? '' : (openDocument(uriOf(path))?.languageId ?? path)}`;
}

function asked<Value>(command: string, ...args: readonly unknown[]): Thenable<Value | undefined> {
  return vscode.commands.executeCommand<Value | undefined>(command, ...args);
}

function positionOf({ line, column }: CodePosition): vscode.Position {
  return new vscode.Position(line - 1, column);
}

/** A path where there is a file, the whole URI where there is none: sources that an extension makes up. */
function nameOf(uri: vscode.Uri): string {
  const isFile = uri.scheme === 'file' || vscode.workspace.getWorkspaceFolder(uri) !== undefined;
  return isFile ? pathOf(uri) : uri.toString();
}

function startIn(uri: vscode.Uri, { start }: vscode.Range): CodePosition {
  return { path: nameOf(uri), line: start.line + 1, column: start.character };
}

function placeOf(found: vscode.Location | vscode.LocationLink): CodePosition {
  if ('uri' in found) return startIn(found.uri, found.range);
  return startIn(found.targetUri, found.targetSelectionRange ?? found.targetRange);
}

function markdownOf(content: vscode.MarkdownString | vscode.MarkedString): string {
  if (typeof content === 'string') return content;
  if (!('language' in content)) return content.value;
  return `\`\`\`${content.language}\n${content.value}\n\`\`\``;
}

function symbolOf({ name, kind, containerName, location }: vscode.SymbolInformation): CodeSymbol {
  return { ...startIn(location.uri, location.range), name, kind: kindOf(kind), container: containerName };
}

function flat(
  symbols: readonly (vscode.DocumentSymbol | vscode.SymbolInformation)[],
  path: string,
  container: string,
): readonly CodeSymbol[] {
  return symbols.flatMap((symbol) => {
    if (!('children' in symbol)) return [symbolOf(symbol)];
    const { name, kind, selectionRange, children } = symbol;
    const { line, character: column } = selectionRange.start;
    const own = { path, line: line + 1, column, name, kind: kindOf(kind), container };
    return [own, ...flat(children, path, name)];
  });
}

function kindOf(kind: vscode.SymbolKind): string {
  return vscode.SymbolKind[kind]?.toLowerCase() ?? 'symbol';
}

function filesOf(edit: vscode.WorkspaceEdit): readonly RenamedFile[] {
  const moves = movesOf(edit);
  const cameFrom = new Map(moves.map(({ from, to }) => [to.toString(), from]));
  const files = new Map<string, { readonly uri: vscode.Uri; readonly edits: CodeEdit[] }>();
  const fileOf = (uri: vscode.Uri) => {
    const file = files.get(uri.toString()) ?? { uri, edits: [] };
    files.set(uri.toString(), file);
    return file;
  };
  // An extension may name a moved file by its old or by its new name.
  for (const [uri, edits] of edit.entries()) {
    append(fileOf(cameFrom.get(uri.toString()) ?? uri).edits, edits.map(editOf));
  }
  for (const { from } of moves) fileOf(from);
  const targets = new Map(moves.map(({ from, to }) => [from.toString(), nameOf(to)]));
  return [...files].map(([address, { uri, edits }]) => ({
    path: nameOf(uri),
    movedTo: targets.get(address) ?? null,
    text: openDocument(uri)?.getText(),
    edits,
  }));
}

function editOf({ range: { start, end }, newText }: vscode.TextEdit): CodeEdit {
  return {
    start: { line: start.line + 1, column: start.character },
    end: { line: end.line + 1, column: end.character },
    text: newText,
  };
}

interface FileMove {
  readonly from: vscode.Uri;
  readonly to: vscode.Uri;
}

/**
 * Files that the rename moves, such as that of a Java class. The API has no way to read them from an edit; without this
 * function of VS Code's class they stay where they are.
 */
function movesOf(edit: vscode.WorkspaceEdit): readonly FileMove[] {
  const entries: unknown =
    '_allEntries' in edit && typeof edit._allEntries === 'function' ? edit._allEntries() : undefined;
  return Array.isArray(entries) ? entries.filter(isMove) : [];
}

function isMove(entry: unknown): entry is FileMove {
  if (typeof entry !== 'object' || entry === null || !('from' in entry) || !('to' in entry)) return false;
  return entry.from instanceof vscode.Uri && entry.to instanceof vscode.Uri;
}
