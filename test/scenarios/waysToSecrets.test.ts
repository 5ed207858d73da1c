/**
 * Ways by which the text of a file that may not be read could come to the model or into a record: what the user attaches,
 * pastes or drafts, threads that continue, and what is derived of a thread (docs/tools.md, "Files with secrets").
 */
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { turnNotification } from '../../src/core/agent/turnNotification.ts';
import { redactPrinted } from '../../src/core/tools/redactPrinted.ts';
import { createNodePorts } from '../../src/node/ports.ts';
import { unsentInput } from '../../src/protocol/draft.ts';
import { Drafts } from '../../src/vscode/chat/drafts.ts';
import { calls, says } from '../support/modelServer.ts';
import { type Scenario, startScenario } from '../support/startScenario.ts';
import { tempFolder } from '../support/tempFolder.ts';
import { file, text } from '../support/userInput.ts';

const SECRET = 'abcdefgh12345';
const ENV = `API_KEY=${SECRET}\nMODE=development\n`;
const NOTE = 'the note of a page';
const files = { '.env': ENV, 'notes.txt': `${NOTE}\n` };
const FULL = { sandbox: 'danger-full-access' } as const;

const read = (name: string) => calls('read_file', { file_path: name });
const patch = (...lines: readonly string[]) =>
  calls('apply_patch', { input: ['*** Begin Patch', ...lines, '*** End Patch'].join('\n') });

/** The last user message that the model got. */
function lastMessage({ server }: Scenario): string {
  return JSON.stringify(server.lastRequest.input.findLast(({ role }) => role === 'user'));
}

/** The outputs of calls in the last request, with `W` for the workspace. */
function outputsOf(chat: Scenario): string[] {
  return chat.outputs().map((output) => output.replaceAll(chat.folder.path, 'W'));
}

/** Files of TILLER_HOME that contain the text, by their first folder. */
function recordsWith(words: string, { home }: Scenario): string[] {
  const found = readdirSync(home.path, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && readFileSync(path.join(entry.parentPath, entry.name)).includes(words))
    .map((entry) => path.relative(home.path, path.join(entry.parentPath, entry.name)).split(path.sep)[0] ?? '');
  return [...new Set(found)].toSorted();
}

/** Answers each question about a file and each approval request, through `root`; returns those that were asked. */
function answering(chat: Scenario, isAllowed: boolean, root = chat): string[] {
  const asked: string[] = [];
  chat.session.onEvent(({ msg }) => {
    if (msg.type === 'question_requested') {
      asked.push('question');
      const answers = { read: [isAllowed ? 'Allow once' : 'Do not allow'] };
      root.submit({ type: 'user_input_answer', questionId: msg.request.questionId, answers });
    }
    if (msg.type === 'approval_requested') {
      asked.push(msg.kind);
      const decision = isAllowed ? 'approved_for_thread' : { denied: {} };
      root.submit({ type: 'approval', approvalIds: [msg.approvalId], decision });
    }
  });
  return asked;
}

describe('what a terminal has printed is attached without the secrets', () => {
  const printed = `KEY=${SECRET} MODE=development`;
  const shown = 'KEY=[hidden] MODE=development';

  it.each([
    ['of a file in an open folder', { '.env': ENV }, [], printed, shown],
    ['of a file in the working directory of the command', { 'api/.env': ENV }, ['api'], printed, shown],
    [
      'of a file that the command names',
      { 'a/b/.env': ENV },
      ['a'],
      `$ cat b/.env\n${printed}`,
      `$ cat b/.env\n${shown}`,
    ],
    ['of a key file', { 'my.pem': `${'k'.repeat(64)}\n` }, [], `it is ${'k'.repeat(64)}`, 'it is [hidden]'],
    ['that Tiller holds', {}, [], 'the key is of-my-server-77', 'the key is [hidden]'],
    ['but with values of files that may be read', { '.env.example': ENV }, [], printed, printed],
  ])('%s', async (_what, made, cwds, before, after) => {
    using folder = tempFolder();
    using home = tempFolder();
    for (const [name, content] of Object.entries(made)) {
      mkdirSync(path.dirname(folder.at(name)), { recursive: true });
      writeFileSync(folder.at(name), content);
    }
    const ports = createNodePorts({
      roots: [folder.path],
      environment: { TILLER_HOME: home.path, TILLER_API_KEY: 'of-my-server-77' },
    });
    const thread = { id: 't', home: home.path, unreadable: [] };
    const { signal } = new AbortController();
    const deps = { ...ports, thread, signal };
    expect(
      await redactPrinted(
        before,
        cwds.map((cwd) => folder.at(cwd)),
        deps,
      ),
    ).toBe(after);
  });
});

