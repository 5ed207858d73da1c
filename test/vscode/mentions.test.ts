import assert from 'node:assert/strict';
import { linkSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { suite, test } from 'mocha';
import * as vscode from 'vscode';
import type { Mention } from '../../src/protocol/item.ts';
import type { Op } from '../../src/protocol/op.ts';
import type { MentionRow, PanelUpdate } from '../../src/protocol/wire.ts';
import { refusalOf } from '../../src/core/tools/files/readGuard.ts';
import { attachableFiles } from '../../src/vscode/mentions/attachFiles.ts';
import { RecentFiles } from '../../src/vscode/mentions/editorPlaces.ts';
import { FileIndex } from '../../src/vscode/mentions/fileIndex.ts';
import { fillMentions } from '../../src/vscode/mentions/fillMentions.ts';
import { findMentions, type FindMentionsDeps } from '../../src/vscode/mentions/findMentions.ts';
import { withoutUnreadable } from '../../src/vscode/workspace/gitChanges.ts';
import { MessageSender, type MessageSenderDeps } from '../../src/vscode/chat/messageSender.ts';
import { Mentions, type MentionsDeps } from '../../src/vscode/mentions/mentions.ts';
import { rankFiles } from '../../src/vscode/mentions/rankFiles.ts';
import { type EditorPlace, inPlace, until } from './support/editorPlace.ts';
import { refusesEnv, refusesNothing } from './support/refusals.ts';

const live = new AbortController().signal;

/** Nothing is there to be read. */
const UNREAD = {
  terminals: { textOf: () => undefined },
  redact: async (text: string) => text,
  exportThread: async () => undefined,
  readResource: async () => undefined,
};

/** The rows of a query, by a new index. */
async function rowsOf(query: string, more: Partial<FindMentionsDeps> = {}): Promise<readonly MentionRow[]> {
  const index = new FileIndex();
  const recent = new RecentFiles();
  try {
    const deps = {
      index,
      recent,
      terminals: { terminals: [] },
      threads: async () => [],
      resources: async () => [],
      refusal: () => undefined,
      changedInCopy: undefined,
      ...more,
    };
    const rows: MentionRow[] = [];
    for await (const part of findMentions(query, deps, live)) rows.push(...part);
    return rows;
  } finally {
    index.dispose();
    recent.dispose();
  }
}

const namesOf = (rows: readonly MentionRow[]) => rows.map(({ mention }) => mention.name);
/** The name that the list shows for a file of the place. */
const nameIn = (place: EditorPlace, file: string) => `${path.basename(place.root)}/${file}`;

suite('the list at an @', () => {
  test(
    'has files and folders that the query means, with what it matched',
    inPlace({ 'src/sessionPlan.ts': '', 'src/other.ts': '', 'deep/session/x.txt': '' }, async (place) => {
      const base = path.basename(place.root);
      const rows = (await rowsOf(`${base}/`)).filter(({ mention }) => mention.name.startsWith(base));
      assert.ok(namesOf(rows).includes(nameIn(place, 'src/')));
      const [best] = await rowsOf('sessionPl');
      assert.deepEqual(best, {
        mention: {
          type: 'mention',
          kind: 'file',
          name: nameIn(place, 'src/sessionPlan.ts'),
          path: place.at('src/sessionPlan.ts'),
        },
        label: 'sessionPlan.ts',
        detail: nameIn(place, 'src'),
        positions: [0, 1, 2, 3, 4, 5, 6, 7, 8],
      });
      const folder = (await rowsOf('deep/session')).find(({ mention }) => mention.kind === 'folder');
      assert.equal(folder?.mention.path, place.at('deep/session'));
      assert.equal(folder?.label, 'session/');
    }),
  );

  test(
    'begins with open files, the last used first',
    inPlace({ 'a.txt': '', 'b.txt': '', 'c.txt': '' }, async (place) => {
      const recent = new RecentFiles();
      try {
        await place.open('a.txt');
        await place.open('b.txt');
        assert.deepEqual(namesOf(await rowsOf('', { recent })).slice(0, 2), [
          nameIn(place, 'b.txt'),
          nameIn(place, 'a.txt'),
        ]);
        const [first] = await rowsOf('txt', { recent });
        assert.equal(first?.mention.name, nameIn(place, 'b.txt'));
      } finally {
        recent.dispose();
      }
    }),
  );

  test(
    'takes lines behind a name, and none of a folder',
    inPlace({ 'src/lines.ts': '' }, async (place) => {
      const [row] = await rowsOf('lines.ts:10-20');
      assert.deepEqual(row?.mention.lines, { first: 10, last: 20 });
      assert.equal(row?.mention.name, nameIn(place, 'src/lines.ts:10-20'));
      assert.equal(row?.label, 'lines.ts:10-20');
      assert.deepEqual((await rowsOf('lines.ts:7'))[0]?.mention.lines, { first: 7, last: 7 });
    }),
  );

  test(
    'names a file that may not be read with the reason, and leaves out ignored files and packages',
    inPlace({ 'secret.env': '', 'node_modules/p/secretPackage.js': '', 'out/secretOutput.js': '' }, async (place) => {
      const root = vscode.workspace.workspaceFolders?.[0]?.uri.fsPath ?? '';
      const ignoreFile = path.join(root, '.gitignore');
      writeFileSync(ignoreFile, 'out/\n');
      try {
        const refusal = (file: string) => (file.endsWith('.env') ? `${file} may not be read` : undefined);
        const rows = await rowsOf('secret', { refusal });
        assert.deepEqual(
          rows
            .filter(({ mention }) => mention.path.startsWith(place.root))
            .map(({ label, refused }) => ({ label, refused })),
          [
            {
              label: 'secret.env',
              refused: `${vscode.workspace.asRelativePath(place.at('secret.env'))} may not be read`,
            },
          ],
        );
      } finally {
        rmSync(ignoreFile);
      }
    }),
  );

  test(
    'leaves out what a .gitignore below the open folder names, and follows its changes',
    inPlace(
      {
        'sub/.gitignore': 'made/\n*.gen\n!kept.gen\n',
        'sub/made/nested.txt': '',
        'sub/made/.gitignore': '!nested.txt\n',
        'sub/deep/nested.gen': '',
        'sub/deep/kept.gen': '',
        'nested.gen': '',
      },
      async (place) => {
        const index = new FileIndex();
        const listed = async () => {
          const files = await index.files(live);
          const here = files.filter(({ kind, path: file }) => kind === 'file' && file.startsWith(place.root));
          return here.map(({ path: file }) => path.relative(place.root, file)).toSorted();
        };
        try {
          assert.deepEqual(await listed(), ['nested.gen', 'sub/.gitignore', 'sub/deep/kept.gen']);
          place.write('sub/.gitignore', 'made/\n');
          let now: readonly string[] = [];
          await until(() => {
            void listed().then((files) => (now = files));
            return now.includes('sub/deep/nested.gen');
          }, 20_000);
          assert.equal(now.includes('sub/made/nested.txt'), false);
        } finally {
          index.dispose();
        }
      },
    ),
  );

  test(
    'knows files that were created since',
    inPlace({ 'first.txt': '' }, async (place) => {
      const index = new FileIndex();
      try {
        await index.files(live);
        await vscode.workspace.fs.writeFile(place.uri('later/second.txt'), new Uint8Array());
        let known: readonly string[] = [];
        await until(() => {
          void index.files(live).then((files) => (known = files.map(({ path: file }) => file)));
          return known.includes(place.at('later/second.txt')) && known.includes(place.at('later'));
        }, 20_000);
      } finally {
        index.dispose();
      }
    }),
  );

  test(
    'has the selection, the problems and the threads',
    inPlace({ 'a.ts': 'one\ntwo\nthree\n' }, async (place) => {
      const problems = vscode.languages.createDiagnosticCollection('test');
      try {
        const range = new vscode.Range(1, 0, 1, 3);
        problems.set(place.uri('a.ts'), [new vscode.Diagnostic(range, 'Bad\nword', vscode.DiagnosticSeverity.Error)]);
        const editor = await place.open('a.ts');
        editor.selection = new vscode.Selection(0, 1, 2, 0);
        const context = (await rowsOf('')).filter(
          ({ mention }) => mention.kind !== 'file' && mention.kind !== 'folder',
        );
        assert.deepEqual(
          context.map(({ mention, detail }) => [mention.name, detail]),
          [
            ['selection', `${nameIn(place, 'a.ts')}:1-2`],
            ['problems', '1 error'],
          ],
        );
        assert.deepEqual(context[0]?.mention.lines, { first: 1, last: 2 });
        const threads = async () => [
          { id: 't1', title: 'Cap retries' },
          { id: 't2', title: 'Other' },
        ];
        assert.deepEqual(namesOf(await rowsOf('thread:caprx', { threads })), []);
        assert.deepEqual(
          (await rowsOf('thread:cap', { threads })).map(({ mention }) => [mention.kind, mention.id]),
          [['thread', 't1']],
        );
        const said: Mention = { type: 'mention', kind: 'problems', name: 'problems', path: '' };
        const deps = {
          ...UNREAD,
          refusals: refusesNothing,
        };
        assert.deepEqual(await fillMentions([said], deps, live), [
          { ...said, text: `${nameIn(place, 'a.ts')}:2:1 error: Bad word` },
        ]);
        const [hidden] = await fillMentions(
          [said],
          { ...deps, refusals: async (files) => new Map(files.map((file) => [file, 'no'])) },
          live,
        );
        assert.deepEqual(hidden, { ...said, sent: { type: 'refused', reason: 'there are no problems' } });
      } finally {
        problems.dispose();
      }
    }),
  );

  test('has resources of MCP servers, and a message gets their text', async () => {
    const one = { id: '["notes","note://one"]', server: 'notes', name: 'Note one', description: 'First\nline' };
    const resources = async () => [one, { ...one, id: '["notes","note://two"]', name: 'Other', description: '' }];
    const rows = (await rowsOf('notes:noteo', { resources })).filter(({ mention }) => mention.kind === 'resource');
    assert.deepEqual(
      rows.map(({ mention, detail }) => [mention, detail]),
      [[{ type: 'mention', kind: 'resource', name: 'notes:Note-one', path: '', id: one.id }, 'First']],
    );
    const mention = rows[0]?.mention;
    assert.ok(mention);
    const deps = { ...UNREAD, refusals: refusesNothing };
    const read = (answer: () => Promise<string | undefined>) =>
      fillMentions([mention], { ...deps, readResource: (id) => (assert.equal(id, one.id), answer()) }, live);
    assert.deepEqual(await read(async () => 'a note'), [{ ...mention, text: 'a note' }]);
    assert.deepEqual(await read(async () => undefined), [
      { ...mention, sent: { type: 'refused', reason: 'the resource has no text' } },
    ]);
    assert.deepEqual(await read(() => Promise.reject(new Error('The MCP server notes is not running.'))), [
      { ...mention, sent: { type: 'refused', reason: 'The MCP server notes is not running.' } },
    ]);
  });

  test(
    'has symbols of language extensions, and a message gets the whole symbol',
    inPlace({ 'a.plain': 'x\nfunction findMe() {\n  body;\n}\n' }, async (place) => {
      const uri = place.uri('a.plain');
      const name = new vscode.Range(1, 9, 1, 15);
      const whole = new vscode.DocumentSymbol(
        'findMe',
        '',
        vscode.SymbolKind.Function,
        new vscode.Range(1, 0, 3, 1),
        name,
      );
      const providers = vscode.Disposable.from(
        vscode.languages.registerWorkspaceSymbolProvider({
          provideWorkspaceSymbols: () => [
            new vscode.SymbolInformation('findMe', vscode.SymbolKind.Function, 'Outer', new vscode.Location(uri, name)),
          ],
        }),
        vscode.languages.registerDocumentSymbolProvider(
          { pattern: '**/*.plain' },
          { provideDocumentSymbols: () => [whole] },
        ),
      );
      try {
        const rows = (await rowsOf('findme')).filter(({ mention }) => mention.kind === 'symbol');
        assert.deepEqual(
          rows.map(({ label, detail }) => [label, detail]),
          [['findMe', `Outer, ${nameIn(place, 'a.plain')}:2`]],
        );
        assert.deepEqual(namesOf(await rowsOf('#findMe')), ['findMe']);
        assert.deepEqual(await rowsOf('#findMe', { refusal: () => 'no' }), []);
        const mention = rows[0]?.mention;
        assert.ok(mention);
        const deps = {
          ...UNREAD,
          refusals: refusesNothing,
        };
        assert.deepEqual(await fillMentions([mention], deps, live), [{ ...mention, lines: { first: 2, last: 4 } }]);
      } finally {
        providers.dispose();
      }
    }),
  );

  test('gives terminals, threads and symbols of one name different names', async () => {
    const terminals = ['1', '2', '3'].map((id) => ({ id, name: 'bash' }));
    const rows = await rowsOf('terminal', { terminals: { terminals } });
    assert.deepEqual(
      rows.flatMap(({ mention }) => (mention.kind === 'terminal' ? [[mention.name, mention.id]] : [])),
      [
        ['terminal', '1'],
        ['terminal:bash', '2'],
        ['terminal:bash 2', '3'],
      ],
    );
    const threads = async () => ['1', '2'].map((id) => ({ id, title: 'Fix it' }));
    assert.deepEqual(namesOf(await rowsOf('thread:fix', { threads })), ['thread:Fix it', 'thread:Fix it 2']);
    const root = vscode.workspace.workspaceFolders?.[0]?.uri;
    assert.ok(root);
    const at = (name: string, line: number) =>
      new vscode.SymbolInformation(
        'parseOnce',
        vscode.SymbolKind.Function,
        '',
        new vscode.Location(vscode.Uri.joinPath(root, name), new vscode.Range(line, 0, line, 3)),
      );
    const provider = vscode.languages.registerWorkspaceSymbolProvider({
      provideWorkspaceSymbols: () => [at('a.ts', 0), at('src/b.ts', 4), at('src/b.ts', 8), at('lib/b.ts', 8)],
    });
    try {
      const symbols = (await rowsOf('#parseOnce')).map(({ mention }) => mention);
      // VS Code has an order of its own.
      const names = symbols.map(({ name }) => name);
      assert.equal(new Set(names).size, 4, names.join());
      assert.ok(names.includes('parseOnce') && names.includes('parseOnce (b.ts)'), names.join());
      assert.ok(symbols.every(({ id }) => id === 'parseOnce'));
    } finally {
      provider.dispose();
    }
  });

  test('of 50,000 files yields to other events, and stops when a newer query cancels it', async () => {
    const files = Array.from({ length: 50_000 }, (_, index) => ({
      name: `packages/p${index % 100}/src/module${index}/someComponent${index}.ts`,
      path: `/w/${index}`,
    }));
    const options = { recent: [], most: 3, signal: live };
    const best = await rankFiles('component4999', files, options);
    assert.equal(best.length, 3);
    assert.ok(best.every(({ item }) => item.name.includes('omponent4999')));
    const cancelled = new AbortController();
    // Runs only when the ranking yields.
    setImmediate(() => cancelled.abort(new Error('newer query')));
    await assert.rejects(rankFiles('sC', files, { ...options, signal: cancelled.signal }), /newer query/);
  });
});

suite('files that are attached', () => {
  test(
    'are mentions of files and folders, images apart, and not what may not be read',
    inPlace({ 'a.ts': '', 'pic.PNG': 'bytes', '.env': '', 'src/b.ts': '' }, async (place) => {
      const refusal = async (file: string) => (file.endsWith('.env') ? `${file} may not be read` : undefined);
      const uris = ['a.ts', 'pic.PNG', '.env', 'src', 'gone.ts'].map((name) => place.uri(name));
      const { attachments, images, refused } = await attachableFiles(uris, refusal);
      assert.deepEqual(attachments, [
        { part: { type: 'mention', kind: 'file', name: nameIn(place, 'a.ts'), path: place.at('a.ts') }, inText: false },
        {
          part: { type: 'mention', kind: 'folder', name: nameIn(place, 'src/'), path: place.at('src') },
          inText: false,
        },
      ]);
      const data = Buffer.from('bytes').toString('base64');
      assert.deepEqual(images, [{ name: 'pic.PNG', mediaType: 'image/png', data }]);
      assert.equal(refused[0], `${place.at('.env')} may not be read`);
      assert.equal(refused.length, 2);
    }),
  );

  test(
    'are no images that may not be read by another name of them',
    inPlace({ 'secret.png': 'bytes' }, async (place) => {
      symlinkSync('secret.png', place.at('link.png'));
      linkSync(place.at('secret.png'), place.at('hard.png'));
      const deps = {
        settings: { cwd: place.root },
        thread: { id: 't', home: place.at('home'), unreadable: ['**/secret.png'] },
        host: { platform: 'linux' as const, homeDirectory: '/home/u' },
        workspace: place.workspace,
      };
      const uris = ['secret.png', 'link.png', 'hard.png'].map((name) => place.uri(name));
      const { images, refused } = await attachableFiles(uris, (file) => refusalOf(file, deps));
      assert.deepEqual([images, refused.length], [[], 3]);
    }),
  );
});

suite('mentions of a message', () => {
  test('are in the composer before it gets the focus, so that a message sent at once has them', async () => {
    const { mentions, posted } = withOps({
      reveal: async () => assert.deepEqual(posted, [{ type: 'insert_text', text: '', attachments }]),
    });
    const attachments = [{ part: problems, inText: false }];
    await mentions.insert(attachments);
    assert.equal(posted.length, 1);
  });

  test('get the text of a dropped file only if a file of this name may be read: a draft is on disk', async () => {
    const { mentions, posted } = withOps({
      guard: async () => (names) => names.find((name) => name.endsWith('.env')),
    });
    await mentions.attachCopy({ name: '.env', id: '1', text: 'KEY=secret' });
    assert.deepEqual(posted, []);
    await mentions.attachCopy({ name: 'notes.txt', id: '2', text: 'one' });
    const part = { type: 'mention', kind: 'file', name: 'notes.txt', path: '', id: '2', text: 'one' };
    assert.deepEqual(posted, [{ type: 'insert_text', text: '', attachments: [{ part, inText: false }] }]);
  });

  const problems: Mention = { type: 'mention', kind: 'problems', name: 'problems', path: '' };
  const turn = (text: string, ...more: Mention[]): Op => ({
    type: 'user_turn',
    input: [{ type: 'text', text }, ...more],
  });

  const targetOf = (threadId: string) => ({ threadId, starting: undefined });

  interface SenderParts {
    readonly deliver: MessageSenderDeps['deliver'];
    readonly hold: MessageSenderDeps['view']['hold'];
  }

  function withOps(more: Partial<MentionsDeps> = {}, parts: Partial<SenderParts> = {}) {
    const submitted: Op[] = [];
    const posted: PanelUpdate[] = [];
    const mentions = new Mentions({
      reveal: async () => {},
      guard: async () => () => undefined,
      refusals: refusesNothing,
      redact: UNREAD.redact,
      threads: async () => [],
      exportThread: async () => undefined,
      resources: async () => [],
      readResource: async () => undefined,
      copyChanges: () => undefined,
      changedInCopy: () => undefined,
      post: (message) => void posted.push(message),
      postWhenReady: (message) => void posted.push(message),
      report: (error) => {
        throw error;
      },
      ...more,
    });
    const sender = new MessageSender({
      view: {
        reveal: async () => {},
        focusBack: async () => {},
        giveBack: () => {},
        hold: parts.hold ?? (() => () => {}),
      },
      threads: { target: targetOf('a') },
      modelSettled: async () => {},
      hasModel: () => true,
      fill: (input, target) => mentions.fill(input, target),
      deliver: parts.deliver ?? (async (op) => submitted.push(op) > 0),
    });
    return { mentions, sender, submitted, posted };
  }

  test('are read before it is submitted; later messages wait for it, other ops do not', async () => {
    const { mentions, sender, submitted } = withOps();
    try {
      const first = sender.submit(turn('first', problems), targetOf('a'));
      const second = sender.submit({ type: 'steer', input: [{ type: 'text', text: 'second' }] }, targetOf('a'));
      await sender.submit({ type: 'interrupt' }, targetOf('a'));
      assert.deepEqual(submitted, [{ type: 'interrupt' }]);
      await Promise.all([first, second]);
      assert.deepEqual(
        submitted.map((op) => (op.type === 'user_turn' || op.type === 'steer' ? op.input[0] : op.type)),
        ['interrupt', { type: 'text', text: 'first' }, { type: 'text', text: 'second' }],
      );
      const [, message] = submitted;
      const [, part] = message?.type === 'steer' ? message.input : [];
      assert.ok(part?.type === 'mention' && (part.text !== undefined || part.sent?.type === 'refused'));
    } finally {
      mentions.dispose();
    }
  });

  test('of changes are those of the side copy in which the thread of the message works', async () => {
    const changes: Mention = { type: 'mention', kind: 'changes', name: 'changes', path: '' };
    const { mentions, sender, submitted } = withOps({
      copyChanges: (threadId) =>
        threadId === 'in-copy'
          ? async (refusals) => ((await refusals(['/w/a'])).size === 0 ? 'of the copy' : undefined)
          : undefined,
    });
    const sentOf = () => {
      const op = submitted.at(-1);
      return op?.type === 'steer' ? op.input[1] : undefined;
    };
    try {
      await sender.submit(turn('What?', changes), targetOf('in-copy'));
      assert.deepEqual(sentOf(), { ...changes, text: 'of the copy' });
      await sender.submit(turn('What?', changes), targetOf('at-home'));
      const part = sentOf();
      assert.ok(part?.type === 'mention' && part.text !== 'of the copy');
    } finally {
      mentions.dispose();
    }
    const rows = await rowsOf('changes', { changedInCopy: 2 });
    const [row] = rows.filter(({ mention }) => mention.kind === 'changes');
    assert.deepEqual([row?.label, row?.detail], ['Changes in the Side Copy', '2 files']);
    const none = await rowsOf('changes', { changedInCopy: 0 });
    assert.ok(none.every(({ mention }) => mention.kind !== 'changes'));
  });

  test('go with it to its thread; a message that cannot be sent is rejected, and the next one is sent', async () => {
    const sent: unknown[] = [];
    const held = new Set<unknown>();
    const { mentions, sender } = withOps(
      {},
      {
        deliver: async (op, { threadId }) => {
          sent.push([op.type, threadId]);
          return threadId !== 'gone';
        },
        hold: (_input, threadId) => {
          held.add(threadId);
          return () => void held.delete(threadId);
        },
      },
    );
    try {
      const first = sender.submit(turn('to one that is gone', problems), targetOf('gone'));
      const second = sender.submit(turn('to a'), targetOf('a'));
      assert.deepEqual([...held], ['gone', 'a']);
      await assert.rejects(first, /The message was not sent/);
      await second;
      await until(() => held.size === 0, 20_000);
      assert.deepEqual(sent, [
        ['steer', 'gone'],
        ['steer', 'a'],
      ]);
    } finally {
      mentions.dispose();
    }
  });

  test('are looked up for the newest query alone', async () => {
    const { mentions, posted } = withOps();
    try {
      mentions.find(1, 'one');
      mentions.find(2, 'two');
      await until(() => posted.some((message) => message.type === 'mentions_found' && message.isLast), 20_000);
      assert.deepEqual([...new Set(posted.map((message) => message.type === 'mentions_found' && message.id))], [2]);
    } finally {
      mentions.dispose();
    }
  });

  test('of git leave out the diffs of files that may not be read, by any of their names', async () => {
    const file = (name: string, ...more: string[]) => [`diff --git a/${name} b/${name}`, ...more, ''].join('\n');
    const hunk = (name: string) => file(name, `--- a/${name}`, `+++ b/${name}`, '@@ -1 +1 @@', '-a', '+b');
    const renamed = ['diff --git a/.env b/x.txt', 'rename from .env', 'rename to x.txt', ''].join('\n');
    const diff = [hunk('a.ts'), hunk('.env'), renamed, file('dir/.env', 'deleted file mode 100644')].join('');
    assert.equal(await withoutUnreadable(diff, '/w', refusesEnv), hunk('a.ts').trimEnd());
    const coloured = diff.replaceAll(/^(.+)$/gm, '\u001b[1m$1\u001b[m');
    assert.equal(await withoutUnreadable(coloured, '/w', refusesEnv), hunk('a.ts').trimEnd());
    const merged = ['diff --cc .env', 'index 1,2..3', '--- a/.env', '+++ b/.env', '@@@ -1,1 -1,1 +1,1 @@@', '++a', ''];
    const withMerged = [hunk('a.ts'), merged.join('\n')].join('');
    assert.equal(await withoutUnreadable(withMerged, '/w', refusesEnv), hunk('a.ts').trimEnd());
    assert.equal(await withoutUnreadable('.env --- 1/1 --- Text\n1 KEY=a  1 KEY=b\n', '/w', refusesEnv), '');
  });
});
