/** The Problems port in VS Code: waits until language servers and linters have checked the files of a patch. */
import * as vscode from 'vscode';
import type { CheckedFile, Clock, PatchedFile, Problem, Problems, ProblemWatch } from '../../core/ports.ts';
import { isStaleReport } from '../../core/tools/problems/isStaleReport.ts';
import { type Disposable, DisposableStore } from '../../core/util/disposable.ts';
import { allTabs, openDocument, tabsOf } from '../workspace/documents.ts';
import { pathOf, uriOf } from '../workspace/places.ts';
import { problemsOf } from '../workspace/problemsOf.ts';
import { type CheckedText, findText, problemsIn, shownText } from './checkedText.ts';

/** Milliseconds. */
export const PROBLEM_TIMES = {
  /** A server reports a file in parts: syntax first, types later. */
  quiet: 300,
  /** The longest wait of one patch. */
  most: 3_000,
  /** Milliseconds where no patched file is open: a server that follows the disk may report other files. */
  others: 1_500,
} as const;

/** Languages without checks in VS Code itself. They are waited for once a problem was reported in a file of them. */
const UNCHECKED_LANGUAGES = new Set(['plaintext', 'markdown', 'log', 'ignore', 'properties', 'diff', 'csv']);

/** Waits of a language without any report, after which it is not waited for until something reports a file of it. */
const SILENT_WAITS = 2;

export interface EditorProblemsDeps {
  readonly clock: Pick<Clock, 'monotonic' | 'after'>;
  /** Fires with reports of every file: `vscode.languages.onDidChangeDiagnostics`. */
  readonly onReports: vscode.Event<Pick<vscode.DiagnosticChangeEvent, 'uris'>>;
}

export class EditorProblems implements Problems, Disposable {
  readonly #deps: EditorProblemsDeps;
  readonly #store = new DisposableStore();
  readonly #reporters = new Reporters();

  constructor(deps: EditorProblemsDeps) {
    this.#deps = deps;
    this.#store.add(
      deps.onReports(({ uris }) => {
        for (const uri of uris) {
          const document = openDocument(uri);
          if (document !== undefined) this.#reporters.reported(document.languageId);
        }
      }),
    );
  }

  async watch(files: readonly PatchedFile[]): Promise<ProblemWatch> {
    return new Watch(await Promise.all(files.map(baselineOf)), this.#reporters, this.#deps);
  }

  dispose(): void {
    this.#store.dispose();
  }
}

/** Records which programs report problems in this window: a wait for one that does not exist costs seconds. */
class Reporters {
  /** Languages of files for which something was reported. */
  readonly #reported = new Set<string>();
  /** By language; under '' the waits for files that no patch has changed. */
  readonly #silentWaits = new Map<string, number>();

  reported(languageId: string): void {
    this.#reported.add(languageId);
  }

  wereSilent(languageId: string): void {
    this.#silentWaits.set(languageId, (this.#silentWaits.get(languageId) ?? 0) + 1);
  }

