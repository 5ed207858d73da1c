/** Waiting for language servers after a patch, with one that does whatever a server may do (docs/editor.md). */
import assert from 'node:assert/strict';
import { suite, test } from 'mocha';
import * as vscode from 'vscode';
import type { CheckedFile, PatchedFile, ProblemWatch } from '../../src/core/ports.ts';
import { Lenses } from '../../src/vscode/changeReview/lenses.ts';
import { EditorProblems, type EditorProblemsDeps, PROBLEM_TIMES } from '../../src/vscode/languages/editorProblems.ts';
import { type EditorPlace, inPlace, until } from './support/editorPlace.ts';

const BEFORE = 'one\ntwo\nthree\nfour\n';
/** Two lines more at the top, so that every problem moves. */
const AFTER = `new\nlines\n${BEFORE}`;

const code = (id: string, source: string) => ({
  cell_type: 'code',
  execution_count: null,
  id,
  metadata: {},
  outputs: [],
  source: [source],
});
const NOTEBOOK = JSON.stringify({
  cells: [code('first', 'one'), code('second', 'three')],
  metadata: { language_info: { name: 'python' } },
  nbformat: 4,
  nbformat_minor: 5,
});

/** A clock that stands until the test moves it. */
class StandingClock {
  #now = 1_000;
  readonly #timers = new Set<{ readonly at: number; readonly callback: () => void }>();

  get isAwaited(): boolean {
    return this.#timers.size > 0;
  }

  monotonic(): number {
    return this.#now;
  }

