import { describe, expect, it } from 'vitest';
import { auditRows } from '../../src/protocol/audit.ts';
import { auditEntries } from '../support/auditEntries.ts';
import { calls, says } from '../support/modelServer.ts';
import { startScenario } from '../support/startScenario.ts';

const PATCH = '*** Begin Patch\n*** Add File: new.txt\n+hello\n*** End Patch';
const command = (cmd: string) => calls('exec_command', { cmd });

describe('the audit log', () => {
  it('records for each call who decided it, why, and how it ended, whether or not it ran', async () => {
    await using chat = await startScenario({
      files: {
        '.tiller/rules.json': JSON.stringify({ version: 1, rules: [{ pattern: ['curl'], decision: 'forbidden' }] }),
      },
      model: [
        [command('ls')],
        [calls('apply_patch', { input: PATCH })],
        [command('curl x')],
        [command('sh -c "exit 3"')],
        [command('touch no')],
        [calls('update_plan', { plan: [{ step: 'rest', status: 'pending' }] })],
        [says('Done.')],
      ],
    });
    const ended = chat.turnEnds();
    chat.submit({ type: 'user_turn', input: [{ type: 'text', text: 'go' }] });
    await chat.answer('approved');
    await chat.next('approval_requested');
    await chat.answer({ denied: { message: 'not now' } });
    await ended;
    const rows = auditRows(auditEntries(chat)).toReversed();
    expect(
      rows.map(({ decision, end }) => [
        decision.act.type === 'command' ? decision.act.command : decision.act.type,
        decision.outcome,
        decision.by,
        decision.reason.id,
        decision.word,
        end && [end.status, end.exit],
      ]),
    ).toEqual([
      ['ls', 'allowed', 'heuristic', 'known-safe', undefined, ['completed', 0]],
      ['patch', 'allowed', 'policy', 'inside-writable-roots', undefined, ['completed', null]],
      ['curl x', 'forbidden', 'rule', `rule:${chat.folder.at('.tiller/rules.json')}#0`, undefined, null],
      ['sh -c "exit 3"', 'allowed', 'user', 'no-box', undefined, ['failed', 3]],
      ['touch no', 'denied', 'user', 'no-box', 'not now', null],
    ]);
    expect(rows[1]?.decision).toMatchObject({
      threadId: chat.session.threadId,
      agentId: null,
      turnId: chat.state.turns[0]?.id,
      act: { files: [{ path: 'new.txt', kind: 'add' }], cwd: chat.folder.path },
      escalated: false,
    });
  });

  it('records a command that could not be started as failed', async () => {
    await using chat = await startScenario({
      sandbox: 'danger-full-access',
      model: [[calls('shell', { command: ['no-such-program-here'] })], [says('Done.')]],
    });
    await chat.send('go');
    expect(auditRows(auditEntries(chat)).map(({ end }) => end?.status)).toEqual(['failed']);
  });

  it('stops the turn before anything runs when it cannot be written', async () => {
    const full = () => {
      throw new Error('ENOSPC: no space left on device');
    };
    await using chat = await startScenario({
      model: [[command('ls'), calls('apply_patch', { input: PATCH })], [says('Never.')]],
      deps: ({ audit }) => ({ audit: { ...audit, append: full } }),
    });
    expect(await chat.send('go')).toEqual({ type: 'turn_aborted', reason: 'failed' });
    expect(chat.said('error')).toEqual([
      {
        type: 'error',
        kind: 'storage',
        message: 'The audit log could not be written, and nothing runs unaudited.',
        detail: 'ENOSPC: no space left on device',
        action: 'retry',
      },
    ]);
    expect(chat.items('command_execution')).toMatchObject([{ status: 'aborted', exitCode: null, output: '' }]);
    expect(chat.files()).toEqual({});
  });
});