  mayReport(languageId: string): boolean {
    if (this.#reported.has(languageId)) return true;
    return !UNCHECKED_LANGUAGES.has(languageId) && (this.#silentWaits.get(languageId) ?? 0) < SILENT_WAITS;
  }

  /** Returns true if files that a patch has not changed may be reported after it. */
  mayReportOthers(): boolean {
    return this.#reported.size > 0 || (this.#silentWaits.get('') ?? 0) < SILENT_WAITS;
  }
}

/** Lines and problems of a document at one time. */
interface Baseline {
  readonly version: number | undefined;
  readonly lines: readonly string[];
  readonly problems: readonly Problem[];
}

const NO_TEXT: Baseline = { version: undefined, lines: [], problems: [] };

/** A patched file before the patch. */
interface BaselineOfFile {
  readonly file: PatchedFile;
  readonly problems: readonly Problem[];
  /** Baselines of its document, or of each cell, by URI. */
  readonly parts: ReadonlyMap<string, Baseline>;
}

async function baselineOf(file: PatchedFile): Promise<BaselineOfFile> {
  if (file.before === null) return { file, problems: [], parts: new Map() };
  const text = await findText(uriOf(file.before.path), file.before.place);
  const parts = text.parts.map(({ document }) => [document.uri.toString(), textWithProblems(document)] as const);
  return { file, problems: problemsIn(text), parts: new Map(parts) };
}

function textWithProblems(document: vscode.TextDocument): Baseline {
  const { uri, version } = document;
  return { version, lines: document.getText().split(/\r\n|\r|\n/), problems: problemsOf(uri, document) };
}

/** Returns the baseline of a document; that of a file that the patch moves has another URI. */
function baselineOfPart({ parts }: BaselineOfFile, document: vscode.TextDocument, text: CheckedText): Baseline {
  const moved = text.parts.length === 1 && parts.size === 1 ? [...parts.values()][0] : undefined;
  return parts.get(document.uri.toString()) ?? moved ?? NO_TEXT;
}

/** The last report of a file since the watch began. */
interface Report {
  /** Milliseconds of the clock. */
  readonly at: number;
  /** The version of its document; `undefined` where it is not open. */
  readonly version: number | undefined;
}

/** A document of a patched file whose report is waited for. */
interface Awaited {
  readonly document: vscode.TextDocument;
  /** The version of the text after the patch. */
  readonly version: number;
  readonly before: Baseline;
}

class Watch implements ProblemWatch {
  readonly #store = new DisposableStore();
  readonly #patched: readonly BaselineOfFile[];
  readonly #reporters: Reporters;
  readonly #clock: EditorProblemsDeps['clock'];
  /** By URI; the problems before the patch of each file that is shown in a tab. */
  readonly #others: ReadonlyMap<string, { readonly text: CheckedText; readonly problems: readonly Problem[] }>;
  /** By URI. */
  readonly #reports = new Map<string, Report>();
  #reported = () => {};

  constructor(patched: readonly BaselineOfFile[], reporters: Reporters, { clock, onReports }: EditorProblemsDeps) {
    this.#patched = patched;
    this.#reporters = reporters;
    this.#clock = clock;
    this.#others = new Map(
      shownFiles().map((uri) => {
        const text = shownText(uri);
        return [uri.toString(), { text, problems: problemsIn(text) }];
      }),
    );
    this.#store.add(
      onReports(({ uris }) => {
        const at = clock.monotonic();
        for (const uri of uris) this.#reports.set(uri.toString(), { at, version: openDocument(uri)?.version });
        this.#reported();
      }),
    );
  }

  async settle(signal: AbortSignal): Promise<readonly CheckedFile[]> {
    const appliedAt = this.#clock.monotonic();
    const files = await Promise.all(
      this.#patched.map(async (baseline) => {
        const text = await findText(uriOf(baseline.file.path), baseline.file.place);
        return { baseline, text, awaited: this.#awaitedIn(text, baseline) };
      }),
    );
    const awaited = files.flatMap((each) => each.awaited);
    await this.#wait(awaited, appliedAt, signal);
    if (!signal.aborted) this.#noteSilence(awaited, appliedAt);
    const patched = files.map(({ baseline: { file, problems }, text, awaited: own }): CheckedFile => {
      const after = problemsIn(text);
      const known = { path: file.path, isPatched: true, before: problems, after };
      // A file without a tab that is reported nevertheless: its server checks the whole project. A report without
      // problems is no evidence: VS Code sends one for unchecked files, too.
      const report = this.#reportOf(text);
      const hasProblems = problems.length + after.length > 0;
      const isReported = hasProblems && report !== undefined && report.at >= appliedAt && this.#isQuiet(report);
      if (own.length === 0) return { ...known, state: isReported ? 'current' : 'unchecked' };
      return { ...known, state: own.every((part) => this.#isSettled(part)) ? 'current' : 'checking' };
    });
    const patchedUris = new Set(files.map(({ text }) => text.uri.toString()));
    const others = [...this.#others].flatMap(([address, { text, problems }]): readonly CheckedFile[] => {
      const report = this.#reportOf(text);
      if (patchedUris.has(address) || report === undefined) return [];
      const state = this.#isQuiet(report) ? 'current' : 'checking';
      return [
        { path: pathOf(text.uri), isPatched: false, state, before: problems, after: problemsIn(shownText(text.uri)) },
      ];
    });
    return [...patched, ...others];
  }

