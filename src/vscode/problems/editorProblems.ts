/** The Problems port in VS Code: waits until language servers and linters have checked what a patch has changed. */
import * as vscode from 'vscode';
import type { CheckedFile, Clock, PatchedFile, Problem, Problems, ProblemWatch } from '../../core/ports.ts';
import { isStaleReport } from '../../core/tools/problems/isStaleReport.ts';
import { type Disposable, DisposableStore } from '../../core/util/disposable.ts';
import { allTabs, documentOfFile, openDocument, tabsOf } from '../workspace/documents.ts';
import { pathOf, uriOf } from '../workspace/places.ts';
import { problemsOf } from '../workspace/problemsOf.ts';

/** Milliseconds. */
export const PROBLEM_TIMES = {
  /** A server reports a file in parts: syntax first, types later. */
  quiet: 300,
  /** The longest wait of one patch. */
  most: 3_000,
  /** The same where no patched file is open: a server that follows the disk may report other files. */
  others: 1_500,
} as const;

/**
 * Languages that VS Code checks with nothing of its own. They are waited for once something has reported a problem in a
 * file of them.
 */
const UNCHECKED_LANGUAGES = new Set(['plaintext', 'markdown', 'log', 'ignore', 'properties', 'diff', 'csv']);

/** Waits of a language without any report, after which it is not waited for until something reports a file of it. */
const SILENT_WAITS = 2;

export interface EditorProblemsDeps {
  readonly clock: Pick<Clock, 'monotonic' | 'after'>;
  /** Reports of every file: `vscode.languages.onDidChangeDiagnostics`. */
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

/** What is known in this window of the programs that report problems: a wait for one that does not exist costs seconds. */
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

  /** Whether files that a patch has not changed may be reported after it. */
  mayReportOthers(): boolean {
    return this.#reported.size > 0 || (this.#silentWaits.get('') ?? 0) < SILENT_WAITS;
  }
}

/** Lines and problems of a file at one time. */
interface Baseline {
  readonly lines: readonly string[];
  readonly problems: readonly Problem[];
}

const NO_TEXT: Baseline = { lines: [], problems: [] };

async function baselineOf(file: PatchedFile): Promise<{ readonly file: PatchedFile; readonly before: Baseline }> {
  if (file.before === null) return { file, before: NO_TEXT };
  const document = await documentOfFile(uriOf(file.before.path), file.before.place);
  return { file, before: textWithProblems(document?.uri ?? uriOf(file.before.path), document) };
}

function textWithProblems(uri: vscode.Uri, document: vscode.TextDocument | undefined): Baseline {
  return { lines: document?.getText().split(/\r\n|\r|\n/) ?? [], problems: problemsOf(uri, document) };
}

/** The last report of a file since the watch began. */
interface Report {
  /** Milliseconds of the clock. */
  readonly at: number;
  /** Of its document; `undefined` where it is not open. */
  readonly version: number | undefined;
}

/** A patched file whose report is waited for. */
interface Awaited {
  readonly document: vscode.TextDocument;
  /** Of the text after the patch. */
  readonly version: number;
  readonly before: Baseline;
}

class Watch implements ProblemWatch {
  readonly #store = new DisposableStore();
  readonly #patched: readonly { readonly file: PatchedFile; readonly before: Baseline }[];
  readonly #reporters: Reporters;
  readonly #clock: EditorProblemsDeps['clock'];
  /** By URI; the problems before the patch of each file that is shown in a tab. */
  readonly #others: ReadonlyMap<string, { readonly uri: vscode.Uri; readonly problems: readonly Problem[] }>;
  /** By URI. */
  readonly #reports = new Map<string, Report>();
  #reported = () => {};

  constructor(
    patched: readonly { readonly file: PatchedFile; readonly before: Baseline }[],
    reporters: Reporters,
    { clock, onReports }: EditorProblemsDeps,
  ) {
    this.#patched = patched;
    this.#reporters = reporters;
    this.#clock = clock;
    this.#others = new Map(
      shownFiles().map((uri) => [uri.toString(), { uri, problems: problemsOf(uri, openDocument(uri)) }]),
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
    const documents = await Promise.all(
      this.#patched.map(async ({ file, before }) => {
        const document = await documentOfFile(uriOf(file.path), file.place);
        const isShown = document !== undefined && tabsOf(document.uri).length > 0;
        const isAwaited = isShown && this.#reporters.mayReport(document.languageId);
        return {
          file,
          before,
          uri: document?.uri ?? uriOf(file.path),
          awaited: isAwaited ? { document, version: document.version, before } : undefined,
        };
      }),
    );
    const awaited = documents.flatMap((each) => each.awaited ?? []);
    await this.#wait(awaited, appliedAt, signal);
    if (!signal.aborted) this.#noteSilence(awaited, appliedAt);
    const patched = documents.map(({ file, before, uri, awaited }): CheckedFile => {
      const known = { path: file.path, isPatched: true, before: before.problems };
      const after = problemsOf(uri, openDocument(uri));
      // A file without a tab that is reported nevertheless: its server checks the whole project. A report without problems
      // says nothing: VS Code sends one for files that nothing has checked, too.
      const report = this.#reports.get(uri.toString());
      const hasProblems = before.problems.length + after.length > 0;
      const isReported = hasProblems && report !== undefined && report.at >= appliedAt && this.#isQuiet(report);
      if (awaited === undefined) return { ...known, after, state: isReported ? 'current' : 'unchecked' };
      return { ...known, after, state: this.#isSettled(awaited) ? 'current' : 'checking' };
    });
    const patchedUris = new Set(documents.map(({ uri }) => uri.toString()));
    const others = [...this.#others].flatMap(([address, { uri, problems }]): readonly CheckedFile[] => {
      const report = this.#reports.get(address);
      if (patchedUris.has(address) || report === undefined) return [];
      const state = this.#isQuiet(report) ? 'current' : 'checking';
      const after = problemsOf(uri, openDocument(uri));
      return [{ path: pathOf(uri), isPatched: false, state, before: problems, after }];
    });
    return [...patched, ...others];
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
    const shown = [...this.#others.keys(), ...awaited.map(({ document }) => document.uri.toString())];
    return Math.max(...shown.map((address) => this.#reports.get(address)?.at ?? -Infinity));
  }

  #isSettled(file: Awaited): boolean {
    const report = this.#reports.get(file.document.uri.toString());
    return report !== undefined && this.#isQuiet(report) && this.#isReported(file);
  }

  /** Reported for the text after the patch or a later one, as far as can be known. */
  #isReported({ document, version, before }: Awaited): boolean {
    const report = this.#reports.get(document.uri.toString());
    if (report?.version === undefined || report.version < version) return false;
    return !isStaleReport(before, textWithProblems(document.uri, document));
  }

  #isQuiet({ at }: Report): boolean {
    return this.#clock.monotonic() - at >= PROBLEM_TIMES.quiet;
  }
}

/** Text files that a tab shows. */
function shownFiles(): readonly vscode.Uri[] {
  const shown = allTabs().flatMap(({ input }) => {
    if (input instanceof vscode.TabInputTextDiff) return [input.modified];
    return input instanceof vscode.TabInputText ? [input.uri] : [];
  });
  const files = shown.filter((uri) => uri.scheme === 'file' || vscode.workspace.getWorkspaceFolder(uri) !== undefined);
  return [...new Map(files.map((uri) => [uri.toString(), uri])).values()];
}