  after(milliseconds: number, callback: () => void): () => void {
    const timer = { at: this.#now + milliseconds, callback };
    this.#timers.add(timer);
    return () => void this.#timers.delete(timer);
  }

  /** Lets time pass, one timer after the other. */
  pass(milliseconds: number): void {
    const end = this.#now + milliseconds;
    for (;;) {
      const [next] = [...this.#timers].filter(({ at }) => at <= end).toSorted((one, other) => one.at - other.at);
      if (next === undefined) break;
      this.#timers.delete(next);
      this.#now = next.at;
      next.callback();
    }
    this.#now = end;
  }
}

class Server {
  readonly here: EditorPlace;
  readonly clock = new StandingClock();
  readonly problems: EditorProblems;
  readonly #collection = vscode.languages.createDiagnosticCollection('fake');

  constructor(here: EditorPlace) {
    this.here = here;
    this.problems = new EditorProblems({ clock: this.clock, onReports: reportsBelow(here) });
  }

  /** Reports these errors, by line from 1, and waits until VS Code has said so. */
  async reports(path: string, ...lines: readonly number[]): Promise<void> {
    await this.reportsAt(this.here.uri(path), ...lines);
  }

  async reportsAt(uri: vscode.Uri, ...lines: readonly number[]): Promise<void> {
    let isReported = false;
    const listening = vscode.languages.onDidChangeDiagnostics(({ uris }) => {
      isReported ||= uris.some((each) => each.toString() === uri.toString());
    });
    const found = lines.map((line) => {
      const diagnostic = new vscode.Diagnostic(new vscode.Range(line - 1, 0, line - 1, 3), 'wrong');
      diagnostic.source = 'fake';
      return diagnostic;
    });
    this.#collection.set(uri, found);
    await until(() => isReported, 20_000);
    listening.dispose();
  }

  file(path: string, before: string | null = path): PatchedFile {
    const at = (name: string) => ({ path: this.here.at(name), place: this.here.at(name) });
    return { ...at(path), before: before === null ? null : at(before) };
  }

  /** Applies the patch to `a.py`, which must be there. Resolves when the wait has begun. */
  async lands(during?: () => Promise<void>): Promise<Wait> {
    const watch = await this.problems.watch([this.file('a.py')]);
    if (during !== undefined) this.here.beforeFirstWrite = during;
    const result = await this.here.apply([this.here.update('a.py', BEFORE, AFTER)]);
    assert.equal(result.type, 'applied');
    return waits(watch, this.clock);
  }

  dispose(): void {
    this.problems.dispose();
    this.#collection.dispose();
  }
}

/** VS Code reports the end of a collection of an earlier test at some time in this one. */
function reportsBelow(here: EditorPlace): EditorProblemsDeps['onReports'] {
  return (listener) =>
    vscode.languages.onDidChangeDiagnostics(({ uris }) => {
      const own = uris.filter(({ fsPath }) => fsPath.startsWith(`${here.root}/`));
      if (own.length > 0) listener({ uris: own });
    });
}

interface Wait {
  readonly files: Promise<readonly CheckedFile[]>;
  readonly isOver: () => boolean;
  readonly stop: () => void;
}

async function waits(watch: ProblemWatch, clock: StandingClock): Promise<Wait> {
  const stopping = new AbortController();
  let isOver = false;
  const files = watch.settle(stopping.signal).finally(() => {
    isOver = true;
    watch.dispose();
  });
  // The documents are looked up first, which takes file operations.
  await until(() => isOver || clock.isAwaited, 20_000);
  return { files, isOver: () => isOver, stop: () => stopping.abort() };
}

/** `a.py current 1 → 2`: state, and how many problems there were and are. */
async function outcome({ files }: Wait, here: EditorPlace): Promise<string[]> {
  return (await files).map(({ path, state, before, after }) => {
    return `${path.replace(`${here.root}/`, '')} ${state} ${before.length} → ${after.length}`;
  });
}

function withServer(
  files: Readonly<Record<string, string>>,
  story: (server: Server, here: EditorPlace) => Promise<void>,
): () => Promise<void> {
  return inPlace(files, async (here) => {
    const server = new Server(here);
    try {
      await story(server, here);
    } finally {
      server.dispose();
    }
  });
}

/** Long enough for promises that are settled to call their listeners. */
const settled = () => new Promise((resolve) => setImmediate(resolve));

suite('problems after a patch', () => {
  test(
    'are those that are reported for the patched text, once the server is quiet',
    withServer({ 'a.py': BEFORE }, async (server, here) => {
      await here.open('a.py');
      await server.reports('a.py', 2);
      const wait = await server.lands();
      await server.reports('a.py', 4, 5);
      server.clock.pass(PROBLEM_TIMES.quiet - 1);
      await settled();
      assert.equal(wait.isOver(), false);
      server.clock.pass(1);
      assert.deepEqual(await outcome(wait, here), ['a.py current 1 → 2']);
      const [file] = await wait.files;
      const texts = (problems: CheckedFile['after']) =>
        problems.map(({ line, lineText, origin }) => [line, lineText, origin]);
      assert.deepEqual(texts(file?.before ?? []), [[2, 'two', 'fake']]);
      assert.deepEqual(texts(file?.after ?? []), [
        [4, 'two', 'fake'],
        [5, 'three', 'fake'],
      ]);
    }),
  );

  test(
    'wait for the next part of a report that comes in parts',
    withServer({ 'a.py': BEFORE }, async (server, here) => {
      await here.open('a.py');
      const wait = await server.lands();
      await server.reports('a.py', 4);
      server.clock.pass(PROBLEM_TIMES.quiet - 1);
      await server.reports('a.py', 4, 5);
      server.clock.pass(PROBLEM_TIMES.quiet - 1);
      await settled();
      assert.equal(wait.isOver(), false);
      server.clock.pass(1);
      assert.deepEqual(await outcome(wait, here), ['a.py current 0 → 2']);
    }),
  );

  test(
    'are still being checked where the server is silent',
    withServer({ 'a.py': BEFORE }, async (server, here) => {
      await here.open('a.py');
      const wait = await server.lands();
      server.clock.pass(PROBLEM_TIMES.most - 1);
      await settled();
      assert.equal(wait.isOver(), false);
      server.clock.pass(1);
      assert.deepEqual(await outcome(wait, here), ['a.py checking 0 → 0']);
    }),
  );

  test(
    'are still being checked where the server is too slow, or late',
    withServer({ 'a.py': BEFORE }, async (server, here) => {
      await here.open('a.py');
      const slow = await server.lands();
      server.clock.pass(PROBLEM_TIMES.most - 100);
      await server.reports('a.py', 4);
      server.clock.pass(100);
      assert.deepEqual(await outcome(slow, here), ['a.py checking 0 → 1']);
      const watch = await server.problems.watch([server.file('a.py')]);
      const late = await waits(watch, server.clock);
      server.clock.pass(PROBLEM_TIMES.most);
      await server.reports('a.py', 4, 5);
      assert.match((await outcome(late, here)).join(), /^a.py checking 1 → /);
    }),
  );

  test(
    'are still being checked where the server never stops to report, and the wait ends',
    withServer({ 'a.py': BEFORE }, async (server, here) => {
      await here.open('a.py');
      const wait = await server.lands();
      for (let passed = 0; passed < PROBLEM_TIMES.most; passed += 250) {
        await server.reports('a.py', 4 + (passed % 500 === 0 ? 0 : 1));
        server.clock.pass(250);
      }
      assert.deepEqual(await outcome(wait, here), ['a.py checking 0 → 1']);
    }),
  );

  test(
    'are not those of a report for the text before the patch',
    withServer({ 'a.py': BEFORE }, async (server, here) => {
      await here.open('a.py');
      await server.reports('a.py', 2, 4);
      // Reported while the patch was not written yet.
      const early = await server.lands(() => server.reports('a.py', 1, 2, 4));
      server.clock.pass(PROBLEM_TIMES.quiet);
      await settled();
      assert.equal(early.isOver(), false);
      // Reported afterwards, at the lines of the old text.
      await server.reports('a.py', 2, 4);
      server.clock.pass(PROBLEM_TIMES.quiet);
      await settled();
      assert.equal(early.isOver(), false);
      await server.reports('a.py', 4, 6);
      server.clock.pass(PROBLEM_TIMES.quiet);
      assert.deepEqual(await outcome(early, here), ['a.py current 2 → 2']);
    }),
  );

  test(
    'are unknown for a file that is open in no tab, and no tab is opened for it',
    withServer({ 'a.py': BEFORE }, async (server, here) => {
      const tabs = here.tabs();
      const wait = await server.lands();
      server.clock.pass(PROBLEM_TIMES.others);
      assert.deepEqual(await outcome(wait, here), ['a.py unchecked 0 → 0']);
      assert.deepEqual(here.tabs(), tabs);
    }),
  );

  test(
    'are those of another open file, too, when the patched one is closed',
    withServer({ 'a.py': BEFORE, 'caller.py': 'a()\n', 'same.py': 'b()\n' }, async (server, here) => {
      await here.open('caller.py');
      await here.open('same.py');
      const wait = await server.lands();
      server.clock.pass(PROBLEM_TIMES.others - 500);
      await settled();
      assert.equal(wait.isOver(), false);
      await server.reports('caller.py', 1);
      server.clock.pass(PROBLEM_TIMES.quiet);
      assert.deepEqual(await outcome(wait, here), ['a.py unchecked 0 → 0', 'caller.py current 0 → 1']);
    }),
  );

  test(
    'are known of a file that is open in no tab only when one was reported: VS Code also reports files that nothing checks',
    withServer({ 'a.py': BEFORE, 'caller.py': 'a()\n' }, async (server, here) => {
      await here.open('caller.py');
      const clean = await server.lands();
      await server.reports('a.py');
      server.clock.pass(PROBLEM_TIMES.others);
      assert.deepEqual(await outcome(clean, here), ['a.py unchecked 0 → 0']);
      const watch = await server.problems.watch([server.file('a.py')]);
      const broken = await waits(watch, server.clock);
      await server.reports('a.py', 4);
      server.clock.pass(PROBLEM_TIMES.others);
      assert.deepEqual(await outcome(broken, here), ['a.py current 0 → 1']);
    }),
  );

  test(
    'are waited for in plain text only when something has reported some',
    withServer({ 'a.py': BEFORE, 'a.txt': 'one\n' }, async (server, here) => {
      await here.open('a.txt');
      const patched = [server.file('a.txt')];
      const unknown = await waits(await server.problems.watch(patched), server.clock);
      server.clock.pass(PROBLEM_TIMES.others);
      assert.deepEqual(await outcome(unknown, here), ['a.txt unchecked 0 → 0']);
      await server.reports('a.txt', 1);
      const known = await waits(await server.problems.watch(patched), server.clock);
      server.clock.pass(PROBLEM_TIMES.most);
      assert.deepEqual(await outcome(known, here), ['a.txt checking 1 → 1']);
    }),
  );

  test(
    'are waited for twice where nothing reports any, and again once something does',
    withServer({ 'a.py': BEFORE }, async (server, here) => {
      await here.open('a.py');
      const patched = [server.file('a.py')];
      const wait = async () => waits(await server.problems.watch(patched), server.clock);
      for (let silent = 0; silent < 2; silent++) {
        const waiting = await wait();
        server.clock.pass(PROBLEM_TIMES.most);
        assert.deepEqual(await outcome(waiting, here), ['a.py checking 0 → 0']);
      }
      // Not the same as a patch to a file that is not open: that is waited for twice, too.
      for (let silent = 0; silent < 2; silent++) {
        const waiting = await wait();
        server.clock.pass(PROBLEM_TIMES.others);
        assert.deepEqual(await outcome(waiting, here), ['a.py unchecked 0 → 0']);
      }
      assert.deepEqual(await outcome(await wait(), here), ['a.py unchecked 0 → 0']);
      await server.reports('a.py', 1);
      const known = await wait();
      assert.equal(known.isOver(), false);
      server.clock.pass(PROBLEM_TIMES.most);
      assert.deepEqual(await outcome(known, here), ['a.py checking 1 → 1']);
    }),
  );

  test(
    'follow a moved file, and a new file had none before',
    withServer({ 'a.py': BEFORE, 'b.py': BEFORE }, async (server, here) => {
      await here.open('b.py');
      await server.reports('a.py', 2);
      const watch = await server.problems.watch([server.file('b.py', 'a.py'), server.file('c.py', null)]);
      const wait = await waits(watch, server.clock);
      await server.reports('b.py', 2);
      server.clock.pass(PROBLEM_TIMES.quiet);
      assert.deepEqual(await outcome(wait, here), ['b.py current 1 → 1', 'c.py unchecked 0 → 0']);
    }),
  );

  test(
    'are not waited for when the turn is stopped',
    withServer({ 'a.py': BEFORE }, async (server, here) => {
      await here.open('a.py');
      const wait = await server.lands();
      wait.stop();
      assert.deepEqual(await outcome(wait, here), ['a.py checking 0 → 0']);
    }),
  );

  test(
    'of a notebook are those of its cells, by the lines of its text, and only changed cells are waited for',
    withServer({ 'book.ipynb': NOTEBOOK }, async (server, here) => {
      const book = await vscode.workspace.openNotebookDocument(here.uri('book.ipynb'));
      await vscode.window.showNotebookDocument(book, { preview: false });
      const [first, second] = book.getCells().map(({ document }) => document.uri);
      assert.ok(first && second);
      await server.reportsAt(second, 1);
      const watch = await server.problems.watch([server.file('book.ipynb')]);
      const { text } = await here.workspace.read(here.at('book.ipynb'));
      const applied = await here.apply([here.update('book.ipynb', text, text.replace('one\n', 'one\ntwo\n'))]);
      assert.equal(applied.type, 'applied');
      const wait = await waits(watch, server.clock);
      assert.equal(wait.isOver(), false);
      await server.reportsAt(first, 2);
      server.clock.pass(PROBLEM_TIMES.quiet);
      const [file, ...others] = await wait.files;
      assert.deepEqual(others, []);
      assert.deepEqual(
        [
          file?.state,
          ...[file?.before, file?.after].map((found) => found?.map(({ line, lineText }) => `${line} ${lineText}`)),
        ],
        ['current', ['4 three'], ['3 two', '5 three']],
      );
    }),
  );
});

suite('a change under review', () => {
  test(
    'says how many errors are in its lines now',
    withServer({ 'a.py': BEFORE }, async (server, here) => {
      const lenses = new Lenses(here.reviews);
      try {
        const { document } = await here.open('a.py');
        const after = BEFORE.replace('one', 'uno').replace('four', 'quattro');
        const unseen = { turnId: 'turn', itemId: 'item', isUnseen: true };
        const result = await here.apply([here.update('a.py', BEFORE, after)], unseen);
        assert.equal(result.type, 'applied');
        const errors = () =>
          lenses
            .provideCodeLenses(document)
            .filter(({ command }) => command?.title.startsWith('$(error)'))
            .map(({ range, command }) => [range.start.line + 1, command?.title]);
        assert.deepEqual(errors(), []);
        let isRefreshed = false;
        const listening = lenses.onDidChangeCodeLenses(() => (isRefreshed = true));
        await server.reports('a.py', 1, 2, 4, 4);
        await until(() => isRefreshed, 20_000);
        listening.dispose();
        assert.deepEqual(errors(), [[1, '$(error) 3 errors']]);
        const toolbarAt = (line: number) => {
          const [text] = lenses.provideHover(document, new vscode.Position(line - 1, 0))?.contents ?? [];
          return text instanceof vscode.MarkdownString ? text.value : '';
        };
        assert.match(toolbarAt(1), /\$\(error\) 1 error\]/);
        assert.match(toolbarAt(4), /\$\(error\) 2 errors\]/);
      } finally {
        lenses.dispose();
      }
    }),
  );
});
