/** Finds the position in the code that a model means by a name, a file and a line: it knows no columns. */
import type { CodePosition, CodeSymbol, Languages } from '../../ports.ts';
import { abortable } from '../../util/abort.ts';
import { escapeRegExp } from '../../util/escapeRegExp.ts';
import { isBelow } from '../../util/pathBelow.ts';
import { findPlace, shownPath } from '../files/filePaths.ts';
import { type ReadGuard, whyUnreadable } from '../files/readGuard.ts';
import { searchFiles } from '../files/searchFiles.ts';
import type { ToolContext } from '../handler.ts';
import type { Limit } from './askPatiently.ts';
import type { CodeTexts } from './codeText.ts';
import { placesText } from './placesText.ts';
import { columnsOf, isNamed, linesWith, symbolName } from './symbolName.ts';

export interface Target {
  readonly symbol: string;
  readonly path?: string | undefined;
  /** From 1. */
  readonly line?: number | undefined;
}

export interface LocateDeps {
  readonly languages: Languages;
  readonly texts: CodeTexts;
  readonly guard: ReadGuard;
  readonly limit: Limit;
  readonly context: ToolContext;
}

export type Located =
  /** One symbol, possibly at several places of one line. */
  | { readonly type: 'found'; readonly name: string; readonly at: readonly CodePosition[] }
  /** For the model: several symbols, to choose one of. */
  | { readonly type: 'ambiguous'; readonly output: string }
  | { readonly type: 'failure'; readonly output: string };

/** `one_symbol`: where it is not certain which symbol is meant, the answer is `ambiguous`. */
type Wanted = 'one_symbol' | 'best_guess';

/**
 * Finds the symbol at its places. Rejects only with the signal's reason,
 * or an error of a language extension.
 */
export async function locate(target: Target, wanted: Wanted, deps: LocateDeps): Promise<Located> {
  if (target.path === undefined) return locateByName(target.symbol, wanted, deps);
  const found = await findFile(target.path, deps);
  if ('output' in found) return { type: 'failure', output: found.output };
  const { path, lines } = found;
  return target.line === undefined
    ? locateInFile(target.symbol, path, lines, wanted, deps)
    : locateInLine(target.symbol, { path, line: target.line }, lines, wanted, deps);
}

/** Opens the file that a model names. `output`: the reason why it cannot be used. */
export async function findFile(
  written: string,
  { languages, texts, guard, limit, context }: LocateDeps,
): Promise<{ readonly path: string; readonly lines: readonly string[] } | { readonly output: string }> {
  const found = await findPlace(written, context);
  if ('problem' in found) return { output: found.problem };
  const { path, place } = found;
  const lines = await texts.of(path);
  if (lines === 'hidden') {
    return { output: `${(await whyUnreadable(path, place, guard, context)) ?? path}. Go on without it.` };
  }
  if (lines === 'missing') return { output: `${path} does not exist, or is not text.` };
  await abortable(languages.open(path), limit.signal);
  return { path, lines };
}

async function locateInLine(
  symbol: string,
  { path, line }: Pick<CodePosition, 'path' | 'line'>,
  lines: readonly string[],
  wanted: Wanted,
  deps: LocateDeps,
): Promise<Located> {
  const { name } = symbolName(symbol);
  const columns = columnsOf(lines[line - 1] ?? '', name);
  if (columns.length === 0) return { type: 'failure', output: elsewhere(name, { path, line }, lines, deps) };
  const at = columns.map((column) => ({ path, line, column }));
  if (wanted === 'best_guess' || at.length === 1) return { type: 'found', name, at };
  const meant = await Promise.all(at.map(async (each) => declarations(each, deps)));
  const keys = new Set(meant.map((places) => JSON.stringify(places)));
  if (keys.size === 1) return { type: 'found', name, at: at.slice(0, 1) };
  const list = await listed(meant.flat(), deps);
  return {
    type: 'ambiguous',
    output: `${name} stands ${at.length} times in line ${line}, for different symbols. Name a line in which it stands once, such as that of its declaration:\n${list}`,
  };
}

