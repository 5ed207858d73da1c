// The rollout of a thread of a given number of turns.

export const threadId = (number) => `019a0000-0000-7000-8000-${String(number).padStart(12, '0')}`;
export const threadDay = (number) => String(1 + (number % 28)).padStart(2, '0');

export function threadText({ number, turns }) {
  const id = threadId(number);
  const timestamp = `2026-11-${threadDay(number)}T00:00:00.000Z`;
  const line = (type, payload) => JSON.stringify({ timestamp, type, payload });
  const event = (turnId, msg) => line('event_msg', { turnId, submissionId: null, msg });
  const settings = {
    model: 'm',
    effort: null,
    summary: 'auto',
    cwd: '/work',
    approvalPolicy: 'on-request',
    sandboxPolicy: { type: 'danger-full-access' },
    box: 'none',
  };
  const meta = { format: 'tiller-rollout', version: 1, id, timestamp, cwd: '/work', originator: 'cli' };
  const about = { tiller_version: '0', model: 'm', provider: 'p', instructions: 'x'.repeat(6000) };
  const lines = [line('session_meta', { ...meta, ...about })];
  for (let turn = 0; turn < turns; turn++) {
    const content = [{ type: 'text', text: `message ${turn} of thread ${number}` }];
    const output = 'a line of output\n'.repeat(100);
    lines.push(
      event(`t${turn}`, { type: 'turn_started', settings, contextWindow: null }),
      event(`t${turn}`, {
        type: 'item_completed',
        item: { id: `u${turn}`, type: 'user_message', status: 'completed', content },
      }),
      line('response_item', { type: 'function_call_output', call_id: `c${turn}`, output }),
      event(`t${turn}`, { type: 'turn_completed', lastMessage: 'Done.' }),
    );
  }
  return `${lines.join('\n')}\n`;
}
