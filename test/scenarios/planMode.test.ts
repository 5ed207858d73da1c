// Plan mode: the model only reads, whatever is allowed otherwise, and knows when the mode begins and ends.
import { describe, expect, it } from 'vitest';
import { titleOfPlan, splitPlan, withoutOpenMark, withoutPlanMarks } from '../../src/protocol/text/proposedPlan.ts';
import { turnSettingsOf } from '../../src/core/agent/threadSettings.ts';
import { settingsSchema } from '../../src/protocol/settings.ts';
import { agentIds, agentScript, outputsOf } from '../support/agentScript.ts';
import { calls, says } from '../support/modelServer.ts';
import { type Scenario, startScenario } from '../support/startScenario.ts';

const plan = { overrides: { planMode: true } } as const;
const PATCH = '*** Begin Patch\n*** Update File: a.txt\n@@\n-one\n+two\n*** End Patch';

function modesTold(chat: Scenario): readonly string[] {
  const texts = chat.server.lastRequest.input.map(({ content }) => JSON.stringify(content));
  return texts.filter((text) => text.includes('<plan_mode>')).map((text) => (text.includes('is over') ? 'over' : 'on'));
}

describe('plan mode', () => {
  it('runs commands that are known to only read, and refuses all else, also under full access', async () => {
    await using chat = await startScenario({
      files: { 'a.txt': 'one\n' },
      sandbox: 'danger-full-access',
      policy: 'never',
      model: [
        [
          calls('exec_command', { cmd: 'cat a.txt' }),
          calls('exec_command', { cmd: 'touch b.txt' }),
          calls('exec_command', { cmd: 'cat a.txt > c.txt' }),
          calls('exec_command', { cmd: 'touch d.txt', sandbox_permissions: 'require_escalated', justification: 'x' }),
          calls('apply_patch', { input: PATCH }),
          calls('update_plan', { plan: [{ step: 'a', status: 'pending' }] }),
          calls('mine', {}),
        ],
        [says('Done.')],
      ],
    });
    const inputSchema = { type: 'object', properties: {} };
    chat.submit({ type: 'register_tools', tools: [{ name: 'mine', description: 'Writes.', inputSchema }] });
    await chat.send('go', plan);
    const [read, ...refused] = chat.outputs();
    expect(read).toContain('one');
    expect(refused).toHaveLength(6);
    for (const output of refused) expect(output).toMatch(/^Not allowed: .* in plan mode, which only reads\./);
    expect(chat.files()).toEqual({ 'a.txt': 'one\n' });
    expect(chat.said('plan_updated')).toEqual([]);
    expect(chat.state.turns[0]?.settings.planMode).toBe(true);
  });

  it('holds for the agents that it starts', async () => {
    await using chat = await startScenario({
      files: { 'a.txt': 'one\n' },
      sandbox: 'danger-full-access',
      policy: 'never',
      model: agentScript({
        ROOT: [[calls('task', { agent: 'worker', prompt: 'CHILD', description: 'Look' })], [says('Done.')]],
        CHILD: [[calls('exec_command', { cmd: 'touch b.txt' }), calls('apply_patch', { input: PATCH })], [says('No.')]],
      }),
    });
    expect(await chat.send('ROOT', plan)).toMatchObject({ type: 'turn_completed' });
    expect(chat.files()).toEqual({ 'a.txt': 'one\n' });
    const refused = chat.server.requests
      .flatMap((request) => outputsOf(request))
      .filter((text) => /plan mode/.test(text));
    expect(refused).toHaveLength(2);
  });

  it('asks nothing about what it refuses, and no rule of the user allows it', async () => {
    const rule = { pattern: ['touch'], decision: 'allow' as const };
    await using chat = await startScenario({
      model: [
        [calls('exec_command', { cmd: 'touch b.txt' })],
        [says('Done.')],
        [calls('exec_command', { cmd: 'touch b.txt' })],
        [says('Done.')],
      ],
    });
    chat.submit({ type: 'remember', keys: [], rules: [rule] });
    await chat.send('go', plan);
    expect(chat.files()).toEqual({});
    expect(chat.said('approval_requested')).toEqual([]);
    await chat.send('go');
    expect(chat.files()).toEqual({ 'b.txt': '' });
  });

  it('interrupts a running process, and types nothing into it', async () => {
    await using chat = await startScenario({
      sandbox: 'danger-full-access',
      model: [
        [calls('exec_command', { cmd: 'read line; touch got; sleep 60', tty: true, yield_time_ms: 250 })],
        [says('It runs.')],
        ({ input }) => {
          const session_id = Number(/session ID (\d+)/.exec(JSON.stringify(input))?.[1]);
          const write = (chars: string) => calls('write_stdin', { session_id, chars, yield_time_ms: 250 });
          return [write('hello\n'), write('\u0003')];
        },
        [says('Done.')],
      ],
    });
    await chat.send('start');
    await chat.send('go', plan);
    const [typed, interrupted] = chat.outputs().slice(-2);
    expect(typed).toMatch(/^Not allowed: Nothing is typed/);
    expect(interrupted).not.toMatch(/^Not allowed/);
    expect(chat.files()).toEqual({});
  });

  it('holds for agents that were started before it', async () => {
    const id = (request: Parameters<typeof agentIds>[0]) => agentIds(request)[0];
    await using chat = await startScenario({
      agents: { tools: 'all' },
      policy: 'never',
      sandbox: 'danger-full-access',
      model: agentScript({
        ROOT: [
          [calls('spawn_agent', { message: 'CHILD', agent_type: 'worker' })],
          (request) => [calls('wait', { ids: [id(request)] })],
          [says('It rests.')],
          (request) => [calls('send_input', { id: id(request), message: 'And now?' })],
          (request) => [calls('wait', { ids: [id(request)] })],
          [says('Planned.')],
        ],
        CHILD: [[says('First.')], [calls('exec_command', { cmd: 'touch a.txt' })], [says('Second.')]],
      }),
    });
    await chat.send('ROOT');
    expect(await chat.send('Plan it.', plan)).toEqual({ type: 'turn_completed', lastMessage: 'Planned.' });
    expect(chat.files()).toEqual({});
    expect(chat.server.requests.some(({ text }) => text.includes('do not run in plan mode'))).toBe(true);
  });

  it('is reported to the model once when it begins and once when it is over, also after a reload', async () => {
    const before = await startScenario({ model: [[says('1')], [says('2')]] });
    before.submit({ type: 'override_turn_context', planMode: true });
    await before.send('one');
    await before.send('two');
    expect(modesTold(before)).toEqual(['on']);
    await before[Symbol.asyncDispose]();
    await using after = await startScenario({ resume: before, model: [[says('3')], [says('4')], [says('5')]] });
    await after.send('three', plan);
    expect(modesTold(after)).toEqual(['on']);
    await after.send('four', { overrides: { planMode: false } });
    await after.send('five', { overrides: { planMode: false } });
    expect(modesTold(after)).toEqual(['on', 'over']);
  });

  it('is the mode in which a thread begins where the settings say so', () => {
    const begin = (settings: object) =>
      turnSettingsOf(settingsSchema.parse(settings), {
        model: 'm',
        cwd: '/w',
        sandboxFor: () => ({ box: 'bubblewrap' }),
      });
    expect(begin({ planMode: true })).toMatchObject({ planMode: true, sandboxPolicy: { type: 'read-only' } });
    expect(begin({})).not.toHaveProperty('planMode');
  });
});