async function declarations(
  at: CodePosition,
  { languages, limit }: LocateDeps,
): Promise<readonly Pick<CodePosition, 'path' | 'line'>[]> {
  const found = await abortable(languages.find('definition', at), limit.signal);
  return found.map(({ path, line }) => ({ path, line }));
}

/** The most lines that are named. */
const MAX_LINES = 20;

function elsewhere(
  name: string,
  { path, line }: Pick<CodePosition, 'path' | 'line'>,
  lines: readonly string[],
  { context }: LocateDeps,
): string {
  const found = linesWith(lines, name);
  const where = shownPath(path, context.settings.cwd);
  if (found.length === 0) return `There is no ${name} in ${where}.`;
  const more = found.length > MAX_LINES ? ' …' : '';
  return `There is no ${name} in line ${line} of ${where}. It stands in: ${found.slice(0, MAX_LINES).join(', ')}${more}`;
}

async function locateInFile(
  symbol: string,
  path: string,
  lines: readonly string[],
  wanted: Wanted,
  deps: LocateDeps,
): Promise<Located> {
  const { name } = symbolName(symbol);
  const declared = named(await abortable(deps.languages.outline(path), deps.limit.signal), symbol);
  if (declared.length > 0) return oneOf(name, declared, deps);
  const found = linesWith(lines, name);
  const [line] = found;
  if (line === undefined) return { type: 'failure', output: elsewhere(name, { path, line: 0 }, lines, deps) };
  if (wanted === 'one_symbol' && found.length > 1)
    return ambiguous(
      name,
      found.map((each) => ({ path, line: each })),
      deps,
    );
  return locateInLine(symbol, { path, line }, lines, wanted, deps);
}

async function locateByName(symbol: string, wanted: Wanted, deps: LocateDeps): Promise<Located> {
  const { languages, limit, context, texts } = deps;
  const { name } = symbolName(symbol);
  const search = async () => named(await abortable(languages.search(name), limit.signal), symbol);
  const declared = await search();
  const [first] = declared;
  if (first !== undefined && languages.hasAnswered('code', first.path))
    return oneOf(name, preferOwn(declared, context), deps);
  if (first !== undefined) {
    // The rest of the project may have more symbols of this name.
    await abortable(languages.open(first.path), limit.signal);
    await abortable(languages.settle(first), limit.signal);
    return oneOf(name, preferOwn(await search(), context), deps);
  }
  // Most extensions know no symbol of the workspace before a file of their language is open.
  const files = await filesWith(name, deps);
  const opened = await Promise.all(
    files.slice(0, MAX_OPENED).map(async (path) => {
      const isOpen = await abortable(languages.open(path), limit.signal).then(
        () => true,
        () => false,
      );
      limit.signal.throwIfAborted();
      return isOpen ? { path, symbols: await abortable(languages.outline(path), limit.signal) } : undefined;
    }),
  );
  const inOpened = named(
    opened.flatMap((file) => file?.symbols ?? []),
    symbol,
  );
  if (inOpened.length > 0) return oneOf(name, inOpened, deps);
  const used = opened.find((file) => file !== undefined)?.path;
  const lines = used === undefined ? 'missing' : await texts.of(used);
  if (used === undefined || typeof lines === 'string') {
    return { type: 'failure', output: `No symbol ${name} was found in the workspace, and no file has the word.` };
  }
  if (wanted === 'best_guess' || files.length === 1) return locateInFile(symbol, used, lines, wanted, deps);
  const known = await texts.read(files);
  const places = files.flatMap((path) => {
    const text = known.get(path);
    return typeof text === 'object' ? linesWith(text, name).map((line) => ({ path, line })) : [];
  });
  return ambiguous(name, places, deps);
}

