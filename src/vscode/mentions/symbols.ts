/** Symbols of the workspace, from the language extensions. */
import { posix } from 'node:path';
import * as vscode from 'vscode';
import { fuzzyMatch } from '../../protocol/text/fuzzyMatch.ts';
import { unusedName } from '../../protocol/text/mentionTokens.ts';
import type { LineRange } from '../../protocol/lineRange.ts';
import type { MentionRow } from '../../protocol/wire.ts';
import { pathOf } from '../workspace/places.ts';

/** The most rows of symbols. */
const MAX_SYMBOLS = 15;
/** Lines that are sent of a symbol whose end no language extension knows. */
const LINES_WITHOUT_END = 40;

/** Rejects when a language extension does. VS Code cannot cancel the request: its answer is left unused. */
export async function symbolRows(query: string): Promise<readonly MentionRow[]> {
  const found =
    (await vscode.commands.executeCommand<readonly vscode.SymbolInformation[] | undefined>(
      'vscode.executeWorkspaceSymbolProvider',
      query,
    )) ?? [];
  const inside = found.filter(({ location }) => vscode.workspace.getWorkspaceFolder(location.uri) !== undefined);
  const matching = inside.flatMap((symbol) => {
    const match = fuzzyMatch(query, symbol.name);
    return match === undefined ? [] : [{ symbol, match }];
  });
  const best = matching.toSorted((one, other) => other.match.score - one.match.score).slice(0, MAX_SYMBOLS);
  const taken = new Set<string>();
  return best.map(({ symbol: { name, location, containerName }, match }) => {
    const line = location.range.start.line + 1;
    const file = vscode.workspace.asRelativePath(location.uri);
    const base = posix.basename(file);
    // Several symbols may have one name.
    const unused = unusedName([name, `${name} (${base})`, `${name} (${base}:${line})`], taken);
    taken.add(unused);
    return {
      mention: {
        type: 'mention',
        kind: 'symbol',
        name: unused,
        id: name,
        path: pathOf(location.uri),
        lines: { first: line, last: location.range.end.line + 1 },
      },
      label: name,
      detail: containerName ? `${containerName}, ${file}:${line}` : `${file}:${line}`,
      positions: match.positions,
    };
  });
}

/**
 * The lines of a whole symbol: providers of workspace symbols may give only the line of its name. `at` is one of its
 * lines.
 */
export async function wholeSymbol(uri: vscode.Uri, name: string, at: LineRange): Promise<LineRange> {
  const symbols =
    (await vscode.commands.executeCommand<readonly (vscode.DocumentSymbol | vscode.SymbolInformation)[] | undefined>(
      'vscode.executeDocumentSymbolProvider',
      uri,
    )) ?? [];
  const line = at.first - 1;
  const found = flat(symbols).find(
    (symbol) => isNamed(symbol.name, name) && symbol.range.start.line <= line && line <= symbol.range.end.line,
  );
  if (found !== undefined) return { first: found.range.start.line + 1, last: found.range.end.line + 1 };
  return at.last > at.first ? at : { first: at.first, last: at.first + LINES_WITHOUT_END - 1 };
}

/** Workspace symbols of functions may have `()` behind their name. */
function isNamed(one: string, other: string): boolean {
  return one === other || `${one}()` === other;
}

interface Ranged {
  readonly name: string;
  readonly range: vscode.Range;
}

/** Inner symbols before those around them. */
function flat(symbols: readonly (vscode.DocumentSymbol | vscode.SymbolInformation)[]): readonly Ranged[] {
  return symbols.flatMap((symbol) => {
    if (!('children' in symbol)) return [{ name: symbol.name, range: symbol.location.range }];
    return [...flat(symbol.children), { name: symbol.name, range: symbol.range }];
  });
}
