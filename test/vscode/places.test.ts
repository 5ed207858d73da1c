/** All commands of package.json in a window without a folder, and in Restricted Mode, as from a key: without arguments. */
import assert from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';
import { suite, test } from 'mocha';
import * as vscode from 'vscode';
import { BUILTIN_ROLES } from '../../src/core/agent/builtinRoles.ts';
import { registerCommands } from '../../src/extension/commands.ts';
import { compose } from '../../src/extension/compose.ts';
import type { Tiller } from '../../src/extension/createTiller.ts';
import { configure, ownHome } from './support/ownHome.ts';
import { contextOf, eventually, Page } from './support/page.ts';

declare const TILLER_VERSION: string;

/** The result of each command that has nothing to do; in angle brackets the title of a list or a box, after `->` a command of VS Code. */
const SHOWN: Readonly<Record<string, readonly string[]>> = {
  'No thread is shown.': [
    ...['renameThread', 'pinThread', 'unpinThread', 'forkThread', 'exportThread', 'openThreadText', 'deleteThread'],
    ...['undoTurn', 'redoTurn', 'rewind'],
  ],
  '-> tiller.chat.focus; No thread is shown.': ['compactThread'],
  'There is no pending request.': [
    ...['approve', 'approveInPart', 'approveForThread', 'approveAllFiles', 'deny', 'denyAllFiles'],
  ],
  'Put the cursor into a hunk of a proposed change.': ['toggleHunk', 'rejectHunkWithReason'],
  'There are no changes to review.': ['review.next', 'review.previous'],
  'There are no changes to review here.': [
    ...['review.keepHunk', 'review.undoHunk', 'review.keepFile', 'review.undoFile', 'review.keepAll', 'review.undoAll'],
    ...['review.showDiff', 'review.showAll', 'review.keepChange', 'review.undoChange'],
  ],
  'There is no Keep to undo.': ['review.unkeep'],
  'Changes by other programs are marked for review from now on.': ['review.otherPrograms'],
  'There is no comment to send. \u201cComment on Lines\u201d writes one.': [
    'comments.send',
    'comments.discard',
    'comments.show',
  ],
  'Only lines of files of the workspace, of proposed patches and of plans can be commented on.': ['comments.new'],
  'There is no problem at the cursor.': ['fixProblem', 'explainProblem'],
  'Put the cursor into a file to add its lines.': ['sendSelection'],
  'Put the cursor into a file to edit it.': ['editAtCursor'],
  'Select text in a terminal first.': ['addTerminalSelection'],
  'No command has failed in a terminal since Tiller was first used. Terminals need shell integration.': [
    'addFailedCommand',
  ],
  'Choose a test in the Testing view, or run the tests in a terminal first.': ['fixTest'],
  'Git has no changes there.': ['addChanges'],
  'There are no background processes.': ['backgroundProcesses'],
  'There is no patch to undo in this window.': ['undoPatch'],
  'This thread has no plan to run. Plan mode makes one.': ['openPlan', 'runPlan'],
  'No files were moved out of a workspace.': ['putBack'],
  'No patch was interrupted.': ['settlePatch'],
  'There are no side copies.': ['sideCopies', 'bringHome', 'removeSideCopy'],
  'There are no memories: the setting \u201ctiller.memory.enabled\u201d is off. [Open Settings]': ['showMemories'],
  'There are no providers of your own and no stored keys.': ['removeProvider'],
  'Select a model first.': ['showAbilities'],
  '<API key for https://api.openai.com>': ['setApiKey'],
  '<Select Provider>': ['selectModel'],
  '-> tiller.selectModel': ['testConnection'],
  '<Add Context>': ['attach'],
  '<Import Thread>': ['importThread'],
  '<Usage>': ['showUsage'],
  '<Agents>': ['showAgents'],
  '<Skills and Prompt Files>': ['showSkills'],
  '<Hooks>': ['showHooks'],
  '<MCP Servers>': ['mcpServers'],
  '<Import Rules>': ['importRules'],
  '<Tools from Other Extensions>': ['chooseTools'],
  '-> tiller.chat.focus': ['focus', 'newThread', 'threads'],
  '-> tiller.focus': ['showWaitingThread', 'startDemo'],
  '-> workbench.action.moveEditorToNewWindow': ['openInWindow'],
  '-> workbench.action.openRemoteSettings': ['openSettings'],
  '-> workbench.action.openWalkthrough': ['openWalkthrough'],
  '-> vscode.openFolder': ['openFolder'],
  '-> workbench.trust.manage': ['manageTrust'],
  // The panel, a page or the log is there; or the command needs what only its own button has.
  '': [
    ...['openInEditor', 'showRules', 'showAudit', 'showLog', 'commitMessageInPanel', 'showWaiting'],
    ...['interrupt', 'stopEdit', 'openEdit', 'openProposedChanges', 'comments.add', 'comments.remove'],
    ...['finding.fix', 'finding.quote', 'finding.dismiss'],
  ],
};
/** The beginning of texts that depend on the machine, and on the version. */
const BEGINS = { importMcpServers: 'No other MCP servers were found.', reportIssue: 'a document; Read the report ' };
const NO_REPOSITORY = "VS Code's Git extension has opened no repository in this window.";
const NO_FOLDER = 'Open a folder first: Tiller reads and changes files in the folder you have open. [Open Folder]';
const TRUST = 'available in Restricted Mode. [Manage Workspace Trust]';

