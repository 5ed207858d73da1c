import { describe, expect, it } from 'vitest';
import { decideCommand } from '../../../src/core/policy/decideCommand.ts';
import { applyRuleEdit } from '../../../src/core/rules/ruleEdits.ts';
import { RulesStore } from '../../../src/core/rules/rulesStore.ts';
import type { Op } from '../../../src/protocol/op.ts';
import { type Rule, sandboxPolicyInputSchema } from '../../../src/protocol/policy.ts';
import { MemoryStorage } from '../../support/memoryStorage.ts';
import { MemoryWorkspace } from '../../support/memoryWorkspace.ts';

const NPM: Rule = { pattern: ['npm', 'test'], decision: 'allow' };
const place = { cwd: '/work', trusted: true };
const file = (...rules: unknown[]): string => JSON.stringify({ version: 1, rules });

/** Another window with the same TILLER_HOME and workspace. */
function open(home = new MemoryStorage(), workspace = new MemoryWorkspace({})) {
  const clock = {
    now: () => new Date('2030-01-01T00:00:00.000Z'),
    monotonic: () => 0,
    sleep: async () => {},
    after: () => () => {},
  };
  const log = { debug() {}, info() {}, warn() {}, error() {} };
  const store = new RulesStore({ storage: home, workspace, clock, log });
  const overview = () => store.overview(place, null);
  const rules = async () => (await overview()).rules.map(({ layer, rule }) => [layer, rule]);
  const decide = async (...argv: string[]) => {
    const { rules } = await store.inForce(place, null);
    return decideCommand({
      argv,
      approvalPolicy: 'untrusted',
      sandboxPolicy: sandboxPolicyInputSchema.parse('workspace-write'),
      box: 'bubblewrap',
      sandboxPermissions: 'use_default',
      rules,
      platform: 'linux',
    }).type;
  };
  return { home, workspace, store, overview, rules, decide };
}