describe('the plan in a message', () => {
  it('stands between two lines, and has the title of its first heading', () => {
    const text = 'I have looked.\n\n<proposed_plan>\n# Cap the retries #\n\n1. a\n</proposed_plan>\n\nAnything else?';
    expect(splitPlan(text)).toEqual({
      before: 'I have looked.',
      plan: '# Cap the retries #\n\n1. a',
      after: 'Anything else?',
      isWhole: true,
    });
    expect(titleOfPlan('# Cap the retries #\n\n1. a')).toBe('Cap the retries');
    expect(titleOfPlan('\n\nJust do it.\n')).toBe('Just do it.');
    expect(withoutPlanMarks(text)).toBe('I have looked.\n\n# Cap the retries #\n\n1. a\n\nAnything else?');
  });

  it('is shown as far as it has arrived, and the last of several counts', () => {
    expect(withoutOpenMark('Words.\n<propo')).toBe('Words.\n');
    expect(withoutOpenMark('# A\n</proposed_plan')).toBe('# A\n');
    for (const whole of ['Words. <propo', 'Words.\n<p>', 'Words.\n<proposed_plan>', 'Words.\n', ''])
      expect(withoutOpenMark(whole)).toBe(whole);
    expect(splitPlan('<proposed_plan>\n# A')).toMatchObject({ plan: '# A', isWhole: false });
    const two = '<proposed_plan>\nold\n</proposed_plan>\n<proposed_plan>\nnew\n</proposed_plan>';
    expect(splitPlan(two).plan).toBe('new');
  });

  it('is none where the marks are quoted in a sentence', () => {
    const text = 'Write `<proposed_plan>` around it.';
    expect(splitPlan(text)).toMatchObject({ before: text, plan: null });
    expect(withoutPlanMarks(text)).toBe(text);
  });
});
