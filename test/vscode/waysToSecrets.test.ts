/**
 * Ways of VS Code by which the text of a file that may not be read could come to the model: terminals, other threads, open
 * notebooks, settings that change while a thread runs. Others: test/scenarios/waysToSecrets.test.ts.
 */
import assert from 'node:assert/strict';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { suite, test } from 'mocha';
import * as vscode from 'vscode';
import { compose } from '../../src/extension/compose.ts';
import type { Mention } from '../../src/protocol/item.ts';
import type { HostMessage } from '../../src/protocol/wire.ts';
import { mentionOfLines } from '../../src/vscode/mentions/editorPlaces.ts';
import { calls, ModelServer, says } from '../support/modelServer.ts';
import { tempFolder } from '../support/tempFolder.ts';
import { configure, ownHome } from './support/ownHome.ts';
import { contextOf, eventually, Page } from './support/page.ts';

declare const TILLER_VERSION: string;

const SECRET = 'sesame-of-env-4711';
const PRINTED = 'printed-by-cell-12';

/** Starts commands in a terminal of VS Code, whose shell integration is imitated. */
function imitatedShells() {
  const { onDidStartTerminalShellExecution, onDidEndTerminalShellExecution } = vscode.window;
  const started = new vscode.EventEmitter<vscode.TerminalShellExecutionStartEvent>();
  Object.assign(vscode.window, { onDidStartTerminalShellExecution: started.event });
  return {
    run(cwd: string, command: string, printed: string) {
      async function* read() {
        yield printed;
      }
      const execution = { commandLine: { value: command }, read };
      const terminal = { name: 'imitated', shellIntegration: { cwd: vscode.Uri.file(cwd) } };
      started.fire({ terminal, execution } as unknown as vscode.TerminalShellExecutionStartEvent);
    },
    [Symbol.dispose]() {
      Object.assign(vscode.window, { onDidStartTerminalShellExecution, onDidEndTerminalShellExecution });
      started.dispose();
    },
  };
}

const BOOK = JSON.stringify({
  cells: [
    {
      cell_type: 'code',
      id: 'load',
      metadata: {},
      execution_count: 1,
      source: ['print(rows)'],
      outputs: [{ name: 'stdout', output_type: 'stream', text: [PRINTED] }],
    },
  ],
  metadata: { language_info: { name: 'python' } },
  nbformat: 4,
  nbformat_minor: 5,
});

suite('a file that may not be read', () => {
  test('is not read by a terminal, another thread, or an open notebook, whenever the setting closes it', async () => {
    using home = ownHome();
    using folder = tempFolder();
    using shells = imitatedShells();
    writeFileSync(folder.at('.env'), `API_KEY=${SECRET}\n`);
    writeFileSync(folder.at('book.ipynb'), BOOK);
    const bookFile = folder.at('book.ipynb');
    const patch = `*** Begin Patch\n*** Update File: ${bookFile}\n@@\n-print(columns)\n+print()\n*** End Patch`;
    await using server = await ModelServer.start([
      [says('Seen.')],
      [calls('read_file', { file_path: bookFile }), calls('apply_patch', { input: patch })],
      [says('No.')],
      [says('Seen.')],
      [says('Seen.')],
    ]);
    await configure({
      providers: { p: { baseUrl: server.baseUrl, wireApi: 'responses' } },
      provider: 'p',
      model: 'm',
      approvalPolicy: 'never',
      'sandbox.mode': 'danger-full-access',
    });
    const page = new Page();
    const tiller = await compose(contextOf());
    const heard = () => page.heard as readonly HostMessage[];
    const terminal = async (): Promise<Mention> => {
      const id = 1;
      page.say({ type: 'find_mentions', id, query: 'terminal' });
      const rows = () =>
        heard().flatMap((one) => (one.type === 'mentions_found' && one.id === id ? [...one.rows] : []));
      const found = () => rows().find(({ mention }) => mention.kind === 'terminal')?.mention;
      await eventually(() => found() !== undefined);
      return found() as Mention;
    };
    let turns = 0;
    const send = async (text: string, ...mentions: readonly Mention[]): Promise<string> => {
      page.say({ type: 'op', op: { type: 'user_turn', input: [{ type: 'text', text }, ...mentions] } });
      turns++;
      await eventually(() => JSON.stringify(page.heard).split('"turn_completed"').length > turns);
      return server.lastRequest.text;
    };
    const file = (name: string): Mention => ({ type: 'mention', kind: 'file', name, path: folder.at(name) });
    try {
      tiller.view.resolveWebviewView(page.view);
      page.say({ type: 'ready', build: TILLER_VERSION });
      await page.hears('"snapshot"');
      const book = await vscode.workspace.openNotebookDocument(vscode.Uri.file(bookFile));
      await vscode.window.showNotebookDocument(book);
      assert.equal(mentionOfLines(book.cellAt(0).document, { first: 1, last: 1 }), undefined, 'a selection in a cell');

      shells.run(folder.path, 'cat .env', `API_KEY=${SECRET}\r\n`);
      const first = await send('What is wrong?', await terminal(), file('.env'), file('book.ipynb'));
      assert.match(first, /\$ cat \.env\\nAPI_KEY=\[hidden\]/);
      assert.match(first, /not attached: [^"]*\.env may not be read/);
      assert.match(first, /print\(rows\)/);
      assert.ok(!first.includes(PRINTED), 'the output of a cell');
      const sentToPanel = JSON.stringify(page.heard);
      assert.ok(!sentToPanel.includes(SECRET), 'the panel');

      await configure({ 'sandbox.unreadable': ['**/book.ipynb'] });
      const second = await send('And now?', file('book.ipynb'));
      assert.equal(server.lastRequest.input.filter(({ type }) => type === 'function_call_output').length, 2);
      assert.equal(second.split('book.ipynb may not be read (sandbox.unreadable: **/book.ipynb)').length, 4);
      assert.equal(second.split('print(rows)').length, 2, 'only the first message has the cells');

      const names = readdirSync(home.path, { recursive: true, encoding: 'utf8' }).filter((name) =>
        name.endsWith('.jsonl'),
      );
      const records = names.map((name) => readFileSync(path.join(home.path, name), 'utf8')).join('');
      assert.ok(records.includes('API_KEY=[hidden]'), 'the records are not where this test looks');
      assert.ok(!records.includes(SECRET), 'a record');

      // A message of the user is sent as it is, and another thread gets it redacted.
      assert.ok((await send(`${folder.at('.env')} has ${SECRET}`)).includes(SECRET));
      await send('Go on.', { type: 'mention', kind: 'thread', name: 'thread', path: '', id: threadOf(heard()) });
      const last = JSON.stringify(server.lastRequest.input.findLast(({ role }) => role === 'user'));
      assert.match(last, /\.env has \[hidden\]/);
      assert.ok(!last.includes(SECRET), 'the export of a thread');
    } finally {
      await vscode.commands.executeCommand('workbench.action.closeAllEditors');
      await tiller.dispose();
      await configure({
        providers: undefined,
        provider: undefined,
        model: undefined,
        approvalPolicy: undefined,
        'sandbox.mode': undefined,
        'sandbox.unreadable': undefined,
      });
    }
  });
});

function threadOf(heard: readonly HostMessage[]): string {
  const events = heard.flatMap((one) => (one.type === 'events' ? one.events : []));
  return events.flatMap((event) => ('threadId' in event ? [event.threadId] : []))[0] ?? '';
}
