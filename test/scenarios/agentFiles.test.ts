// Agents that files of the user and of a workspace describe, as `task` starts them.
import { execFileSync } from 'node:child_process';
import { rmSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { threadAsAgent } from '../../src/core/agent/agentThread.ts';
import type { Session } from '../../src/core/session/session.ts';
import { type AgentFiles, createAgentFiles } from '../../src/node/customizations/createAgentFiles.ts';
import { agentScript, outputsOf, userTexts } from '../support/agentScript.ts';
import { calls, ModelServer, says } from '../support/modelServer.ts';
import type { ToolHandler } from '../../src/core/tools/handler.ts';
import type { ToolProvider } from '../../src/core/tools/toolProvider.ts';
import { runCli } from '../support/runCli.ts';
import { put, startInHome } from '../support/startInHome.ts';
import type { Scenario } from '../support/startScenario.ts';
import { tempFolder } from '../support/tempFolder.ts';

const agent = (head: string, body = 'You are a poet.') => `---\n${head}\n---\n${body}\n`;
const POET = agent(
  'name: poet\ndescription: Writes verse.\n  <example>user "a haiku" -> the poet</example>\ntools: Read, Teleport\nmodel: sonnet\ncolor: purple',
);
const PATIENT = { timeout: 60_000 };

/** A chat with the agent files of its workspace and of a home of its own. */
async function withFiles(
  model: Parameters<typeof startInHome>[0]['model'],
  inWorkspace: Record<string, string> = {},
  toolProviders: readonly ToolProvider[] = [],
) {
  const made: { files?: AgentFiles } = {};
  const given = await startInHome({
    model,
    files: inWorkspace,
    host: { agentRoles: async () => (await made.files?.roles()) ?? [], toolProviders },
  });
  const files = createAgentFiles({
    ports: given.ports,
    settings: () => ({ agentModels: { sonnet: 'small-model' } }),
    roots: () => [given.chat.folder.path],
    builtin: ['explorer', 'worker', 'reviewer'],
  });
  made.files = files;
  return { ...given, files };
}

const requestOf = ({ server }: Scenario, text: string) =>
  server.requests.findLast((request) => userTexts(request).some((one) => one.includes(text)));

describe('an agent of the user', () => {
  it('is offered with its examples, and runs with its instructions, tools and model', async () => {
    await using given = await withFiles(
      agentScript({
        ROOT: [[calls('task', { agent: 'poet', prompt: 'CHILD' })], [says('Done.')]],
        CHILD: [[says('Roses are red.')]],
      }),
    );
    const { chat, user, files } = given;
    put(user.at('.claude/agents/poet.md'), POET);
    await chat.send('ROOT');
    expect(requestOf(chat, 'ROOT')?.tools).toContain('Writes verse. <example>user \\"a haiku\\" -> the poet</example>');
    const child = requestOf(chat, 'CHILD');
    expect(child?.body).toMatchObject({ instructions: 'You are a poet.', model: 'small-model' });
    expect(child?.toolNames).toEqual(['read_file', 'view_image']);
    expect(chat.state.agents).toMatchObject([{ role: 'poet', color: 'purple', lastMessage: 'Roses are red.' }]);
    expect((await files.current()).agents).toMatchObject([
      { state: 'used', notes: ['There is no tool "Teleport": the agent does not get it.'] },
    ]);
  });

  it('takes effect with the next turn, and may replace a built-in one', async () => {
    await using given = await withFiles(
      agentScript({
        ROOT: [[says('Nothing.')], [calls('task', { agent: 'worker', prompt: 'CHILD' })], [says('Done.')]],
        CHILD: [[says('I am mine.')]],
      }),
    );
    const { chat, user } = given;
    await chat.send('ROOT');
    put(path.join(chat.home.path, 'agents/worker.md'), agent('description: My own worker.', 'You are mine.'));
    put(user.at('.claude/agents/worker.md'), agent('description: The second of this name.'));
    await chat.send('Now.');
    expect(requestOf(chat, 'CHILD')?.body).toMatchObject({ instructions: 'You are mine.', model: 'test-model' });
    const tools = requestOf(chat, 'ROOT')?.tools ?? '';
    expect(tools).toContain('My own worker.');
    expect(tools).not.toContain('Carries out a change');
  });
});

describe('a thread that works as an agent', () => {
  it('has its instructions, tools and model, also when it is opened again, and in a fork', async () => {
    await using given = await withFiles([[says('Roses.')], [says('Violets.')], [says('Both.')]]);
    const { chat, user, files } = given;
    put(user.at('.claude/agents/poet.md'), POET);
    const [role] = await files.roles();
    if (role === undefined) throw new Error('There is no agent.');
    const [mine, host] = chat.thread;
    const { settings, agent } = threadAsAgent(mine, role);
    const answered = async (session: Session) => {
      session.start();
      session.submit({ id: 'one', op: { type: 'user_turn', input: [{ type: 'text', text: 'Write.' }] } });
      await session.idle();
      const { body, toolNames } = chat.server.lastRequest;
      expect(body).toMatchObject({ instructions: 'You are a poet.', model: 'small-model' });
      expect(toolNames).toEqual(['read_file', 'view_image']);
    };
    const started: unknown[] = [];
    chat.service.live.onEvent(({ event: { msg } }) => {
      if (msg.type === 'thread_started') started.push(msg.agent);
    });
    const session = await chat.service.start(settings, host, undefined, { agent, forksContext: false });
    await answered(session);
    await session.dispose();
    const resumed = await chat.service.resume({ id: session.threadId }, mine, host);
    if (resumed.type !== 'resumed') throw new Error(resumed.type);
    await answered(resumed.session);
    await resumed.session.dispose();
    const forked = await chat.service.fork({ id: session.threadId }, null, mine, host);
    if (forked.type !== 'resumed') throw new Error(forked.type);
    await answered(forked.session);
    await forked.session.dispose();
    expect(started).toEqual(['poet', 'poet', 'poet']);
    expect((await chat.service.catalog.list([])).map(({ id }) => id)).toContain(session.threadId);
  });
});

/** Tools of two servers, which only answer, and the prefixes that may be called of them in each wait for them. */
function twoServers() {
  const waits: (readonly string[])[] = [];
  const tool = (name: string): ToolHandler => ({
    names: [name],
    spec: { type: 'function', name, description: name, parameters: { type: 'object', properties: {} }, strict: false },
    isMutating: () => false,
    parse: () => ({ type: 'parsed', args: {} }),
    prepare: async () => ({ type: 'failure', output: name }),
    run: async () => ({ output: name, success: true }),
  });
  const tools = ['mcp__docs__find', 'mcp__notes__add', 'mcp__notes__drop'].map(tool);
  const provider: ToolProvider = {
    id: 'servers',
    needsTrust: true,
    tools: () => tools,
    ready: async (_signal, _servers, mayCall = () => true) => {
      waits.push(['mcp__docs__', 'mcp__notes__'].filter(mayCall));
      return undefined;
    },
    instructions: () =>
      ['docs', 'notes'].map((source) => ({ source, text: `All about ${source}.`, toolPrefix: `mcp__${source}__` })),
  };
  return { provider, waits };
}

describe('an agent with a list of tools', () => {
  const runsChild = () =>
    agentScript({
      ROOT: [[calls('task', { agent: 'poet', prompt: 'CHILD' })], [says('Done.')]],
      CHILD: [[says('Verse.')]],
    });

  it.each([
    ['tools: mcp__notes__add', ['mcp__notes__add'], ['notes']],
    ['tools: Read, mcp__notes', ['mcp__notes__add', 'mcp__notes__drop'], ['notes']],
    ['tools: Read', [], []],
    ['disallowedTools: mcp__notes', ['mcp__docs__find'], ['docs']],
    ['disallowedTools: Bash, mcp__notes__drop', ['mcp__docs__find', 'mcp__notes__add'], ['docs', 'notes']],
  ])('has tools, instructions and waits of servers only where it may call them: %s', async (list, names, servers) => {
    const { provider, waits } = twoServers();
    await using given = await withFiles(runsChild(), {}, [provider]);
    put(given.user.at('.claude/agents/poet.md'), agent(`name: poet\ndescription: x\n${list}`));
    await given.chat.send('ROOT');
    const child = requestOf(given.chat, 'CHILD');
    expect(child?.toolNames.filter((name) => name.startsWith('mcp__'))).toEqual(names);
    const said = ['docs', 'notes'].filter((source) => child?.text.includes(`All about ${source}.`));
    expect(said).toEqual(servers);
    expect(waits.at(-1)).toEqual(servers.map((server) => `mcp__${server}__`));
    expect(child?.toolNames.includes('exec_command')).toBe(list === 'disallowedTools: mcp__notes');
  });
});

describe('an agent of a workspace', () => {
  const file = '.github/agents/poet.agent.md';

  it('is not used before the user approves it, and not after its file has changed', async () => {
    const poet = () => [calls('task', { agent: 'poet', prompt: 'CHILD' })];
    await using given = await withFiles(
      agentScript({
        ROOT: [poet(), [says('No.')], poet(), [says('Yes.')], poet(), [says('No.')]],
        CHILD: [[says('Verse.')]],
      }),
      { [file]: POET },
    );
    const { chat, files } = given;
    const unknown = 'There is no agent "poet". The agents are: explorer, worker, reviewer.';
    const last = () => outputsOf(requestOf(chat, 'ROOT') ?? chat.server.lastRequest).at(-1);
    await chat.send('ROOT');
    expect(last()).toBe(unknown);
    const [proposed] = (await files.current()).agents;
    expect(proposed?.state).toBe('proposed');
    await files.decide(proposed?.hash ?? '', 'approved');
    await chat.send('Again.');
    expect(last()).toBe('Verse.');
    chat.write(file, POET.replace('a poet', 'a spy'));
    await chat.send('And now?');
    expect(last()).toBe(unknown);
  });

  it('cannot take the name of a built-in agent or of one of the user', async () => {
    await using given = await withFiles([], {
      '.claude/agents/reviewer.md': agent('description: Mine.'),
      '.tiller/agents/poet.md': POET,
    });
    put(given.user.at('.claude/agents/poet.md'), POET);
    const { agents } = await given.files.current();
    expect(agents.map(({ role, file: { origin }, state }) => [role.name, origin, state])).toEqual([
      ['poet', 'user', 'used'],
      ['poet', 'workspace', 'shadowed'],
      ['reviewer', 'workspace', 'shadowed'],
    ]);
  });

  it('does not lose its name to one that is refused or not approved', async () => {
    const places = ['.tiller', '.claude', '.github'].map((folder) => `${folder}/agents/poet.md`);
    await using given = await withFiles([], Object.fromEntries(places.map((place) => [place, POET])));
    const { files } = given;
    const states = async () => (await files.current()).agents.map(({ state }) => state);
    const [first, , third] = (await files.current()).agents;
    expect(await states()).toEqual(['proposed', 'shadowed', 'shadowed']);
    await files.decide(first?.hash ?? '', 'refused');
    expect(await states()).toEqual(['refused', 'proposed', 'shadowed']);
    await files.decide(third?.hash ?? '', 'approved');
    expect(await states()).toEqual(['refused', 'proposed', 'used']);
    expect((await files.roles()).map(({ name }) => name)).toEqual(['poet']);
    await files.decide(third?.hash ?? '', 'open');
    expect(await files.roles()).toEqual([]);
  });

  it('costs nothing but a sentence when it is malformed, too long, or a pipe', async () => {
    await using given = await withFiles([], {
      '.claude/agents/a.md': 'no head',
      '.claude/agents/b.md': agent('description: x', 'x'.repeat(70_000)),
      '.claude/agents/README.md': 'about these agents',
    });
    const pipe = given.chat.folder.at('.claude/agents/c.md');
    execFileSync('mkfifo', [pipe]);
    const { agents, problems } = await given.files.current();
    expect(agents).toEqual([]);
    const at = (name: string) => given.chat.folder.at('.claude/agents', name);
    expect(problems).toEqual([
      `${at('a.md')}: line 1: it has no front matter between two lines ---.`,
      `${at('b.md')}: it is longer than 64 KiB.`,
      `${at('c.md')}: it is not a file.`,
    ]);
    rmSync(pipe);
  });

  it('is read in a folder with too many, and one sentence names the limit', async () => {
    const many = Array.from({ length: 101 }, (_, at) => [`.claude/agents/a${at + 1_000}.md`, POET]);
    const others = Array.from({ length: 101 }, (_, at) => [`.claude/agents/a${at}.txt`, '']);
    await using given = await withFiles([], Object.fromEntries([...others, ...many]));
    const { agents, problems } = await given.files.current();
    expect(agents).toHaveLength(100);
    expect(problems).toEqual([`${given.chat.folder.at('.claude/agents')}: only its first 100 files are read.`]);
  });
});

describe('tiller exec', () => {
  it('uses agents of the user, and names those of the workspace, which it does not load', PATIENT, async () => {
    using home = tempFolder();
    put(home.at('.claude/agents/poet.md'), POET);
    put(home.at('work/.claude/agents/spy.md'), agent('description: Spies.'));
    await using server = await ModelServer.start(
      agentScript({
        ROOT: [
          [calls('task', { agent: 'poet', prompt: 'CHILD' }), calls('task', { agent: 'spy', prompt: 'x' })],
          [says('Done.')],
        ],
        CHILD: [[says('Verse.')]],
      }),
    );
    const args = ['exec', '--cd', home.at('work'), '--model', 'm', '--base-url', server.baseUrl, 'ROOT'];
    const run = await runCli(args, { home: home.path });
    expect(run).toMatchObject({ code: 0, stdout: 'Done.\n' });
    expect(run.stderr).toContain('agents of the workspace are not loaded: .claude/agents/spy.md');
    expect(run.stderr).toContain('There is no tool "Teleport"');
    expect(run.stderr).toContain('The setting agentModels has no model for "sonnet"');
    const root = server.requests.findLast((request) => userTexts(request).some((text) => text.includes('ROOT')));
    expect(root && outputsOf(root)).toEqual([
      'Verse.',
      'There is no agent "spy". The agents are: explorer, worker, reviewer, poet.',
    ]);
  });
});
