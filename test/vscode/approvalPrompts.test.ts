/** Notifications about requests while the panel is hidden. The thread and the user are imitated. */
import assert from 'node:assert/strict';
import { suite, test } from 'mocha';
import type { ShownThread } from '../../src/core/agent/shownThread.ts';
import { Emitter } from '../../src/core/util/emitter.ts';
import type { ApprovalRequest } from '../../src/protocol/event.ts';
import { ApprovalPrompts } from '../../src/vscode/approvals/approvalPrompts.ts';
import { ScriptedUser } from './support/scriptedUser.ts';

const request = (approvalId: string, more: Partial<ApprovalRequest> = {}): ApprovalRequest => ({
  approvalId,
  itemId: 'i',
  callId: 'c',
  kind: 'command',
  command: 'ls',
  choices: ['approved', 'denied'],
  reason: { source: 'heuristic', id: 'other', text: 'Not known.' },
  ...more,
});

suite('requests outside the panel', () => {
  /**
   * Two requests arrive while the panel is visible or not; `then` is called in the same moment, and may replace them. Returns
   * the notifications.
   */
  const notifications = async (
    isVisible: boolean,
    then: (panel: { isVisible: boolean }, replace: (approvals: ApprovalRequest[]) => void) => void,
  ) => {
    const panel = { isVisible };
    const changes = new Emitter<{ readonly type: string }>((error) => {
      throw error;
    });
    const thread = {
      state: { approvals: [] as readonly ApprovalRequest[] },
      access: { type: 'own' },
      overview: { agents: [], waiting: [] },
    };
    const threads = { ...thread, onChange: changes.event, onEvent: () => ({ dispose: () => {} }) };
    const user = new ScriptedUser();
    const prompts = new ApprovalPrompts({
      threads: threads as unknown as ShownThread,
      submitTo: () => {},
      isPanelVisible: () => panel.isVisible,
      showThread: () => {},
      showList: () => {},
    });
    try {
      const replace = (approvals: ApprovalRequest[]) => {
        threads.state = { approvals };
        changes.fire({ type: 'event' });
      };
      replace([request('a'), request('b')]);
      then(panel, replace);
      await new Promise((resolve) => {
        setTimeout(resolve, 400);
      });
      return user.shown;
    } finally {
      prompts.dispose();
      user.restore();
    }
  };

  test('are one notification while the panel is hidden, none while it is visible', async () => {
    assert.deepEqual(await notifications(false, () => {}), ['2 requests need your answer']);
    assert.deepEqual(await notifications(true, () => {}), []);
  });

  test('are notified once a model has left them to the user', async () => {
    const inReview = request('c', { reviewer: { model: 'm', state: 'reviewing' } });
    const asked = request('c', { reviewer: { model: 'm', state: 'asks', text: 'Why?' } });
    const two = [request('a'), request('b')];
    const sentence = (count: number) => `${count} requests need your answer`;
    assert.deepEqual(await notifications(false, (_, replace) => replace([...two, inReview])), [sentence(2)]);
    const leave = (_: unknown, replace: (approvals: ApprovalRequest[]) => void) => {
      replace([...two, inReview]);
      replace([...two, asked]);
    };
    assert.deepEqual(await notifications(false, leave), [sentence(3)]);
  });

  test('are notified when the panel is hidden in the moment in which they arrive', async () => {
    const hide = (panel: { isVisible: boolean }) => {
      panel.isVisible = false;
    };
    assert.deepEqual(await notifications(true, hide), ['2 requests need your answer']);
  });
});
