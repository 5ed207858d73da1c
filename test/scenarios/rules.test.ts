import { execFileSync } from 'node:child_process';
import { lstatSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import type { Rule, RuleScope } from '../../src/protocol/policy.ts';
import { calls, says } from '../support/modelServer.ts';
import { type Scenario, startScenario } from '../support/startScenario.ts';
import { windowBeside } from '../support/windowBeside.ts';

const TOUCH: Rule = { pattern: ['touch'], decision: 'allow' };
const go = (chat: Scenario): void => {
  chat.submit({ type: 'user_turn', input: [{ type: 'text', text: 'go' }] });
};
const touch = (name: string) => calls('exec_command', { cmd: `touch ${name}` });
const always = (scope: RuleScope, rule: Rule = TOUCH) => ({ approved_rule: { rule, scope } });

/** A rule of the user cannot be written: a warning, the request again, and a denial. */
async function isRefused(chat: Scenario): Promise<void> {
  const ended = chat.turnEnds();
  go(chat);
  await chat.answer(always('user'));
  await chat.next('warning');
  await chat.answer({ denied: {} });
  await ended;
}

describe('an added rule', () => {
  it.each(['thread', 'workspace', 'user'] as const)('for this %s asks no more, also after a reload', async (scope) => {
    const before = await startScenario({ model: [[touch('a')], [touch('b')], [says('Done.')]] });
    const ended = before.turnEnds();
    go(before);
    await before.answer(always(scope));
    await ended;
    expect(before.said('approval_requested')).toMatchObject([
      { choices: ['approved', 'approved_for_thread', 'approved_rule', 'denied', 'abort'] },
    ]);
    expect(Object.keys(before.files())).toEqual(['a', 'b']);
    await before[Symbol.asyncDispose]();

    await using after = await startScenario({ resume: before, model: [[touch('c')], [says('Done.')]] });
    await after.send('go');
    expect(after.said('approval_requested')).toEqual([]);
    expect(Object.keys(after.files())).toEqual(['a', 'b', 'c']);
  });

  it('is proposed for the prefix of the command, which the user can change', async () => {
    await using chat = await startScenario({ model: [[touch('a')], [touch('b')], [says('Done.')]] });
    const ended = chat.turnEnds();
    go(chat);
    const { proposedRule } = await chat.next('approval_requested');
    expect(proposedRule).toEqual({ pattern: ['touch', 'a'], decision: 'allow' });
    await chat.answer(always('user', { pattern: ['touch', 'a'], decision: 'allow' }));
    await chat.next('approval_requested');
    await chat.answer({ denied: {} });
    await ended;
    expect(Object.keys(chat.files())).toEqual(['a']);
    expect(JSON.parse(readFileSync(chat.home.at('rules.json'), 'utf8'))).toEqual({
      version: 1,
      rules: [{ pattern: ['touch', 'a'], decision: 'allow' }],
    });
  });

  it('is refused for a prefix that matches almost anything; the request stays pending', async () => {
    await using chat = await startScenario({ model: [[touch('a')], [says('Done.')]] });
    const ended = chat.turnEnds();
    go(chat);
    const warned = chat.next('warning');
    await chat.answer(always('user', { pattern: ['bash', '-c'], decision: 'allow' }));
    expect((await warned).message).toMatch(/^A rule for "bash -c" would allow .* The request is still pending\.$/);
    expect(chat.state.approvals).toHaveLength(1);
    expect(chat.files()).toEqual({});
    await chat.answer('approved');
    await ended;
    expect(Object.keys(chat.files())).toEqual(['a']);
  });

  it('is refused while rules.json is invalid, which is reported, and none of its rules apply', async () => {
    const broken = '{ "version": 1, "rules": [{ "pattern": ["touch"] ] }';
    await using chat = await startScenario({ model: [[touch('a')], [says('Done.')]] });
    writeFileSync(chat.home.at('rules.json'), broken);
    await isRefused(chat);
    expect(chat.said('warning').map(({ message }) => message.replace(/.*rules\.json/, 'rules.json'))).toEqual([
      'rules.json:1: not valid JSON (CommaExpected). No rule of this file is used.',
      'rules.json:1: not valid JSON (CommaExpected). No rule of this file is used. Correct it first. The request is still pending.',
    ]);
    expect(readFileSync(chat.home.at('rules.json'), 'utf8')).toBe(broken);
  });

  it('for the thread can be removed', async () => {
    await using chat = await startScenario({ model: [[touch('a')], [says('Ok.')], [touch('b')], [says('Ok.')]] });
    const ended = chat.turnEnds();
    go(chat);
    await chat.answer(always('thread'));
    await ended;
    expect(chat.state.approvedRules).toEqual([TOUCH]);
    chat.submit({ type: 'remember', keys: ['["command",["rm"]]'], rules: [] });
    const again = chat.turnEnds();
    go(chat);
    await chat.answer({ denied: {} });
    await again;
    expect(chat.state).toMatchObject({ approvedRules: [], approvedKeys: [] });
    expect(Object.keys(chat.files())).toEqual(['a']);
  });
});

describe('a pending approval', () => {
  it.each(['workspace', 'user'] as const)(
    'is resolved by a rule for this %s that another window adds',
    async (scope) => {
      await using chat = await startScenario({ model: [[touch('a')], [touch('b')], [says('Done.')], [says('Done.')]] });
      const ended = chat.turnEnds();
      const asked = chat.next('approval_requested');
      go(chat);
      await asked;
      const other = await windowBeside(chat).start(...chat.thread);
      other.onEvent(({ msg }) => {
        if (msg.type !== 'approval_requested') return;
        other.submit({
          id: 'yes',
          op: { type: 'approval', approvalIds: [msg.approvalId], decision: always(scope) },
        });
      });
      other.start();
      other.submit({ id: 'go', op: { type: 'user_turn', input: [{ type: 'text', text: 'go' }] } });
      await ended;
      await other.idle();
      await other.dispose();
      expect(chat.said('approval_resolved')).toMatchObject([{ decision: 'approved', by: 'rule' }]);
      expect(Object.keys(chat.files())).toEqual(['a', 'b']);
    },
  );

  it('is resolved by a rule that forbids and was written by hand', async () => {
    await using chat = await startScenario({ model: [[touch('a')], [says('Ok.')]] });
    const ended = chat.turnEnds();
    const asked = chat.next('approval_requested');
    go(chat);
    await asked;
    const rules = [{ pattern: ['touch'], decision: 'forbidden', justification: 'Use the editor.' }];
    // In place, as some editors write.
    setTimeout(() => writeFileSync(chat.home.at('rules.json'), JSON.stringify({ version: 1, rules })), 100);
    await ended;
    expect(chat.said('approval_resolved')).toMatchObject([{ by: 'rule' }]);
    // Recorded as the denial of the rule, not of the user.
    expect(chat.outputs().at(-1)).toBe('Not allowed: Use the editor.');
    expect(chat.items('command_execution')).toMatchObject([
      {
        status: 'declined',
        why: 'Use the editor.',
        forbiddenBy: { source: 'rule', rule: { pattern: ['touch'], decision: 'forbidden' } },
      },
    ]);
    expect(chat.files()).toEqual({});
  });
});

describe('a file of rules', () => {
  it('counts from the next decision on, whichever program wrote it', async () => {
    await using chat = await startScenario({ model: [[touch('a')], [says('Ok.')], [touch('b')], [says('Ok.')]] });
    writeFileSync(chat.home.at('rules.json'), JSON.stringify({ version: 1, rules: [{ pattern: ['touch'] }] }));
    await chat.send('go');
    const forbidding = { pattern: ['touch'], decision: 'forbidden', justification: 'Use the editor.' };
    writeFileSync(chat.home.at('rules.json'), JSON.stringify({ version: 1, rules: [forbidding] }));
    await chat.send('go on');
    expect(chat.outputs().at(-1)).toBe('Not allowed: Use the editor.');
    expect(Object.keys(chat.files())).toEqual(['a']);
    const id = `rule:${chat.home.at('rules.json')}#0`;
    expect(chat.items('command_execution')).toMatchObject([
      { status: 'completed', allowedBy: { id, rule: { pattern: ['touch'], decision: 'allow' } } },
      { status: 'declined', forbiddenBy: { id, rule: { pattern: ['touch'], decision: 'forbidden' } } },
    ]);
  });

  it('that forbids meanwhile overrides an approval', async () => {
    await using chat = await startScenario({ model: [[touch('a')], [says('Ok.')]] });
    const ended = chat.turnEnds();
    go(chat);
    await chat.next('approval_requested');
    const rules = [{ pattern: ['touch'], decision: 'forbidden' }];
    writeFileSync(chat.home.at('rules.json'), JSON.stringify({ version: 1, rules }));
    await chat.answer('approved');
    await ended;
    expect(chat.outputs()).toEqual(['Not allowed: A rule forbids commands that start with touch.']);
    expect(chat.files()).toEqual({});
  });

  it.each<[string, string, (file: string) => void]>([
    ['a folder', 'is a directory', (file) => mkdirSync(file)],
    [
      'a link that leads nowhere',
      'it is a link that leads nowhere',
      (file) => symlinkSync('/nowhere/rules.json', file),
    ],
    ['a link to itself', 'its symbolic links form a loop', (file) => symlinkSync(file, file)],
    ['a pipe', 'it is a pipe or a socket', (file) => execFileSync('mkfifo', [file])],
    ['too long', 'which is too many', (file) => writeFileSync(file, ' '.repeat(9 * 1024 * 1024))],
  ])('that is %s says so, holds nobody up and is not written over', async (_, words, plant) => {
    await using chat = await startScenario({ model: [[touch('a')], [says('Done.')]] });
    const file = chat.home.at('rules.json');
    plant(file);
    const before = lstatSync(file);
    await isRefused(chat);
    expect(chat.said('warning')[0]?.message).toContain(words);
    expect(chat.outputs()).toEqual([expect.stringMatching(/^Denied by the user/)]);
    expect(lstatSync(file)).toMatchObject({ ino: before.ino, size: before.size });
  });

  it('of a workspace allows nothing more', async () => {
    const rules = [{ pattern: ['touch'] }, { pattern: ['ls'], decision: 'forbidden' }];
    await using chat = await startScenario({
      interactive: false,
      files: { '.tiller/rules.json': JSON.stringify({ version: 1, rules }) },
      model: [[touch('a'), calls('exec_command', { cmd: 'ls' })], [says('Ok.')]],
    });
    await chat.send('go');
    expect(chat.outputs()).toEqual([
      expect.stringMatching(/^Denied \(non_interactive\)/),
      'Not allowed: A rule forbids commands that start with ls.',
    ]);
  });
});

describe('the model', () => {
  const told = (chat: Scenario): string[] =>
    chat.server.requests.map(({ input }) => {
      const texts = input.map((item) => JSON.stringify(item)).filter((text) => text.includes('<allowed_commands>'));
      return texts.map((text) => /- [^\\"]*|No rule[^\\"]*/g.exec(text)?.[0] ?? '').join('; ');
    });

  it('gets the list of what rules allow, once, and again when it has changed', async () => {
    await using chat = await startScenario({
      model: [[says('1')], [touch('a')], [says('2')], [says('3')], [says('4')]],
    });
    await chat.send('one');
    const ended = chat.turnEnds();
    go(chat);
    await chat.answer(always('thread'));
    await ended;
    await chat.send('three');
    chat.submit({ type: 'remember', keys: [], rules: [] });
    await chat.send('four');
    const both = '- touch; No rule of the user allows commands any more.';
    expect(told(chat)).toEqual(['', '', '', '- touch', both]);
  });
});

describe('the use of a decision', () => {
  it('is counted, for rules and remembered approvals alike', async () => {
    await using chat = await startScenario({
      policy: 'untrusted',
      model: [[touch('a')], [touch('b')], [touch('c')], [says('Ok.')], [touch('c')], [says('Ok.')]],
    });
    const ended = chat.turnEnds();
    go(chat);
    await chat.answer(always('user', { pattern: ['touch', ['a', 'b']], decision: 'allow' }));
    await chat.next('approval_requested');
    await chat.answer('approved_for_thread');
    await ended;
    await chat.send('again');
    await chat.session.idle();
    const { uses } = JSON.parse(readFileSync(chat.home.at('rule-uses.json'), 'utf8'));
    const counts = Object.entries(uses).map(([name, entry]) => [name.split(':')[0], entry]);
    expect(Object.fromEntries(counts)).toMatchObject({ approval: { count: 1 }, user: { count: 2 } });
    expect(counts).toHaveLength(2);
  });
});
