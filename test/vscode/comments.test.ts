/** Comments on lines in real editors: those of the user, sent as one message, and findings of a review. */
import assert from 'node:assert/strict';
import { suite, test } from 'mocha';
import * as vscode from 'vscode';
import type { UserInput } from '../../src/protocol/item.ts';
import type { Op } from '../../src/protocol/op.ts';
import { FindingThreads } from '../../src/vscode/comments/findingThreads.ts';
import { LineComments } from '../../src/vscode/comments/lineComments.ts';
import {
  AFTER_SCHEME,
  approvalOf,
  BEFORE_SCHEME,
  fileOf,
  proposalUri,
} from '../../src/vscode/proposals/proposalAddress.ts';
import { type EditorPlace, inPlace } from './support/editorPlace.ts';
import { eventually } from './support/page.ts';
import { EmittedThread } from './support/emittedThread.ts';
import { refusesEnv } from './support/refusals.ts';
import { ScriptedUser } from './support/scriptedUser.ts';

const report = (error: unknown): never => {
  throw error;
};

/** VS Code's threads of comments as they are made, by the controllers that Tiller has asked for. */
function watched() {
  const threads: vscode.CommentThread[] = [];
  const original = vscode.comments.createCommentController;
  const createCommentController = (id: string, label: string) => {
    const controller = original(id, label);
    return {
      set options(options: vscode.CommentOptions) {
        controller.options = options;
      },
      set commentingRangeProvider(provider: vscode.CommentingRangeProvider) {
        controller.commentingRangeProvider = provider;
      },
      createCommentThread(...args: Parameters<typeof controller.createCommentThread>) {
        const thread = controller.createCommentThread(...args);
        threads.push(thread);
        return thread;
      },
      dispose: () => controller.dispose(),
    } as vscode.CommentController;
  };
  Object.assign(vscode.comments, { createCommentController });
  return { threads, restore: () => Object.assign(vscode.comments, { createCommentController: original }) };
}

class Desk {
  readonly sent: string[] = [];
  readonly denied: (readonly [string, string])[] = [];
  readonly thread: EmittedThread;
  readonly stored = new Map<string, unknown>();
  readonly made = watched();
  readonly #user = vscode.comments.createCommentController('test.user', 'User');
  asking: string | undefined = 'ap';
  hasModel = true;
  whileSending = async (): Promise<void> => {};
  comments: LineComments;

  constructor(here: EditorPlace) {
    this.thread = new EmittedThread(here.root);
    this.comments = this.open();
  }

  /** Another window. */
  open(): LineComments {
    const { stored } = this;
    const comments = new LineComments({
      memento: {
        get: (key: string) => stored.get(key) as never,
        update: async (key, value) => void stored.set(key, JSON.parse(JSON.stringify(value))),
      },
      threads: this.thread,
      refusals: refusesEnv,
      isCommentable: () => true,
      proposalOf: approvalOf,
      fileOf,
      threadAsking: (id) => (id === this.asking ? 't' : undefined),
      deny: (approvalId, message) => void this.denied.push([approvalId, message]),
      sendMessage: async (input: readonly UserInput[]) => {
        await this.whileSending();
        if (!this.hasModel) return false;
        return this.sent.push(input.map((part) => (part.type === 'text' ? part.text : part.type)).join('\n')) > 0;
      },
      report,
    });
    comments.mode = 'onRequest';
    return comments;
  }

  /** Writes a comment as the user does with the + beside lines, counted from 1. */
  async write(uri: vscode.Uri, first: number, last: number, text: string): Promise<vscode.CommentThread> {
    const thread = this.#user.createCommentThread(uri, new vscode.Range(first - 1, 0, last - 1, 0), []);
    await this.comments.add({ thread, text });
    return thread;
  }

  close(): void {
    this.comments.dispose();
    this.#user.dispose();
    this.made.restore();
  }
}

function atDesk(files: Readonly<Record<string, string>>, run: (desk: Desk, here: EditorPlace) => Promise<void>) {
  return inPlace(files, async (here) => {
    const desk = new Desk(here);
    try {
      await run(desk, here);
    } finally {
      desk.close();
    }
  });
}

async function insert(editor: vscode.TextEditor, line: number, text: string): Promise<void> {
  await editor.edit((edit) => edit.insert(new vscode.Position(line - 1, 0), text));
}

const FIVE = 'one\ntwo\nthree\nfour\nfive\n';