describe('a notebook that may not be read', () => {
  const BOOK = `${JSON.stringify(
    {
      cells: [{ cell_type: 'code', id: 'load', source: [`key = "${SECRET}"`], outputs: [{ text: [SECRET] }] }],
      metadata: {},
      nbformat: 4,
      nbformat_minor: 5,
    },
    null,
    1,
  )}\n`;
  const book = 'closed/book.ipynb';
  const why = 'may not be read (sandbox.unreadable: **/closed/**)';

  it('is not shown by a tool, a mention, a selection, or a patch that does not fit or would break it', async () => {
    await using chat = await startScenario({
      files: { [book]: BOOK },
      unreadable: ['**/closed/**'],
      interactive: false,
      model: [
        [
          read(book),
          patch(`*** Update File: ${book}`, '@@', '-  key = 1', '+  key = 2'),
          patch(`*** Update File: ${book}`, '@@', '-{', '+{{'),
        ],
        [says('Done.')],
      ],
    });
    const lines = { first: 1, last: 4 };
    await chat.send('', { input: [text('go'), file(book), file(book, { kind: 'selection', lines })] });
    expect(outputsOf(chat)).toEqual([
      `W/${book} ${why}. Reading it was not allowed. Go on without it.`,
      `apply_patch verification failed: W/${book} ${why}, and the patch does not fit it.`,
      `apply_patch verification failed: W/${book} ${why}, and the patch does not fit it.`,
    ]);
    expect(chat.server.requests[0]?.text.split('[not attached: ')).toHaveLength(3);
    expect(JSON.stringify([chat.server.requests, chat.events])).not.toContain(SECRET);
    await chat.session.dispose();
    expect(recordsWith(SECRET, chat)).toEqual([]);
  });
});

describe('what the user pastes or drops', () => {
  it('is sent as it is, also a line of a file with secrets: only keys that Tiller holds are redacted in the records', async () => {
    await using chat = await startScenario({
      files,
      deps: ({ keys }) => {
        keys.hold('of-my-server-77');
        return {};
      },
      model: [[says('Seen.')]],
    });
    await chat.send(`API_KEY=${SECRET} and of-my-server-77`);
    expect(lastMessage(chat)).toContain(`API_KEY=${SECRET} and of-my-server-77`);
    expect(chat.state.title).toBe(`API_KEY=${SECRET} and [hidden]`);
    await chat.session.dispose();
    expect(recordsWith(SECRET, chat)).toContain('threads');
    expect(recordsWith('of-my-server-77', chat)).toEqual([]);
  });

  it('is refused as a file that comes without its path, when its name is that of a file with secrets', async () => {
    const dropped = (name: string) => file(name, { path: '', id: name, text: `API_KEY=${SECRET}` });
    await using chat = await startScenario({ model: () => [says('Seen.')] });
    for (const name of ['.env', '.ENV.local', 'my.pem']) await chat.send('', { input: [dropped(name)] });
    expect(JSON.stringify(chat.server.requests)).not.toContain(SECRET);
    expect(lastMessage(chat)).toContain('[not attached: my.pem may not be read (sandbox.unreadable: **/*.pem)]');
    await chat.session.dispose();
    expect(recordsWith(SECRET, chat)).toEqual([]);
  });

  it('is sent as a file that comes without its path, when its name is that of the example', async () => {
    await using chat = await startScenario({ model: [[says('Seen.')]] });
    await chat.send('', { input: [file('.env.example', { path: '', text: 'API_KEY=' })] });
    expect(lastMessage(chat)).toContain('API_KEY=');
  });
});

/** VS Code's storage for a workspace, over reloads of the window. */
function memento() {
  const kept = new Map<string, unknown>();
  return {
    kept,
    keys: () => [...kept.keys()],
    get: <Value>(key: string, otherwise?: Value) => (kept.has(key) ? (kept.get(key) as Value) : otherwise) as Value,
    update: async (key: string, value: unknown) => void kept.set(key, value),
  };
}

