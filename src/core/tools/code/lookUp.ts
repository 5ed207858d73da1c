/** Every request of `code_navigation` but the rename, with its answer for the model. */
import { assertNever } from '../../util/assertNever.ts';
import { abortable, deadline } from '../../util/abort.ts';
import type { CodePosition, CodeRelation, Languages } from '../../ports.ts';
import { shortened } from '../../../protocol/text/truncate.ts';
import { messageOf } from '../../util/fileErrors.ts';
import { shownPath } from '../files/filePaths.ts';
import { withinBudget } from '../files/lines.ts';
import { readGuard, readLimitsOf } from '../files/readGuard.ts';
import type { ToolContext } from '../handler.ts';
import { describeProblem } from '../problems/describeProblem.ts';
import { askAbout, askPatiently, CODE_TIMES, NoAnswer, TimeOver } from './askPatiently.ts';
import { CodeTexts } from './codeText.ts';
import { findFile, locate, type LocateDeps, type Target } from './locate.ts';
import { counted, placesText } from './placesText.ts';
import { columnsOf } from './symbolName.ts';

export interface LookUp extends Partial<Target> {
  readonly op: CodeRelation | 'symbols' | 'hover' | 'diagnostics';
}

/** `count`: how many places, symbols or problems there are. */
export type FoundCode =
  | { readonly type: 'found'; readonly output: string; readonly count: number }
  | { readonly type: 'failure'; readonly output: string };

/**
 * Runs `ask` within the time of one call. Rejects only with the reason of the turn's signal; any other error is a
 * failure.
 */
export async function withinTime<Result>(
  languages: Languages,
  context: ToolContext,
  ask: (deps: LocateDeps) => Promise<Result>,
): Promise<Result | { readonly type: 'failure'; readonly output: string }> {
  const limit = deadline(context.clock, CODE_TIMES.most, new TimeOver(SLOW), context.signal);
  try {
    const guard = await readGuard(readLimitsOf(context), context);
    const texts = new CodeTexts(guard, context);
    return await ask({ languages, texts, guard, limit: { clock: context.clock, signal: limit.signal }, context });
  } catch (error) {
    context.signal.throwIfAborted();
    if (error instanceof NoAnswer || error instanceof TimeOver) return { type: 'failure', output: error.message };
    return { type: 'failure', output: `A language extension of the editor failed: ${messageOf(error)}` };
  } finally {
    limit.end();
  }
}

const SLOW = `The editor has not answered within ${CODE_TIMES.most / 1_000} s. Search the text of the files instead.`;

/**
 * Answers one question about the code. An answer that is too long is cut. Rejects only with the signal's reason or an
 * error of a language extension.
 */
export async function lookUp(request: LookUp, deps: LocateDeps): Promise<FoundCode> {
  const { op, symbol } = request;
  switch (op) {
    case 'diagnostics':
      return problems(request.path, deps);
    case 'symbols':
      return request.path === undefined ? searched(symbol ?? '', deps) : outlined(request.path, symbol, deps);
    case 'hover':
      return described({ ...request, symbol: symbol ?? '' }, deps);
    case 'definition':
    case 'references':
    case 'implementations':
      return related(op, { ...request, symbol: symbol ?? '' }, deps);
    default:
      return assertNever(op);
  }
}

/** Returns the positions of the symbol, at least one; otherwise the output for the model. */
async function positionsOf(
  target: Target,
  deps: LocateDeps,
): Promise<
  | FoundCode
  | {
      readonly type: 'positions';
      readonly name: string;
      readonly at: readonly CodePosition[];
      readonly first: CodePosition;
    }
> {
  const located = await locate(target, 'best_guess', deps);
  if (located.type === 'failure') return located;
  if (located.type === 'ambiguous') return { type: 'found', output: located.output, count: 0 };
  const { name, at } = located;
  const [first] = at;
  if (first === undefined) return { type: 'failure', output: `There is no ${name}.` };
  return { type: 'positions', name, at, first };
}

async function related(relation: CodeRelation, target: Target, deps: LocateDeps): Promise<FoundCode> {
  const { languages, texts, limit } = deps;
  const located = await positionsOf(target, deps);
  if (located.type !== 'positions') return located;
  const { name, at, first } = located;
  const places = await askAbout(
    first,
    async () => (await Promise.all(at.map(async (each) => languages.find(relation, each)))).flat(),
    (found) => found.length === 0,
    languages,
    limit,
  );
  const noun = { definition: 'definition', references: 'reference', implementations: 'implementation' }[relation];
  const { text, count } = await placesText(places, texts, nameIn(deps));
  if (count === 0) return { type: 'found', output: `No ${noun} of ${name} was found.`, count };
  // An index that is older than the text names lines that do not have the symbol any more.
  const stale = relation === 'references' ? await withoutName(places, name, deps) : 0;
  const note =
    stale > places.length / 2
      ? `\n${counted(stale, 'place')} do not have the word ${name}: the editor's index may be older than the text.`
      : '';
  return { type: 'found', output: `${counted(count, noun)} of ${name}:\n${text}${note}`, count };
}