suite('comments on lines', () => {
  test(
    'are sent as one message with their lines, which move with the text',
    atDesk({ 'a.txt': FIVE, 'b.txt': FIVE }, async (desk, here) => {
      const editor = await here.open('a.txt');
      const thread = await desk.write(here.uri('a.txt'), 2, 3, 'Why twice?');
      await desk.write(here.uri('b.txt'), 5, 5, ' Remove it. ');
      await desk.comments.add({ thread, text: 'And again?' });
      await desk.comments.add({ thread, text: '  ' });
      await insert(editor, 1, 'zero\n');
      await insert(editor, 3, 'all ');
      assert.deepEqual(desk.comments.pending, { count: 3, files: 2 });
      assert.deepEqual(
        [thread.label, thread.contextValue, thread.range?.start.line],
        ['3 comments to send', 'pending', 2],
      );
      await desk.comments.send();
      const [message] = desk.sent;
      assert.equal(
        message,
        'My comments:\n\na.txt:3-4\n> all two\n> three\nWhy twice?\nAnd again?\n\nb.txt:5\n> five\nRemove it.',
      );
      assert.deepEqual([desk.comments.pending.count, thread.label, thread.canReply], [0, 'Sent', false]);
      await desk.comments.send();
      assert.equal(desk.sent.length, 1);
    }),
  );

  test(
    'survive a reload of the window, and are found again where the file has changed since',
    atDesk({ 'a.txt': FIVE }, async (desk, here) => {
      await desk.write(here.uri('a.txt'), 4, 4, 'Too many.');
      desk.comments.dispose();
      here.write('a.txt', `new\nnewer\n${FIVE}`);
      desk.comments = desk.open();
      assert.deepEqual(desk.comments.pending, { count: 1, files: 1 });
      const thread = desk.made.threads.at(-1);
      await here.open('a.txt');
      await eventually(() => thread?.range?.start.line === 5);
      await desk.comments.send();
      assert.deepEqual(desk.sent, ['My comments:\n\na.txt:6\n> four\nToo many.']);
    }),
  );

  test(
    'are resolved by a patch of the thread that changes their lines, and by no other',
    atDesk({ 'a.txt': `${FIVE}six\nseven\neight\nnine\n` }, async (desk, here) => {
      const far = await desk.write(here.uri('a.txt'), 9, 9, 'Far.');
      const near = await desk.write(here.uri('a.txt'), 2, 2, 'Near.');
      const diff = 'diff --git a/a.txt b/a.txt\n--- a/a.txt\n+++ b/a.txt\n@@ -1,3 +1,3 @@\n one\n-two\n+2\n three\n';
      desk.thread.patched('a.txt', diff);
      await desk.comments.send();
      assert.deepEqual([far.state, near.state], [0, 0]);
      desk.thread.patched('b.txt', diff.replaceAll('a.txt', 'b.txt'));
      desk.thread.patched('a.txt', diff);
      await eventually(() => near.state === vscode.CommentThreadState.Resolved);
      assert.deepEqual([near.label, far.state], ['Answered by a patch', vscode.CommentThreadState.Unresolved]);
    }),
  );

  test(
    'on a proposed patch deny it, with all others, and go on in the file',
    atDesk({ 'a.txt': FIVE }, async (desk, here) => {
      const provided = vscode.workspace.registerTextDocumentContentProvider(BEFORE_SCHEME, {
        provideTextDocumentContent: () => `zero\n${FIVE}`,
      });
      try {
        const proposal = proposalUri('ap', 'before', here.uri('a.txt').fsPath);
        assert.notEqual(proposal.path, here.uri('a.txt').path);
        await desk.write(proposal, 3, 3, 'Not this.');
        await desk.write(here.uri('a.txt'), 1, 1, 'Nor this.');
        const denial: Op = { type: 'approval', approvalIds: ['other'], decision: { denied: {} } };
        assert.equal(desk.comments.withComments(denial, 't'), denial);
        await desk.comments.send();
        const message =
          'My comments:\n\na.txt:1\n> one\nNor this.\n\na.txt:3 (in the proposed patch)\n> two\nNot this.';
        assert.deepEqual([desk.denied, desk.sent], [[['ap', message]], []]);
        const moved = desk.made.threads.at(-1);
        assert.deepEqual([moved?.uri.toString(), moved?.label], [here.uri('a.txt').toString(), 'Sent']);

        await desk.write(proposal, 1, 1, 'Nothing before it.');
        const given: Op = { type: 'approval', approvalIds: ['ap'], decision: { denied: { message: 'No.' } } };
        assert.deepEqual(desk.comments.withComments(given, 't'), {
          ...given,
          decision: {
            denied: { message: 'No.\n\nMy comments:\n\na.txt:1 (in the proposed patch)\n> zero\nNothing before it.' },
          },
        });
        assert.equal(desk.comments.pending.count, 0);

        // Approved although a comment is written: it stays, in the file.
        await desk.write(proposal, 2, 2, 'Later.');
        desk.asking = undefined;
        desk.thread.patched('a.txt', '');
        assert.deepEqual(
          [desk.comments.pending.count, desk.made.threads.at(-1)?.uri.toString()],
          [1, here.uri('a.txt').toString()],
        );
      } finally {
        provided.dispose();
      }
    }),
  );

  test(
    'on a proposed patch that the next one rewrites are sent once, go on in the file, and are resolved by the patch that is applied',
    atDesk({ 'a.txt': FIVE }, async (desk, here) => {
      const texts: Readonly<Record<string, string>> = {
        first: FIVE.replace('three', '3'),
        second: `zero\n${FIVE.replace('three', 'III')}`,
      };
      const provided = vscode.workspace.registerTextDocumentContentProvider(AFTER_SCHEME, {
        provideTextDocumentContent: (uri) => texts[approvalOf(uri) ?? ''],
      });
      const side = (approval: string) => proposalUri(approval, 'after', here.uri('a.txt').fsPath);
      try {
        desk.asking = 'first';
        await desk.write(side('first'), 3, 3, 'In Roman.');
        const kept = await desk.write(here.uri('a.txt'), 5, 5, 'Not this line.');
        await desk.comments.send();
        const quoted = 'a.txt:3 (in the proposed patch)\n> 3\nIn Roman.';
        assert.deepEqual(desk.denied, [['first', `My comments:\n\n${quoted}\n\na.txt:5\n> five\nNot this line.`]]);
        const sent = desk.made.threads.at(-1);
        assert.deepEqual([sent?.uri.toString(), sent?.label], [here.uri('a.txt').toString(), 'Sent']);

        desk.asking = 'second';
        await desk.write(side('second'), 1, 1, 'No zero.');
        await desk.comments.send();
        assert.deepEqual(desk.denied.slice(1), [
          ['second', 'My comments:\n\na.txt:1 (in the proposed patch)\n> zero\nNo zero.'],
        ]);

        desk.asking = undefined;
        const editor = await here.open('a.txt');
        await editor.edit((edit) => edit.replace(new vscode.Range(2, 0, 2, 5), 'III'));
        const hunk = '@@ -2,3 +2,3 @@\n two\n-three\n+III\n four\n';
        desk.thread.patched('a.txt', `diff --git a/a.txt b/a.txt\n--- a/a.txt\n+++ b/a.txt\n${hunk}`);
        await eventually(() => sent?.state === vscode.CommentThreadState.Resolved);
        assert.deepEqual([sent?.label, kept.state], ['Answered by a patch', vscode.CommentThreadState.Unresolved]);
        assert.deepEqual([desk.comments.pending.count, desk.denied.length, desk.sent], [0, 2, []]);
      } finally {
        provided.dispose();
      }
    }),
  );

  test(
    'on a proposed patch that a reload has ended go on in the file, and are not taken for an unreadable one',
    atDesk({ 'a.txt': FIVE, '.env': 'KEY=1\n' }, async (desk, here) => {
      const provided = vscode.workspace.registerTextDocumentContentProvider(BEFORE_SCHEME, {
        provideTextDocumentContent: () => FIVE,
      });
      const user = new ScriptedUser();
      try {
        await desk.write(proposalUri('ap', 'before', here.uri('a.txt').fsPath), 3, 3, 'Not this.');
        await desk.write(proposalUri('ap', 'before', here.uri('.env').fsPath), 1, 1, 'Look.');
        assert.deepEqual([desk.comments.pending.count, user.shown], [1, ['.env may not be read']]);
        desk.comments.dispose();
        desk.asking = undefined;
        desk.comments = desk.open();
        assert.equal(desk.made.threads.at(-1)?.uri.toString(), here.uri('a.txt').toString());
        await desk.comments.send();
        assert.deepEqual(desk.sent, ['My comments:\n\na.txt:3\n> three\nNot this.']);
      } finally {
        user.restore();
        provided.dispose();
      }
    }),
  );

  test(
    'stay pending when no model is chosen, and when they are added while others are sent',
    atDesk({ 'a.txt': FIVE }, async (desk, here) => {
      const thread = await desk.write(here.uri('a.txt'), 2, 2, 'One.');
      desk.hasModel = false;
      await desk.comments.send();
      assert.deepEqual([desk.sent, desk.comments.pending.count, thread.contextValue], [[], 1, 'pending']);
      desk.hasModel = true;
      desk.whileSending = () => desk.comments.add({ thread, text: 'Two.' });
      await desk.comments.send();
      desk.whileSending = async () => {};
      assert.deepEqual([desk.comments.pending.count, desk.made.threads.at(-1)?.label], [1, 'Sent']);
      await desk.comments.send();
      assert.deepEqual(
        desk.sent,
        ['One.', 'Two.'].map((text) => `My comments:\n\na.txt:2\n> two\n${text}`),
      );
    }),
  );

  test(
    'are not taken in a file that the model may not read, and are removed or discarded',
    atDesk({ '.env': 'KEY=1\n', 'a.txt': FIVE }, async (desk, here) => {
      const refused = new ScriptedUser();
      await desk.write(here.uri('.env'), 1, 1, 'Look.');
      refused.restore();
      assert.deepEqual([desk.comments.pending.count, refused.shown], [0, ['.env may not be read']]);
      const user = new ScriptedUser({ button: 'Discard' });
      try {
        const thread = await desk.write(here.uri('a.txt'), 1, 1, 'One.');
        await desk.comments.add({ thread, text: 'Two.' });
        desk.comments.remove(thread.comments[0]);
        assert.deepEqual(desk.comments.pending.count, 1);
        desk.comments.remove(thread);
        assert.deepEqual(desk.comments.pending.count, 0);
        await desk.write(here.uri('a.txt'), 1, 1, 'Three.');
        await desk.comments.discard();
        assert.deepEqual(
          [desk.comments.pending.count, user.shown.at(-1)],
          [0, 'Discard the comment that is not sent?'],
        );
      } finally {
        user.restore();
      }
    }),
  );

  test(
    'are hidden in the editor while they are turned off, and shown again',
    atDesk({ 'a.txt': FIVE }, async (desk, here) => {
      await desk.write(here.uri('a.txt'), 1, 1, 'One.');
      desk.comments.mode = 'off';
      assert.equal(desk.comments.pending.count, 0);
      desk.comments.mode = 'everywhere';
      assert.equal(desk.comments.pending.count, 1);
    }),
  );
});