type Handler = (...args: readonly unknown[]) => unknown;
type Facts = Partial<Pick<typeof vscode.workspace, 'workspaceFolders' | 'isTrusted'>>;

/** A command that has not ended by then waits for something that never comes. */
const LIMIT_MS = 5000;

/** Puts other members in the place of these of VS Code, some of which are getters, until it is disposed. */
function replaced(target: object, members: Readonly<Record<string, unknown>>): Disposable {
  const before = Object.keys(members).map((name) => [name, Object.getOwnPropertyDescriptor(target, name)] as const);
  for (const [name, value] of Object.entries(members)) {
    Object.defineProperty(target, name, { value, configurable: true, enumerable: true, writable: true });
  }
  return {
    [Symbol.dispose]() {
      for (const [name, descriptor] of before) {
        assert.ok(descriptor, `VS Code has no ${name}`);
        Object.defineProperty(target, name, descriptor);
      }
    },
  };
}

/** VS Code without an answer of the user, with a Tiller of its own in a window with these facts. */
interface Place {
  readonly tiller: Tiller;
  readonly page: Page;
  /** Runs a command as a key does: without arguments. Returns what it has shown. */
  run(name: string): Promise<string>;
  readonly shown: readonly string[];
}

async function inPlace(facts: Facts, use: (place: Place) => Promise<void>): Promise<void> {
  using _home = ownHome();
  using _workspace = replaced(vscode.workspace, facts);
  const shown: string[] = [];
  using _window = replaced(
    vscode.window,
    unanswered((text) => shown.push(text)),
  );
  const tiller = await compose(contextOf());
  const handlers = new Map<string, Handler>();
  using _commands = replaced(vscode.commands, {
    executeCommand: async (id: string) => void (id === 'setContext' || shown.push(`-> ${id}`)),
    registerCommand: (id: string, handler: Handler) => {
      handlers.set(id, handler);
      return new vscode.Disposable(() => {});
    },
  });
  registerCommands(async () => tiller);
  const run = async (name: string) => {
    shown.length = 0;
    const ended = Promise.resolve(handlers.get(`tiller.${name}`)?.()).then(
      () => [],
      (error: unknown) => [`REJECTED: ${String(error)}`],
    );
    const outcome = await Promise.race([ended, sleep(LIMIT_MS, ['PENDING'], { ref: false })]);
    return [...shown, ...outcome].join('; ');
  };
  try {
    const page = new Page();
    tiller.view.resolveWebviewView(page.view);
    page.say({ type: 'ready', build: TILLER_VERSION });
    await page.hears('"snapshot"');
    await use({ tiller, page, run, shown });
  } finally {
    await tiller.dispose();
    await configure({ provider: undefined, model: undefined, reviewOtherPrograms: undefined });
  }
}