describe('a draft that a reload has kept', () => {
  it('has no text of a file that it mentions, and the settings by the time it is sent decide', async () => {
    const storage = memento();
    const mentions = [file('.env'), file('notes.txt'), file('notes.txt:1', { path: 'notes.txt', kind: 'selection' })];
    new Drafts(storage).set(
      't',
      'see',
      null,
      mentions.map((part) => ({ part, inText: false })),
    );
    expect(JSON.stringify([...storage.kept])).not.toContain(SECRET);
    const restored = new Drafts(storage).attachmentsOf('t').map(({ part }) => part);
    expect(restored).toEqual(mentions);

    let unreadable: readonly string[] = [];
    await using chat = await startScenario({
      files,
      host: { unreadable: () => unreadable },
      model: () => [says('Seen.')],
    });
    await chat.send('', { input: restored });
    expect(lastMessage(chat)).toContain(NOTE);
    expect(lastMessage(chat)).not.toContain(SECRET);
    unreadable = ['**/notes.txt'];
    await chat.send('', { input: restored });
    expect(lastMessage(chat)).not.toContain(NOTE);
    expect(lastMessage(chat).split('[not attached: ')).toHaveLength(4);
  });
});

describe('a setting that has become stricter', () => {
  const closed = ['**/notes.txt'];
  const why = 'W/notes.txt may not be read (sandbox.unreadable: **/notes.txt)';
  const attempts = () => [read('notes.txt'), calls('exec_command', { cmd: 'cat notes.txt' })];
  const refused = [
    `${why}. Reading it was not allowed. Go on without it.`,
    expect.stringMatching(/^Denied by the user/),
  ];

  it('holds for the next turn of a thread that runs, and for a sub-agent of it', async () => {
    let unreadable: readonly string[] = [];
    await using chat = await startScenario({
      files,
      ...FULL,
      host: { unreadable: () => unreadable },
      model: [attempts(), [says('Seen.')], attempts(), [says('No.')], attempts(), [says('No.')]],
    });
    const asked = answering(chat, false);
    await chat.send('go');
    expect(asked).toEqual([]);
    expect(chat.outputs().filter((output) => output.includes(NOTE))).toHaveLength(2);
    unreadable = closed;
    await chat.send('again');
    expect(outputsOf(chat).slice(2)).toEqual(refused);
    expect(asked).toEqual(['question', 'command']);
    const agent = await chat.subAgent();
    const askedByAgent = answering(agent, false, chat);
    await agent.send('go');
    expect(outputsOf(agent)).toEqual(refused);
    expect(askedByAgent).toEqual(['question', 'command']);
    await agent.session.dispose();
  });

  it('holds for a thread that was written before, resumed and forked; its earlier text stays', async () => {
    const first = await startScenario({ files, ...FULL, model: [attempts(), [says('Seen.')]] });
    await first.send('', { input: [text('go'), file('notes.txt')] });
    const sent = first.items('user_message')[0]?.content ?? [];
    await first.session.dispose();
    await using chat = await startScenario({
      resume: first,
      ...FULL,
      unreadable: closed,
      model: [attempts(), [says('No.')], attempts(), [says('No.')]],
    });
    const asked = answering(chat, false);
    // The message is edited and sent again.
    await chat.send('', { input: unsentInput(sent) });
    expect(outputsOf(chat).slice(2)).toEqual(refused);
    expect(lastMessage(chat)).toContain(`[not attached: ${chat.folder.at('notes.txt')} may not be read`);
    expect(chat.server.requests[0]?.text).toContain(NOTE);
    expect(asked).toEqual(['question', 'command']);

    const forked = await chat.service.fork({ id: chat.session.threadId }, null, ...chat.thread);
    if (forked.type !== 'resumed') throw new Error(JSON.stringify(forked));
    const fork = chat.with(forked.session);
    const askedAgain = answering(fork, false);
    await fork.send('again');
    expect(outputsOf(fork).slice(4)).toEqual(refused);
    expect(askedAgain).toEqual(['question', 'command']);
    await fork.session.dispose();
  });
});