async function withoutName(places: readonly CodePosition[], name: string, { texts }: LocateDeps): Promise<number> {
  const known = await texts.read(places.map(({ path }) => path));
  return places.filter(({ path, line }) => {
    const text = known.get(path);
    return typeof text === 'object' && columnsOf(text[line - 1] ?? '', name).length === 0;
  }).length;
}

/** Characters of a description. */
const MAX_HOVER = 4_000;

async function described(target: Target, deps: LocateDeps): Promise<FoundCode> {
  const { languages, texts, limit } = deps;
  const located = await positionsOf(target, deps);
  if (located.type !== 'positions') return located;
  const { name, first } = located;
  const isEmpty = (found: readonly string[]) => found.length === 0;
  const parts = await askAbout(first, async () => languages.describe(first), isEmpty, languages, limit);
  // A description may quote the declaration.
  const declared = await abortable(languages.find('definition', first), limit.signal);
  const known = await texts.read(declared.map(({ path }) => path));
  if ([...known.values()].includes('hidden')) {
    return { type: 'failure', output: `${name} is declared in a file that may not be read.` };
  }
  if (parts.length === 0) return { type: 'found', output: `Nothing is known of ${name}.`, count: 0 };
  const text = shortened(parts.join('\n\n').trim(), MAX_HOVER);
  return { type: 'found', output: `${name}, ${nameIn(deps)(first.path)}:${first.line}\n${text}`, count: 1 };
}

async function outlined(path: string, filter: string | undefined, deps: LocateDeps): Promise<FoundCode> {
  const { languages, limit } = deps;
  const file = await findFile(path, deps);
  if ('output' in file) return { type: 'failure', output: file.output };
  const symbols = await askPatiently(
    async () => languages.outline(file.path),
    (found) => found.length === 0,
    { kind: 'outline', path: file.path, languages },
    limit,
  );
  const wanted = symbols.filter(({ name }) => filter === undefined || contains(name, filter));
  return symbolList(wanted, `in ${nameIn(deps)(file.path)}`, deps);
}

async function searched(query: string, deps: LocateDeps): Promise<FoundCode> {
  const { languages, limit } = deps;
  if (query === '')
    return { type: 'failure', output: 'symbols needs a symbol to search for, or a path. Nothing was asked.' };
  const symbols = await askPatiently(
    async () => languages.search(query),
    (found) => found.length === 0,
    { kind: 'code', path: undefined, languages },
    limit,
  );
  return symbolList(symbols, `that match ${query}`, deps);
}

async function symbolList(
  symbols: Awaited<ReturnType<Languages['outline']>>,
  which: string,
  deps: LocateDeps,
): Promise<FoundCode> {
  const rows = symbols.map(({ path, line, kind, container, name }) => ({
    path,
    line,
    label: `${kind} ${container === '' ? '' : `${container}.`}${name}`,
  }));
  const { text, count } = await placesText(rows, deps.texts, nameIn(deps));
  if (count === 0) return { type: 'found', output: `No symbols ${which}.`, count };
  return { type: 'found', output: `${counted(count, 'symbol')} ${which}:\n${text}`, count };
}

async function problems(written: string | undefined, deps: LocateDeps): Promise<FoundCode> {
  const { languages, texts, context } = deps;
  const file = written === undefined ? undefined : await findFile(written, deps);
  if (file !== undefined && 'output' in file) return { type: 'failure', output: file.output };
  const all = languages.problems(file?.path);
  const known = await texts.read(all.map(({ path }) => path));
  const shown = all.filter(({ path }) => known.get(path) !== 'hidden');
  const rows = shown
    .flatMap(({ path, problems }) => problems.map((problem) => ({ path, problem })))
    .toSorted((one, other) => Number(one.problem.severity === 'warning') - Number(other.problem.severity === 'warning'))
    .map(({ path, problem }) => {
      const lines = known.get(path);
      const text = typeof lines === 'object' ? (lines[problem.line - 1] ?? '') : '';
      const source = text.trim() === '' ? '' : ` | ${shortened(text.trim(), 120)}`;
      return `${describeProblem(shownPath(path, context.settings.cwd), problem)}${source}`;
    });
  const where = file === undefined ? 'in the editor' : `in ${nameIn(deps)(file.path)}`;
  const unknown = 'Files that are open in no tab may not have been checked.';
  if (rows.length === 0) return { type: 'found', output: `No problems are shown ${where}. ${unknown}`, count: 0 };
  const { text, count } = withinBudget(rows.slice(0, MAX_PROBLEMS));
  const more = rows.length > count ? `\n… and ${rows.length - count} more.` : '';
  return {
    type: 'found',
    output: `${counted(rows.length, 'problem')} ${where}. ${unknown}\n${text}${more}`,
    count: rows.length,
  };
}

const MAX_PROBLEMS = 100;

function contains(name: string, filter: string): boolean {
  return name.toLowerCase().includes(filter.toLowerCase());
}

function nameIn({ context }: LocateDeps): (path: string) => string {
  return (path) => shownPath(path, context.settings.cwd);
}