/** Files that are opened, and found, for a name that no extension knows. */
const [MAX_OPENED, MAX_FOUND] = [5, 20];

/** Paths of files with the word, the newest first. */
async function filesWith(name: string, { guard, context }: LocateDeps): Promise<readonly string[]> {
  const { workspace, settings } = context;
  const word = /^\w+$/.test(name) ? String.raw`\b${name}\b` : escapeRegExp(name);
  const found: string[] = [];
  for (const root of workspace.roots.length > 0 ? workspace.roots : [settings.cwd]) {
    const place = await workspace.realPath(root);
    const search = { pattern: word, include: undefined, place, isFolder: true, guard, limit: MAX_FOUND };
    const outcome = await searchFiles(search, context);
    if (outcome.type === 'found') found.push(...outcome.files);
  }
  return found.slice(0, MAX_FOUND);
}

/** Returns the symbols with the name; those with the container, too, if there are any. */
function named(symbols: readonly CodeSymbol[], written: string): readonly CodeSymbol[] {
  const { name, container } = symbolName(written);
  const same = symbols.filter((symbol) => isNamed(symbol.name, name));
  const inside = same.filter((symbol) => container !== '' && isNamed(symbol.container, container));
  return inside.length > 0 ? inside : same;
}

/** Leaves out symbols of libraries, if there are others. */
function preferOwn(symbols: readonly CodeSymbol[], { workspace }: ToolContext): readonly CodeSymbol[] {
  const own = symbols.filter(({ path }) => workspace.roots.some((root) => isBelow(path, root)));
  return own.length > 0 ? own : symbols;
}

async function oneOf(name: string, symbols: readonly CodeSymbol[], deps: LocateDeps): Promise<Located> {
  const places = [...new Map(symbols.map((symbol) => [`${symbol.path}:${symbol.line}`, symbol])).values()];
  const [symbol] = places;
  if (symbol === undefined || places.length > 1) return ambiguous(name, places, deps);
  const lines = await deps.texts.of(symbol.path);
  if (lines === 'hidden') return { type: 'failure', output: `${name} is declared in a file that may not be read.` };
  if (lines === 'missing') return { type: 'found', name, at: [symbol] };
  await abortable(deps.languages.open(symbol.path), deps.limit.signal);
  return { type: 'found', name, at: [positionOfName(name, symbol, lines)] };
}

/** Lines from the start of a declaration in which its name is searched: decorators and comments may come first. */
const HEAD_LINES = 10;

function positionOfName(name: string, symbol: CodeSymbol, lines: readonly string[]): CodePosition {
  const { path } = symbol;
  for (let line = symbol.line; line < symbol.line + HEAD_LINES && line <= lines.length; line++) {
    const columns = columnsOf(lines[line - 1] ?? '', name);
    const column = columns.find((each) => line > symbol.line || each >= symbol.column) ?? columns[0];
    if (column !== undefined) return { path, line, column };
  }
  return { path, line: symbol.line, column: symbol.column };
}

async function ambiguous(
  name: string,
  places: readonly (Pick<CodePosition, 'path' | 'line'> & Partial<Pick<CodeSymbol, 'kind' | 'container'>>)[],
  deps: LocateDeps,
): Promise<Located> {
  const list = await listed(places, deps);
  return { type: 'ambiguous', output: `Which ${name}? Call again with path and line of one of these:\n${list}` };
}

async function listed(
  places: readonly (Pick<CodePosition, 'path' | 'line'> & Partial<Pick<CodeSymbol, 'kind' | 'container'>>)[],
  { texts, context }: LocateDeps,
): Promise<string> {
  const labelled = places.map(({ path, line, kind, container = '' }) => ({
    path,
    line,
    ...(kind === undefined ? {} : { label: container === '' ? kind : `${kind} in ${container}` }),
  }));
  return (await placesText(labelled, texts, (path) => shownPath(path, context.settings.cwd))).text;
}