suite('findings in the editor', () => {
  test(
    'are quoted with the lines where they are in the file by now, open or not, and without lines that are gone',
    inPlace({ 'a.txt': FIVE }, async (here) => {
      const made = watched();
      for (const isOn of [true, false]) {
        here.write('a.txt', FIVE);
        const thread = new EmittedThread(here.root);
        const quoted: string[] = [];
        const findings = new FindingThreads({
          threads: thread,
          sendMessage: async () => false,
          send: async () => {},
          quote: (text) => quoted.push(text.split('\n')[0] ?? ''),
          report,
        });
        try {
          findings.isOn = isOn;
          const about = { path: 'a.txt', body: '', state: 'open' as const };
          thread.emit({
            type: 'item_completed',
            item: {
              id: 'r',
              type: 'code_review',
              status: 'completed',
              target: { type: 'uncommitted' },
              agentId: 'a',
              text: '',
              findings: [
                { ...about, id: '1', title: 'First', lines: { first: 2, last: 2 }, quote: 'two' },
                { ...about, id: '2', title: 'Second', lines: { first: 4, last: 5 }, quote: 'four\nfive' },
                { ...about, id: '3', title: 'Third', path: 'gone.txt', lines: { first: 1, last: 1 }, quote: 'x' },
                { ...about, id: '4', title: 'Whole', path: undefined },
              ],
            },
          });
          // A command has changed the file, which no editor shows.
          here.write('a.txt', `zero\n${FIVE.replace('four', 'vier')}`);
          for (const id of ['1', '2', '3', '4', '5']) await findings.quoteFinding('r', id);
          assert.deepEqual(quoted, ['First (a.txt:3)', 'Second (a.txt)', 'Third (gone.txt)', 'Whole'], `${isOn}`);
        } finally {
          findings.dispose();
        }
        for (const document of vscode.workspace.textDocuments) {
          if (document.uri.fsPath === here.at('a.txt')) await eventually(() => document.getText().startsWith('zero'));
        }
      }
      made.restore();
    }),
  );

  test(
    'are comments on their lines, which move, are fixed and dismissed',
    inPlace({ 'a.txt': FIVE }, async (here) => {
      const made = watched();
      const thread = new EmittedThread(here.root);
      const sent: (readonly UserInput[] | Op)[] = [];
      const quoted: string[] = [];
      let isModelChosen = false;
      let choosing = Promise.resolve();
      const findings = new FindingThreads({
        threads: thread,
        sendMessage: async (input) => {
          if (!isModelChosen) return false;
          sent.push(input);
          await choosing;
          return true;
        },
        send: async (op) => {
          sent.push(op);
          if (op.type === 'mark_finding') thread.emit({ ...op, type: 'finding_marked' }, null);
        },
        quote: (text) => quoted.push(text),
        report,
      });
      try {
        findings.isOn = true;
        const about = { path: 'a.txt', body: 'It **breaks**.', state: 'open' as const };
        const item = {
          id: 'r',
          type: 'code_review' as const,
          status: 'completed' as const,
          target: { type: 'uncommitted' as const },
          agentId: 'a',
          text: '',
          findings: [
            { ...about, id: '1', title: 'First', priority: 1, lines: { first: 2, last: 2 }, quote: 'two' },
            {
              ...about,
              id: '2',
              title: 'Second',
              body: 'See ![x](https://example.com/?d=1).',
              lines: { first: 4, last: 5 },
              quote: 'four\nfive',
            },
            { id: '3', title: 'Without a place', body: '', state: 'open' as const },
          ],
        };
        thread.emit({ type: 'item_completed', item });
        const [first, second, ...others] = made.threads;
        assert.deepEqual([first?.label, second?.label, others], ['First', 'Second', []]);
        const shown = second?.comments[0]?.body;
        assert.ok(shown instanceof vscode.MarkdownString);
        assert.match(shown.value, /https:\/\/example\.com/);
        assert.doesNotMatch(shown.value, /!\[/);
        const editor = await here.open('a.txt');
        await insert(editor, 1, 'zero\n');
        assert.deepEqual([first?.range?.start.line, second?.range?.start.line], [2, 4]);

        // The user chooses no model.
        await findings.fix(first);
        await findings.fixFinding('r', '1');
        assert.deepEqual([sent, first?.label], [[], 'First']);
        isModelChosen = true;
        await findings.fix(first);
        const mention = {
          type: 'mention',
          kind: 'selection',
          name: 'a.txt:3',
          path: 'a.txt',
          lines: { first: 3, last: 3 },
          quote: 'two',
        };
        const text = 'Fix this finding of the review:\n\n[P1] First (a.txt)\nIt **breaks**.';
        const mark = { type: 'mark_finding', itemId: 'r', findingId: '1', state: 'sent' };
        assert.deepEqual(sent, [[{ type: 'text', text }, mention], mark]);
        assert.equal(first?.label, 'First (sent)');
        thread.patched('a.txt', 'diff --git a/a.txt b/a.txt\n--- a/a.txt\n+++ b/a.txt\n@@ -3 +3 @@\n-two\n+2\n');
        await eventually(() => first?.state === vscode.CommentThreadState.Resolved);

        await findings.quote(second);
        assert.deepEqual(quoted, ['Second (a.txt:5-6)\nSee ![x](https://example.com/?d=1).\n\n']);
        await findings.dismiss(second);
        assert.deepEqual(sent.at(-1), { ...mark, findingId: '2', state: 'dismissed' });
        await findings.fix(second);
        assert.equal(sent.length, 3);

        // The panel shows those without a comment, too: they are sent once, and as sent only when they are.
        sent.length = 0;
        let choose = () => {};
        choosing = new Promise((resolve) => (choose = resolve));
        const both = Promise.all([findings.fixFinding('r', '3'), findings.fixFinding('r', '3')]);
        const asText = { type: 'text', text: 'Fix this finding of the review:\n\nWithout a place' };
        await eventually(() => sent.length > 0);
        assert.deepEqual(sent, [[asText]]);
        choose();
        await both;
        assert.deepEqual(sent, [[asText], { ...mark, findingId: '3' }]);
        await findings.fixFinding('r', '9');
        await findings.fixFinding('none', '1');
        await findings.fixFinding('r', '1');
        assert.deepEqual(sent.slice(2), [
          [
            { type: 'text', text },
            { ...mention, quote: 'two' },
          ],
          mark,
        ]);
      } finally {
        findings.dispose();
        made.restore();
      }
    }),
  );
});