  /** Returns its document, or the cells that the patch has changed. */
  #awaitedIn(text: CheckedText, baseline: BaselineOfFile): readonly Awaited[] {
    if (tabsOf(text.uri).length === 0) return [];
    const isCell = ({ uri }: vscode.TextDocument) => uri.scheme === 'vscode-notebook-cell';
    return text.parts.flatMap(({ document }) => {
      const known = baselineOfPart(baseline, document, text);
      const isChanged = !isCell(document) || known.version !== document.version;
      if (!isChanged || !this.#reporters.mayReport(document.languageId)) return [];
      return [{ document, version: document.version, before: known }];
    });
  }

  /** The last report about the file or one of its parts. */
  #reportOf({ uri, parts }: CheckedText): Report | undefined {
    const addresses = [uri, ...parts.map(({ document }) => document.uri)].map((each) => each.toString());
    const reports = addresses.flatMap((address) => this.#reports.get(address) ?? []);
    return reports.toSorted((one, other) => one.at - other.at).at(-1);
  }

  dispose(): void {
    this.#store.dispose();
  }

  /** Resolves when all is settled and no open file has been reported for a moment, and in time in any case. */
  #wait(awaited: readonly Awaited[], appliedAt: number, signal: AbortSignal): Promise<void> {
    if (awaited.length === 0 && (this.#others.size === 0 || !this.#reporters.mayReportOthers()))
      return Promise.resolve();
    const deadline = appliedAt + (awaited.length > 0 ? PROBLEM_TIMES.most : PROBLEM_TIMES.others);
    return new Promise((resolve) => {
      let cancel = () => {};
      const end = () => {
        cancel();
        signal.removeEventListener('abort', end);
        this.#reported = () => {};
        resolve();
      };
      const look = () => {
        cancel();
        const now = this.#clock.monotonic();
        const lastReport = this.#lastReport(awaited);
        const isReported =
          awaited.length > 0 ? awaited.every((file) => this.#isReported(file)) : lastReport > appliedAt;
        const wanted = isReported ? Math.min(lastReport + PROBLEM_TIMES.quiet, deadline) : deadline;
        if (now >= wanted) end();
        else cancel = this.#clock.after(wanted - now, look);
      };
      this.#reported = look;
      signal.addEventListener('abort', end);
      if (signal.aborted) end();
      else look();
    });
  }

  #noteSilence(awaited: readonly Awaited[], appliedAt: number): void {
    const silent = awaited.filter(({ document }) => !this.#reports.has(document.uri.toString()));
    for (const languageId of new Set(silent.map(({ document }) => document.languageId))) {
      this.#reporters.wereSilent(languageId);
    }
    const hasWaited = awaited.length === 0 && this.#others.size > 0;
    if (hasWaited && this.#lastReport(awaited) < appliedAt) this.#reporters.wereSilent('');
  }

  /** The time of the last report of a file that is shown in a tab. */
  #lastReport(awaited: readonly Awaited[]): number {
    const shown = [...this.#others.values()].map(({ text }) => this.#reportOf(text)?.at ?? -Infinity);
    return Math.max(
      ...shown,
      ...awaited.map(({ document }) => this.#reports.get(document.uri.toString())?.at ?? -Infinity),
    );
  }

  #isSettled(file: Awaited): boolean {
    const report = this.#reports.get(file.document.uri.toString());
    return report !== undefined && this.#isQuiet(report) && this.#isReported(file);
  }

  /** Reported for the text after the patch or a later one, as far as can be known. */
  #isReported({ document, version, before }: Awaited): boolean {
    const report = this.#reports.get(document.uri.toString());
    if (report?.version === undefined || report.version < version) return false;
    return !isStaleReport(before, textWithProblems(document));
  }

  #isQuiet({ at }: Report): boolean {
    return this.#clock.monotonic() - at >= PROBLEM_TIMES.quiet;
  }
}

/** Text files and notebooks that a tab shows. */
function shownFiles(): readonly vscode.Uri[] {
  const shown = allTabs().flatMap(({ input }) => {
    if (input instanceof vscode.TabInputTextDiff) return [input.modified];
    return input instanceof vscode.TabInputText || input instanceof vscode.TabInputNotebook ? [input.uri] : [];
  });
  const files = shown.filter((uri) => uri.scheme === 'file' || vscode.workspace.getWorkspaceFolder(uri) !== undefined);
  return [...new Map(files.map((uri) => [uri.toString(), uri])).values()];
}