describe('a rule for everywhere', () => {
  it('is written into rules.json beside the other rules, and applies at once in every window', async () => {
    const home = new MemoryStorage({ 'rules.json': '{\n    "rules": [\n    ],\n    "version": 1\n}\n' });
    const [here, there] = [open(home), open(home)];
    expect(await there.decide('npm', 'test')).toBe('needs_approval');
    await here.store.add('user', NPM, place);
    expect(home.files.get('rules.json')).toBe(
      '{\n    "rules": [\n        {\n            "pattern": [\n                "npm",\n                "test"\n            ],\n            "decision": "allow"\n        }\n    ],\n    "version": 1\n}\n',
    );
    expect(await there.decide('npm', 'test')).toBe('skip');
  });

  it('is there once, however often it is added', async () => {
    const { store, rules } = open();
    await store.add('user', NPM, place);
    await store.add('user', { ...NPM, justification: 'again' }, place);
    expect(await rules()).toEqual([['user', NPM]]);
  });

  it('is changed and removed by its text; a removed one cannot be', async () => {
    const { store, overview, rules } = open();
    await store.add('user', NPM, place);
    const [entry] = (await overview()).rules;
    await store.replace(entry?.id ?? '', { ...NPM, pattern: ['npm', 'run', 'test'] }, place);
    expect(await rules()).toEqual([['user', { ...NPM, pattern: ['npm', 'run', 'test'] }]]);
    await expect(store.replace(entry?.id ?? '', null, place)).rejects.toThrow('This rule no longer exists.');
    await store.replace((await overview()).rules[0]?.id ?? '', null, place);
    expect(await rules()).toEqual([]);
  });

  it('is refused when it would allow anything, and the file is unchanged', async () => {
    const { home, store } = open();
    await expect(store.add('user', { pattern: ['bash', '-c'], decision: 'allow' }, place)).rejects.toThrow(
      'A rule for "bash -c" would allow any command that is run with it.',
    );
    await expect(store.add('user', { pattern: [['ls', 'sudo']], decision: 'allow' }, place)).rejects.toThrow('ls|sudo');
    await store.add('user', { pattern: ['bash', '-c'], decision: 'forbidden' }, place);
    expect([...home.files.keys()]).toEqual(['rules.json']);
  });

  it('is not changed into one that would allow anything', async () => {
    const { store, overview, rules } = open();
    await store.add('user', NPM, place);
    const id = (await overview()).rules[0]?.id ?? '';
    const banned: Rule = { pattern: ['bash', '-c'], decision: 'allow' };
    await expect(store.replace(id, banned, place)).rejects.toThrow('would allow any command');
    expect(await rules()).toEqual([['user', NPM]]);
  });

  it('is written into a file with Windows line endings', async () => {
    const { home, store, rules } = open(
      new MemoryStorage({ 'rules.json': '\uFEFF{"version":1,"rules":[{"pattern":["a"]}]}' }),
    );
    await store.add('user', NPM, place);
    expect((await rules()).map(([, rule]) => rule)).toMatchObject([{ pattern: ['a'] }, NPM]);
    expect(home.files.get('rules.json')).toMatch(/^\{/);
  });

  it('is not added when the disk is full, and the reason is reported', async () => {
    const { home, store, rules } = open();
    home.refuses = () => true;
    await expect(store.add('user', NPM, place)).rejects.toThrow('rules.json cannot be written: the disk is full.');
    expect(await rules()).toEqual([]);
  });

  it('is not written into an invalid file', async () => {
    const { home, store, overview } = open(new MemoryStorage({ 'rules.json': '{"version": 1,\n "rules": [}' }));
    await expect(store.add('user', NPM, place)).rejects.toThrow(/rules\.json:2: not valid JSON .* Correct it first\./);
    expect(home.files.get('rules.json')).toBe('{"version": 1,\n "rules": [}');
    expect((await overview()).problems).toMatchObject([{ file: '/home/me/.tiller/rules.json' }]);
  });
});

describe('a rule for a workspace', () => {
  it('applies in its folder only, and the workspace gets no file of it', async () => {
    const { home, workspace, store, rules } = open();
    await store.add('workspace', NPM, place);
    await store.add('workspace', NPM, place);
    expect(await rules()).toEqual([['workspace', NPM]]);
    const elsewhere = open(home, new MemoryWorkspace({}));
    expect(await elsewhere.store.inForce({ cwd: '/other', trusted: true }, null)).toMatchObject({ rules: [] });
    expect(workspace.files()).toEqual({});
  });
});

describe('a rules file of the workspace', () => {
  it.each([
    '['.repeat(200_000),
    '\uFEFF{',
    '{"version":1,"rules":[{"pattern":["npm"],"decision":"allow","decision":"forbidden"}]}',
  ])('that is broken stops nothing and says so', async (text) => {
    const { decide, overview } = open(undefined, new MemoryWorkspace({ '.tiller/rules.json': text }));
    expect(await decide('ls')).toBe('skip');
    expect((await overview()).problems).toMatchObject([{ file: '/work/.tiller/rules.json' }]);
  });

  const brought = (...rules: unknown[]) => new MemoryWorkspace({ '.tiller/rules.json': file(...rules) });
  const loosening = { pattern: ['curl'], justification: 'We need it.' };

  it('tightens at once, and a rule that allows is a proposal', async () => {
    const { decide, overview } = open(undefined, brought({ pattern: ['npm'], decision: 'forbidden' }, loosening));
    expect(await decide('npm', 'test')).toBe('forbidden');
    expect(await decide('curl', 'x')).toBe('needs_approval');
    expect((await overview()).proposals).toMatchObject([
      { rule: { pattern: ['curl'], decision: 'allow', justification: 'We need it.' }, state: 'new' },
    ]);
  });

  it('keeps the user’s choice while its text stays the same', async () => {
    const workspace = brought(loosening);
    const { store, decide, overview } = open(undefined, workspace);
    const [proposal] = (await overview()).proposals;
    await store.settleProposal(proposal?.hash ?? '', 'refused', place);
    expect((await overview()).proposals).toMatchObject([{ state: 'refused' }]);
    await store.settleProposal(proposal?.hash ?? '', 'accepted', place);
    expect(await decide('curl', 'x')).toBe('skip');
    expect((await overview()).proposals).toEqual([]);
    for (const changed of [{ pattern: ['curl'] }, { ...loosening, pattern: ['wget'] }]) {
      workspace.writeBehind('.tiller/rules.json', file(changed));
      expect(await decide('curl', 'x')).toBe('needs_approval');
    }
    workspace.writeBehind('.tiller/rules.json', file({ ...loosening, bypassSandbox: true }));
    expect((await overview()).proposals).toMatchObject([{ state: 'new' }]);
  });

  it('is withdrawn by removing the accepted rule', async () => {
    const { store, decide, overview } = open(undefined, brought(loosening));
    await store.settleProposal((await overview()).proposals[0]?.hash ?? '', 'accepted', place);
    await store.replace((await overview()).rules[0]?.id ?? '', null, place);
    expect(await decide('curl', 'x')).toBe('needs_approval');
  });

  it('is not removed here where it tightens', async () => {
    const { store, decide, overview } = open(undefined, brought({ pattern: ['npm'], decision: 'forbidden' }));
    const id = (await overview()).rules[0]?.id ?? '';
    await expect(store.replace(id, null, place)).rejects.toThrow('Change it in /work/.tiller/rules.json.');
    expect(await decide('npm', 'test')).toBe('forbidden');
  });

  it('is not read before the workspace is trusted', async () => {
    const { store } = open(undefined, brought({ pattern: ['npm'], decision: 'forbidden' }));
    expect(await store.inForce({ ...place, trusted: false }, null)).toEqual({ rules: [], problems: [] });
  });

  it('that is invalid gives no rules, reports the place, and does not affect the other files', async () => {
    const { store, decide, overview } = open(undefined, new MemoryWorkspace({ '.tiller/rules.json': '[' }));
    await store.add('user', NPM, place);
    expect(await decide('npm', 'test')).toBe('skip');
    expect((await overview()).problems.map(({ file }) => file)).toEqual(['/work/.tiller/rules.json']);
  });
});

describe('uses', () => {
  it('are counted over all windows, beside the rules', async () => {
    const home = new MemoryStorage();
    const [here, there] = [open(home), open(home)];
    await here.store.add('user', NPM, place);
    for (const { store } of [here, there, there]) store.noteUse((await store.inForce(place, null)).rules);
    await here.store.flush();
    await there.store.flush();
    expect((await open(home).overview()).rules).toMatchObject([
      { uses: { count: 3, lastUsedAt: '2030-01-01T00:00:00.000Z' } },
    ]);
    expect(home.files.get('rules.json')).not.toContain('2030');
  });

  it('that cannot be written are kept for the next write', async () => {
    const { home, store, overview } = open();
    await store.add('user', NPM, place);
    store.noteUse((await store.inForce(place, null)).rules);
    home.refuses = () => true;
    await store.flush();
    home.refuses = undefined;
    await store.flush();
    expect(home.files.has('rule-uses.json')).toBe(true);
    expect((await overview()).rules).toMatchObject([{ uses: { count: 1 } }]);
  });
});

describe('an edit on the rules page', () => {
  const key = '["command",["npm","test"],"/work","none"]';

  it('of a rule of the thread goes to its session, any other into its file', async () => {
    const { store, rules } = open();
    const ops: Op[] = [];
    const memory = { threadId: 't', keys: [key], rules: [NPM] };
    const thread = { memory, submit: (op: Op) => void ops.push(op) };
    const overview = await store.overview(place, memory);
    expect(overview).toMatchObject({
      rules: [{ layer: 'thread', file: null, rule: NPM }],
      approvals: [{ key, kind: 'command', text: 'npm test', cwd: '/work' }],
    });
    const edit = (one: Parameters<typeof applyRuleEdit>[0]) => applyRuleEdit(one, store, place, thread);
    expect(await edit({ type: 'remove', id: overview.rules[0]?.id ?? '' })).toEqual({ type: 'done' });
    expect(await edit({ type: 'forget', key })).toEqual({ type: 'done' });
    expect(await edit({ type: 'add', scope: 'thread', rule: { pattern: ['ls'], decision: 'prompt' } })).toEqual({
      type: 'done',
    });
    expect(ops).toEqual([
      { type: 'remember', keys: [key], rules: [] },
      { type: 'remember', keys: [], rules: [NPM] },
      { type: 'remember', keys: [key], rules: [NPM, { pattern: ['ls'], decision: 'prompt' }] },
    ]);
    expect(await edit({ type: 'add', scope: 'user', rule: NPM })).toEqual({ type: 'done' });
    expect(await rules()).toEqual([['user', NPM]]);
  });

  it('that is impossible reports the reason', async () => {
    const { store } = open();
    const edit = (one: Parameters<typeof applyRuleEdit>[0]) => applyRuleEdit(one, store, place, null);
    expect(await edit({ type: 'remove', id: 'user:x' })).toEqual({
      type: 'refused',
      message: 'This rule no longer exists.',
    });
    expect(await edit({ type: 'forget', key })).toMatchObject({ type: 'refused' });
    expect(await edit({ type: 'add', scope: 'thread', rule: { pattern: ['sudo'], decision: 'allow' } })).toMatchObject({
      type: 'refused',
    });
  });
});