describe('a file with secrets that the user has allowed once', () => {
  const change = (from: string, to: string) => patch('*** Update File: .env', '@@', `-MODE=${from}`, `+MODE=${to}`);
  const attempts = (from: string, to: string) => [
    read('.env'),
    calls('exec_command', { cmd: 'cat .env' }),
    change(from, to),
  ];

  it('is asked about again in the same thread, in the resumed and in the forked one', async () => {
    const first = await startScenario({
      files,
      ...FULL,
      model: [attempts('development', 'test'), [says('Seen.')], attempts('test', 'a'), [says('Seen.')]],
    });
    const asked = answering(first, true);
    await first.send('go');
    expect(first.outputs().filter((output) => output.includes(SECRET))).toHaveLength(2);
    await first.send('again');
    expect(asked).toEqual(['question', 'command', 'patch', 'question', 'command', 'patch']);
    await first.session.dispose();

    await using chat = await startScenario({
      resume: first,
      ...FULL,
      model: [attempts('a', 'b'), [says('No.')], attempts('a', 'b'), [says('No.')]],
    });
    const askedThen = answering(chat, false);
    await chat.send('go on');
    expect(askedThen).toEqual(['question', 'command', 'patch']);
    const forked = await chat.service.fork({ id: chat.session.threadId }, null, ...chat.thread);
    if (forked.type !== 'resumed') throw new Error(JSON.stringify(forked));
    const fork = chat.with(forked.session);
    const askedInFork = answering(fork, false);
    await fork.send('go on');
    expect(askedInFork).toEqual(['question', 'command', 'patch']);
    await fork.session.dispose();
  });

  it('is neither in the summary’s thread nor read again after a compaction', async () => {
    await using chat = await startScenario({
      files: { ...files, 'a.txt': 'old text\n' },
      deps: ({ keys }) => {
        keys.hold('of-my-server-77');
        return {};
      },
      model: [[read('.env')], [says('Seen.')], [says('The key of the server is of-my-server-77.')], [says('Yes.')]],
    });
    answering(chat, true);
    await chat.send('', { input: [text('go'), file('a.txt'), file('.env')] });
    expect(chat.outputs()[0]).toContain(SECRET);
    chat.write('a.txt', 'new text\n');
    chat.write('.env', 'API_KEY=another-12345\n');
    const ended = chat.turnEnds();
    chat.submit({ type: 'compact' });
    await ended;
    await chat.send('go on');
    const after = chat.server.lastRequest.text;
    expect(after).toContain('old text');
    expect(after).toContain('[not attached: ');
    expect(after).toContain('The key of the server is [hidden].');
    for (const words of [SECRET, 'another-12345', 'new text', 'of-my-server-77']) expect(after).not.toContain(words);
    expect(chat.items('compaction').map(({ summary }) => summary)).toEqual(['The key of the server is [hidden].']);
    await chat.session.dispose();
    expect(recordsWith('of-my-server-77', chat)).toEqual([]);
  });

  it('is in the history of its thread alone: in no event, list, search, export, memory, log or notification', async () => {
    await using chat = await startScenario({
      files,
      memory: true,
      model: [[read('.env')], [says('Seen.')]],
    });
    answering(chat, true);
    let notified = '';
    chat.session.onEvent((event) => {
      const news = turnNotification({ event, state: chat.state } as Parameters<typeof turnNotification>[0]);
      if (news !== undefined) notified = JSON.stringify(news);
    });
    await chat.send('read it');
    expect(chat.outputs()[0]).toContain(SECRET);
    expect(JSON.stringify(chat.events)).not.toContain(SECRET);
    expect(notified).toContain('read it');
    const { catalog } = chat.service;
    const id = chat.session.threadId;
    await chat.session.dispose();
    expect(recordsWith(SECRET, chat)).toEqual(['threads']);
    expect(recordsWith('.env', chat)).toEqual(expect.arrayContaining(['audit.jsonl', 'threads']));
    const hits: unknown[] = [];
    for await (const hit of catalog.search(SECRET, new AbortController().signal)) hits.push(hit);
    expect(hits).toEqual([]);
    const derived = [
      notified,
      await catalog.list([chat.folder.path]),
      await catalog.export(id, 'markdown'),
      await catalog.export(id, 'json'),
    ];
    expect(JSON.stringify(derived)).not.toContain(SECRET);
  });
});