/** Members of `vscode.window` that report what they are to show, and that the user closes at once. */
function unanswered(report: (text: string) => void): Readonly<Record<string, unknown>> {
  const message = async (text: string, ...rest: readonly unknown[]) => {
    const buttons = rest.filter((each) => typeof each === 'string').map((button) => ` [${button}]`);
    report(text + buttons.join(''));
  };
  const box = () => {
    const hidden = new vscode.EventEmitter<void>();
    const members: Readonly<Record<string, unknown>> = {
      items: [],
      onDidHide: hidden.event,
      show(this: { readonly title: string }) {
        report(`<${this.title}>`);
        setImmediate(() => hidden.fire());
      },
      hide: () => hidden.fire(),
      dispose() {},
    };
    return new Proxy(
      { ...members },
      {
        get: (target, name) =>
          String(name).startsWith('onDid') && name !== 'onDidHide'
            ? () => new vscode.Disposable(() => {})
            : Reflect.get(target, name),
      },
    );
  };
  const titled = async (...given: readonly unknown[]) => {
    const { title } = given.at(-1) as { readonly title: string };
    report(`<${title}>`);
  };
  return {
    showInformationMessage: message,
    showWarningMessage: message,
    showErrorMessage: message,
    showQuickPick: titled,
    showInputBox: titled,
    showOpenDialog: titled,
    createQuickPick: box,
    createInputBox: box,
    showTextDocument: async () => report('a document'),
    activeTextEditor: undefined,
  };
}

/** Runs every command of package.json. `others`: what they show beside `SHOWN`. */
async function checkAll({ run }: Place, others: Readonly<Record<string, string>>): Promise<void> {
  const { commands } = vscode.extensions.getExtension('tiller-dev.tiller')?.packageJSON.contributes ?? {};
  const results: Record<string, string> = {};
  for (const { command } of commands as readonly { readonly command: string }[]) {
    const name = command.replace(/^tiller\./, '');
    results[name] = await run(name);
  }
  const known = Object.entries(SHOWN).flatMap(([text, names]) => names.map((name) => [name, text] as const));
  for (const [name, begin] of Object.entries(BEGINS)) {
    if (results[name]?.startsWith(begin)) results[name] = begin;
  }
  assert.deepEqual(results, { ...Object.fromEntries(known), ...BEGINS, ...others });
}

suite('a window', () => {
  test('without a folder has a result for every command, and sends no message', async () => {
    await inPlace({ workspaceFolders: undefined }, async (place) => {
      await checkAll(place, {
        ask: NO_FOLDER,
        newThreadWithAgent: NO_FOLDER,
        startInSideCopy: 'Open a folder on this machine first: a side copy is made of it. [Open Folder]',
        commitMessage: NO_REPOSITORY,
        reviewChanges: NO_REPOSITORY,
      });
      const { page, shown } = place;
      page.say({ type: 'op', op: { type: 'user_turn', input: [{ type: 'text', text: 'List my home folder.' }] } });
      await eventually(() => shown.includes(NO_FOLDER));
      await page.hears('List my home folder.');
      assert.equal(JSON.stringify(page.heard).includes('thread_started'), false);
    });
  });

  test('in Restricted Mode has a result for every command', async () => {
    await inPlace({ isTrusted: false }, (place) =>
      checkAll(place, {
        ask: '<Ask Tiller>',
        newThreadWithAgent: 'No agent file is used: write one, or approve one of this workspace. [Show Agents]',
        startInSideCopy: `Side copies are not ${TRUST}`,
        commitMessage: `Commit messages are not ${TRUST}`,
        reviewChanges: `Reviews are not ${TRUST}`,
      }),
    );
  });

  test('with a thread that has no messages yet says so instead of that it was deleted', async () => {
    await configure({ provider: 'demo', model: 'demo' });
    await inPlace({}, async ({ tiller, run }) => {
      const [role] = BUILTIN_ROLES;
      await tiller.threads.startAs(async () => role);
      for (const name of ['forkThread', 'exportThread', 'openThreadText', 'deleteThread']) {
        assert.equal(await run(name), 'This thread has no messages yet.', name);
      }
    });
  });
});
