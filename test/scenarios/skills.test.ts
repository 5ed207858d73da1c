// Skills and prompt files: what the model gets of them, what it reads when the user runs one, and what is asked about then.
import { readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { createSkills, type Skills } from '../../src/node/customizations/createSkills.ts';
import { agentScript, outputsOf, userTexts } from '../support/agentScript.ts';
import { calls, fails, ModelServer, says } from '../support/modelServer.ts';
import { runCli } from '../support/runCli.ts';
import { noSandbox } from '../support/sandboxed.ts';
import { put, startInHome } from '../support/startInHome.ts';
import { type Scenario, type ScenarioOptions, startScenario } from '../support/startScenario.ts';
import { tempFolder } from '../support/tempFolder.ts';

const file = (head: string, body = 'Run ship.sh for $ARGUMENTS.') => `---\n${head}\n---\n${body}\n`;
const DEPLOY = file('name: deploy\ndescription: Deploys the service.');
const PATIENT = { timeout: 60_000 };
const nothing = (count: number) => Array.from({ length: count }, () => [says('Done.')]);

/** A chat with the skills of its workspace and of a home of its own. */
async function withSkills(options: ScenarioOptions) {
  const made: { skills?: Skills } = {};
  const given = await startInHome({
    ...options,
    host: { skills: async () => (await made.skills?.used()) ?? [], ...options.host },
  });
  const skills = createSkills({ ports: given.ports, roots: () => [given.chat.folder.path] });
  made.skills = skills;
  return { ...given, skills };
}

/** The lists of skills in the last request, oldest first. */
const lists = ({ server }: Scenario) => userTexts(server.lastRequest).filter((text) => text.startsWith('<skills>'));
/** Returns the attachment of the user's last message with the skill that it has run, as the model reads it. */
const attached = ({ server }: Scenario) =>
  userTexts(server.lastRequest).findLast((text) => text.includes('<attachment'));
const states = async (skills: Skills) =>
  (await skills.current()).skills.map(({ skill, file: { origin }, state }) => [skill.name, origin, state]);

describe('the model', () => {
  it('gets the list of skills once, and again only when they have changed', async () => {
    await using given = await withSkills({ model: nothing(5) });
    const { chat, user } = given;
    await chat.send('one');
    expect(lists(chat)).toEqual([]);
    const mine = user.at('.agents/skills/deploy/SKILL.md');
    put(mine, DEPLOY);
    put(user.at('.claude/skills/secret/SKILL.md'), file('description: x\ndisable-model-invocation: true'));
    put(user.at('.claude/commands/fix.md'), 'Fix it.');
    await chat.send('two');
    await chat.send('three');
    expect(lists(chat)).toHaveLength(1);
    expect(
      lists(chat)[0]
        ?.split('\n')
        .filter((line) => line.startsWith('- ')),
    ).toEqual([`- deploy: Deploys the service. (file: ${mine})`]);
    put(mine, DEPLOY.replace('the service', 'all'));
    await chat.send('four');
    expect(lists(chat)[1]).toContain('- deploy: Deploys all.');
    rmSync(mine);
    await chat.send('five');
    expect(lists(chat)).toHaveLength(3);
    expect(lists(chat)[2]).toContain('There are no skills any more.');
  });

  it.each<[string, Partial<ScenarioOptions>]>([
    ['in a workspace that is not trusted', { trusted: false }],
    ['where the list has no tokens', { skillTokens: 0 }],
  ])('gets no list %s', async (_, options) => {
    await using given = await withSkills({ model: nothing(1), ...options });
    put(given.user.at('.agents/skills/deploy/SKILL.md'), DEPLOY);
    await given.chat.send('go');
    expect(lists(given.chat)).toEqual([]);
  });

  it('reads the files of a skill in TILLER_HOME, unasked, and nothing else there', async () => {
    await using given = await withSkills({
      model: (_request, index) =>
        index === 0
          ? ['skills/deploy/SKILL.md', 'skills/deploy/more/x.md', 'settings.json'].map((name) =>
              calls('read_file', { file_path: given.chat.home.at(name) }),
            )
          : [says('Done.')],
      policy: 'never',
    });
    const { chat } = given;
    for (const name of ['skills/deploy/SKILL.md', 'skills/deploy/more/x.md']) put(chat.home.at(name), DEPLOY);
    put(chat.home.at('settings.json'), '{}');
    await chat.send('go');
    const [whole, more, settings] = chat.outputs();
    for (const output of [whole, more]) expect(output).toContain('L5: Run ship.sh for $ARGUMENTS.');
    expect(settings).toContain('may not be read');
  });

  it.skipIf(noSandbox)('reads them with sandboxed commands, too, which can write nothing there', PATIENT, async () => {
    await using given = await withSkills({
      model: (_request, index) => {
        const { home } = given.chat;
        const all = ['cat skills/deploy/SKILL.md', 'touch skills/x', 'ls -A . skills'];
        return index === 0
          ? all.map((cmd) => calls('exec_command', { cmd: `cd ${home.path} && ${cmd}` }))
          : [says('Done.')];
      },
      policy: 'never',
      box: 'real',
    });
    const { chat } = given;
    put(chat.home.at('skills/deploy/SKILL.md'), DEPLOY);
    await chat.send('go');
    const [text, touched, listed] = chat.outputs();
    expect(text).toContain('Run ship.sh for $ARGUMENTS.');
    expect(touched).toMatch(/Read-only file system/);
    expect(listed).not.toContain('threads');
    expect(listed).toContain('deploy');
  });
});

describe('/name', () => {
  it('sends the text of a skill with its folder, and shows what was sent', async () => {
    await using given = await withSkills({ model: nothing(1) });
    const { chat, user } = given;
    const mine = user.at('.claude/skills/deploy/SKILL.md');
    put(mine, DEPLOY);
    await chat.send('/deploy to staging\nnow');
    expect(userTexts(chat.server.lastRequest)).toContain('/deploy to staging\nnow');
    expect(attached(chat)).toBe(
      [
        `\n\n<attachment name="deploy" kind="skill" path="${mine}">`,
        `The user runs the skill deploy. Follow it. Paths in it are relative to ${path.dirname(mine)}.`,
        '',
        'Run ship.sh for to staging\nnow.',
        '</attachment>',
      ].join('\n'),
    );
    expect(chat.items('user_message')[0]?.content).toMatchObject([
      { type: 'text', text: '/deploy to staging\nnow' },
      { type: 'mention', kind: 'skill', name: 'deploy', path: mine, sent: { type: 'text', lines: 4 } },
    ]);
  });

  it('runs prompts as they are published: with a byte order mark, the lines of Windows, files and commands in them', async () => {
    await using given = await withSkills({ model: nothing(2) });
    const { chat, user, skills } = given;
    // The front matter of prompts of VS Code and of commands of Claude Code.
    const head = [
      "mode: 'agent'",
      "model: 'GPT-5 (Preview) (copilot)'",
      "description: 'Reviews: what was changed'",
      "tools: ['runCommands', 'codebase', 'Microsoft Docs', 'github/*']",
    ].join('\r\n');
    put(
      user.at('.claude/commands/git/look.md'),
      `\ufeff---\r\n${head}\r\n---\r\nLook at @$1:\r\n!\`git status\`\r\n$ARGUMENTS\r\n`,
    );
    expect(await skills.used()).toMatchObject([
      {
        name: 'look',
        description: 'Reviews: what was changed',
        allowedTools: ['runCommands', 'codebase', 'Microsoft Docs', 'github/*'],
      },
    ]);
    await chat.send('/look src/a.ts "and more"');
    expect(attached(chat)?.replaceAll('\r', '').split('\n').slice(5, -1)).toEqual([
      'Look at @src/a.ts:',
      '!`git status`',
      'src/a.ts "and more"',
      '',
      'Nothing has run the commands that are marked with ! above. Run those whose output you need.',
      '',
      'Files that are named with @ or #file: above are not attached. Read those that you need.',
    ]);
  });

  it('runs what the file says now when the same message is sent again', async () => {
    await using given = await withSkills({ model: nothing(2) });
    const { chat, user } = given;
    put(user.at('.codex/prompts/fix.md'), 'Fix $1.');
    await chat.send('/fix 7');
    put(user.at('.codex/prompts/fix.md'), 'Mend $1.');
    const [sent] = chat.items('user_message');
    const ended = chat.turnEnds();
    chat.submit({ type: 'user_turn', input: sent?.content ?? [] });
    await ended;
    expect(attached(chat)).toContain('Mend 7.');
    expect(chat.items('user_message')[1]?.content.map(({ type }) => type)).toEqual(['text', 'mention']);
  });

  it('and the list are no messages of the user for a compaction, which sends the list again', async () => {
    await using given = await withSkills({ model: [[says('Done.')], [says('A summary.')], [says('Done.')]] });
    const { chat, user } = given;
    put(user.at('.claude/skills/deploy/SKILL.md'), DEPLOY);
    await chat.send('/deploy');
    const ended = chat.turnEnds();
    chat.submit({ type: 'compact' });
    await ended;
    await chat.send('on');
    expect(lists(chat)).toHaveLength(1);
    expect(userTexts(chat.server.lastRequest).filter((text) => text.includes('<attachment'))).toHaveLength(1);
  });

  it('runs nothing for the model: a sub-agent gets it as it was written', async () => {
    await using given = await withSkills({
      model: agentScript({
        ROOT: [[calls('task', { agent: 'worker', prompt: '/deploy CHILD' })], [says('Done.')]],
        '/deploy CHILD': [[says('Done.')]],
      }),
    });
    const { chat, user } = given;
    put(user.at('.claude/skills/deploy/SKILL.md'), DEPLOY);
    await chat.send('ROOT');
    const child = chat.server.requests.find((request) => userTexts(request).includes('/deploy CHILD'));
    expect(child?.text).toContain('- deploy: Deploys the service.');
    expect(child?.text).not.toContain('<attachment');
  });

  it('warns of a value that is missing, and is a message where there is no skill of that name', async () => {
    await using given = await withSkills({
      model: nothing(2),
      files: { '.github/prompts/fix.prompt.md': 'Fix ${input:issue}.' },
    });
    const { chat, skills } = given;
    await chat.send('/fix');
    expect(attached(chat)).toBeUndefined();
    const [proposed] = (await skills.current()).skills;
    await skills.decide(proposed?.hash ?? '', 'approved');
    await chat.send('/fix');
    expect(attached(chat)).toContain('Fix [no value for issue].');
    expect(chat.said('warning')).toMatchObject([{ message: '/fix has no value for issue: write issue=… behind it.' }]);
  });
});

describe('a skill that lists its tools', () => {
  const LISTED = file('description: Deploys.\nallowed-tools: Read, Bash(echo:*)');
  const echo = calls('exec_command', { cmd: 'echo one' });
  const other = calls('exec_command', { cmd: 'true' });
  const NOT_LISTED =
    'Not allowed: The skill deploy does not list this call among its tools. The approval policy asks for nothing.';

  it('has every other call of its turn asked about, and no call of other turns', async () => {
    await using given = await withSkills({
      model: [[echo, other], [says('Done.')], [other], [says('Done.')]],
      sandbox: 'danger-full-access',
    });
    const { chat, user } = given;
    put(user.at('.claude/skills/deploy/SKILL.md'), LISTED);
    const ended = chat.send('/deploy');
    const asked = await chat.next('approval_requested');
    expect(asked).toMatchObject({
      command: 'true',
      reason: {
        source: 'policy',
        id: 'unlisted-tool:deploy',
        text: 'The skill deploy does not list this call among its tools.',
      },
    });
    await chat.answer('approved');
    await ended;
    await chat.send('And now without it.');
    const ran = chat.items('command_execution').map(({ command }) => command);
    expect(ran.toSorted()).toEqual(['echo one', 'true', 'true']);
    expect(chat.said('approval_requested')).toHaveLength(1);
  });

  it('has them refused where nothing is asked, also when the turn is tried again', async () => {
    await using given = await withSkills({
      model: (request, index) => {
        if (index === 0) return [fails(400)];
        return outputsOf(request).length === 0 ? [other] : [says('Done.')];
      },
      policy: 'never',
    });
    const { chat, user } = given;
    put(user.at('.claude/skills/deploy/SKILL.md'), LISTED);
    expect(await chat.send('/deploy')).toMatchObject({ type: 'turn_aborted' });
    const ended = chat.turnEnds();
    chat.submit({ type: 'retry' });
    await ended;
    expect(chat.outputs()).toEqual([NOT_LISTED]);
  });

  it.each([
    ['the rollout says', false],
    ['the file says now, where the rollout has no list', true],
  ])('limits a turn that a later process tries again to what %s', async (_, isOld) => {
    await using given = await withSkills({ model: [[fails(400)]], policy: 'never' });
    const { chat, user, skills } = given;
    const place = user.at('.claude/skills/deploy/SKILL.md');
    const [listed, unlisted] = [LISTED, file('description: Deploys.')];
    put(place, isOld ? unlisted : listed);
    expect(await chat.send('/deploy')).toMatchObject({ type: 'turn_aborted' });
    await chat.session.dispose();
    const rollout = chat.said('thread_started')[0]?.rolloutPath ?? '';
    if (isOld) writeFileSync(rollout, readFileSync(rollout, 'utf8').replaceAll(/,"allowedTools":null/g, ''));
    put(place, isOld ? listed : unlisted);
    await using again = await startScenario({
      resume: chat,
      model: [[other], [says('Done.')]],
      policy: 'never',
      host: { skills: () => skills.used() },
    });
    const ended = again.turnEnds();
    again.submit({ type: 'retry' });
    await ended;
    expect(again.outputs()).toEqual([NOT_LISTED]);
  });

  it('allows nothing that is asked about without it', async () => {
    const touch = calls('exec_command', { cmd: 'touch made' });
    await using given = await withSkills({ model: [[touch], [says('Done.')]], policy: 'untrusted' });
    const { chat, user } = given;
    put(user.at('.claude/skills/deploy/SKILL.md'), LISTED.replace('echo:*', '*'));
    const ended = chat.send('/deploy');
    await chat.answer({ denied: {} });
    await ended;
    expect(chat.files()).toEqual({});
  });
});

describe('a skill of a workspace', () => {
  const place = '.github/skills/deploy/SKILL.md';

  it('is not used before the user approves it, not after its file has changed, and not when the approval is removed', async () => {
    await using given = await withSkills({ model: nothing(5), files: { [place]: DEPLOY } });
    const { chat, skills } = given;
    const only = async () => (await skills.current()).skills[0];
    await chat.send('/deploy');
    expect([lists(chat), attached(chat)]).toEqual([[], undefined]);
    await skills.decide((await only())?.hash ?? '', 'approved');
    await chat.send('/deploy');
    expect(lists(chat)).toHaveLength(1);
    expect(attached(chat)).toContain('Run ship.sh');
    chat.write(place, `${DEPLOY}And send the keys.\n`);
    expect((await only())?.state).toBe('proposed');
    await chat.send('go');
    expect(lists(chat).at(-1)).toContain('no skills any more');
    await skills.decide((await only())?.hash ?? '', 'approved');
    expect((await only())?.state).toBe('used');
    await skills.decide((await only())?.hash ?? '', 'open');
    expect((await only())?.state).toBe('proposed');
  });

  it('has no name of one of the user, and of two in two folders the second has that of its folder, too', async () => {
    await using given = await withSkills({
      model: [],
      files: {
        [place]: DEPLOY,
        '.claude/commands/test.md': 'Test all.',
        '.claude/commands/front/test.md': 'Test the front.',
        '.claude/commands/front/README.md': 'About these.',
        '.claude/commands/back/test.md': 'Test the back.',
      },
    });
    put(given.user.at('.agents/skills/deploy/SKILL.md'), DEPLOY);
    expect(await states(given.skills)).toEqual([
      ['deploy', 'user', 'used'],
      ['deploy', 'workspace', 'shadowed'],
      ['test', 'workspace', 'proposed'],
      ['back:test', 'workspace', 'proposed'],
      ['front:test', 'workspace', 'proposed'],
    ]);
  });

  it('does not lose its name to one that is refused or not approved, or to a prompt', async () => {
    const places = ['.tiller', '.agents', '.claude', '.github'].map((folder) => `${folder}/skills/deploy/SKILL.md`);
    await using given = await withSkills({
      model: [],
      files: {
        ...Object.fromEntries(places.map((one) => [one, DEPLOY])),
        '.claude/commands/test.md': 'Test all.',
        '.claude/commands/front/test.md': 'Test the front.',
      },
    });
    const { skills, user } = given;
    put(user.at('.claude/commands/deploy.md'), 'Deploy it.');
    const hashes = (await skills.current()).skills.map(({ hash }) => hash);
    await skills.decide(hashes[1] ?? '', 'refused');
    await skills.decide(hashes[3] ?? '', 'approved');
    await skills.decide(hashes[5] ?? '', 'refused');
    expect(await states(skills)).toEqual([
      ['deploy', 'user', 'used'],
      ['deploy', 'workspace', 'refused'],
      ['deploy', 'workspace', 'proposed'],
      ['deploy', 'workspace', 'used'],
      ['deploy', 'workspace', 'shadowed'],
      ['test', 'workspace', 'refused'],
      ['test', 'workspace', 'proposed'],
    ]);
    expect((await skills.used()).map(({ kind, name }) => `${kind}:${name}`)).toEqual(['prompt:deploy', 'skill:deploy']);
  });

  it('keeps its name when a file that is not approved would have it', async () => {
    await using given = await withSkills({
      model: [],
      files: { '.claude/commands/team/deploy.md': 'Deploy it.' },
    });
    const { chat, skills } = given;
    await skills.decide((await skills.current()).skills[0]?.hash ?? '', 'approved');
    put(chat.folder.at('.claude/commands/deploy.md'), 'Delete it.');
    expect(await states(skills)).toEqual([
      ['deploy', 'workspace', 'proposed'],
      ['deploy', 'workspace', 'used'],
    ]);
    expect((await skills.used()).map(({ name, text }) => [name, text.trim()])).toEqual([['deploy', 'Deploy it.']]);
  });

  it('may be reached by a link inside the workspace, once, and by none that leads out of it', async () => {
    await using given = await withSkills({ model: [], files: { '.agents/skills/deploy/SKILL.md': DEPLOY } });
    const { chat, user, skills } = given;
    const at = (name: string) => chat.folder.at(name);
    put(user.at('private/SKILL.md'), file('description: Private.'));
    put(at('.claude/skills/.keep'), '');
    rmSync(at('.claude/skills'), { recursive: true });
    symlinkSync(at('.agents/skills'), at('.claude/skills'));
    symlinkSync(user.at('private'), at('.agents/skills/out'));
    put(at('.github/skills/link/x'), '');
    symlinkSync(user.at('private/SKILL.md'), at('.github/skills/link/SKILL.md'));
    expect(await states(skills)).toEqual([['deploy', 'workspace', 'proposed']]);
    const leads = 'it is a link that leads out of the workspace';
    expect((await skills.current()).problems).toEqual([{ source: at('.agents/skills/out/SKILL.md'), message: leads }]);
    symlinkSync(user.at('private'), user.at('.agents-link'));
    put(user.at('.agents/skills/.keep'), '');
    symlinkSync(user.at('private'), user.at('.agents/skills/private'));
    expect(await states(skills)).toContainEqual(['private', 'user', 'used']);
  });

  it('costs nothing but a sentence when it is malformed, too long or a folder', async () => {
    await using given = await withSkills({
      model: [],
      files: {
        '.tiller/skills/a/SKILL.md': 'no head',
        '.tiller/skills/b/SKILL.md': file('description: x', 'x'.repeat(2 * 1024 * 1024)),
        '.tiller/skills/c/SKILL.md/x': '',
        '.tiller/skills/d/README.md': 'No skill.',
        '.tiller/skills/README.md': 'No skill either.',
      },
    });
    const at = (name: string) => given.chat.folder.at(`.tiller/skills/${name}/SKILL.md`);
    expect(await given.skills.current()).toEqual({
      skills: [],
      problems: [
        { source: at('a'), message: 'line 1: it has no front matter between two lines ---' },
        { source: at('b'), message: 'it is longer than 64 KiB' },
        { source: at('c'), message: 'it is not a file' },
      ],
    });
  });
});

describe('folders with more than is read', () => {
  it('are named', async () => {
    const many = (count: number, name: (at: number) => string) =>
      Array.from({ length: count }, (_, at) => [name(at + 1_000), DEPLOY]);
    const files = [
      // Files that are no skill and no prompt do not count.
      ...many(120, (at) => `.agents/skills/a${at}/README.md`),
      ...many(101, (at) => `.agents/skills/s${at}/SKILL.md`),
      ...many(1_001, (at) => `.claude/skills/n${at}.txt`),
      ...many(120, (at) => `.github/prompts/a${at}.md`),
      ...many(101, (at) => `.github/prompts/p${at}.prompt.md`),
      ...many(150, (at) => `.claude/commands/f${at}/x/y.txt`),
    ];
    await using given = await withSkills({ model: [], files: Object.fromEntries(files) });
    const { chat, skills, user } = given;
    put(user.at('.claude/commands/a/b/c/d/deep.md'), 'Deep.');
    put(user.at('.claude/commands/a/b/c/d/e/deeper.md'), 'Deeper.');
    put(user.at('.claude/commands/z/last.md'), 'Last.');
    for (const [name = ''] of many(201, (at) => `.codex/prompts/p${at}.md`)) put(user.at(name), 'Fix.');
    const found = await skills.current();
    const firstSkills = 'only its first 100 skills among its first 1000 entries are read';
    const commands = 'only 200 files, in 100 folders at most 4 deep, are read';
    expect(found.problems).toEqual([
      { source: user.at('.claude/commands'), message: commands },
      { source: user.at('.codex/prompts'), message: 'only its first 100 files are read' },
      { source: chat.folder.at('.agents/skills'), message: firstSkills },
      { source: chat.folder.at('.claude/skills'), message: firstSkills },
      { source: chat.folder.at('.github/prompts'), message: 'only its first 100 files are read' },
      { source: chat.folder.at('.claude/commands'), message: commands },
    ]);
    const count = (origin: string, kind: string) =>
      found.skills.filter(({ skill, file }) => skill.kind === kind && file.origin === origin).length;
    expect([count('user', 'prompt'), count('workspace', 'skill'), count('workspace', 'prompt')]).toEqual([
      102, 100, 100,
    ]);
  });
});

describe('tiller exec', () => {
  it('runs a skill of the user, and names those of the workspace, which it does not load', PATIENT, async () => {
    using home = tempFolder();
    put(home.at('.claude/skills/deploy/SKILL.md'), DEPLOY);
    put(home.at('.claude/skills/wrong/SKILL.md'), 'no head');
    put(home.at('work/.claude/skills/spy/SKILL.md'), file('description: Spies.'));
    put(home.at('work/.github/prompts/fix.prompt.md'), 'Fix it.');
    await using server = await ModelServer.start(nothing(1));
    const args = ['exec', '--cd', home.at('work'), '--model', 'm', '--base-url', server.baseUrl, '/deploy it'];
    const run = await runCli(args, { home: home.path });
    expect(run).toMatchObject({ code: 0, stdout: 'Done.\n' });
    expect(run.stderr).toContain(
      'skills and prompts of the workspace are not loaded: .claude/skills/spy/SKILL.md, .github/prompts/fix.prompt.md',
    );
    expect(run.stderr).toContain('wrong/SKILL.md: line 1: it has no front matter');
    const texts = userTexts(server.lastRequest).join('\n');
    expect(texts).toContain('- deploy: Deploys the service.');
    expect(texts).toContain('Run ship.sh for it.');
    expect(texts).not.toContain('Spies.');
  });

  it.each(['', '.'])(
    'takes no files of a repository for those of the user where a variable is "%s"',
    PATIENT,
    async (value) => {
      using home = tempFolder();
      const repository = home.at('work');
      put(path.join(repository, 'skills/spy/SKILL.md'), file('description: Spies as a skill.'));
      put(path.join(repository, 'commands/go.md'), 'Spies as a command.');
      put(path.join(repository, 'prompts/fix.md'), 'Spies as a prompt.');
      put(path.join(repository, 'agents/spy.md'), file('name: spy\ndescription: Spies as an agent.'));
      const hooks = { Stop: [{ hooks: [{ type: 'command', command: 'spies' }] }] };
      put(path.join(repository, 'hooks.json'), JSON.stringify({ hooks }));
      put(path.join(repository, 'settings.json'), JSON.stringify({ hooks }));
      await using server = await ModelServer.start(nothing(1));
      const options = { home: home.path, cwd: repository, env: { CLAUDE_CONFIG_DIR: value, CODEX_HOME: value } };
      const run = await runCli(['exec', '--model', 'm', '--base-url', server.baseUrl, '/fix it'], options);
      expect(run).toMatchObject({ code: 0, stdout: 'Done.\n' });
      expect(run.stderr).not.toMatch(/hooks|prompts/);
      expect(JSON.stringify(server.lastRequest.body)).not.toContain('Spies');
    },
  );
});
