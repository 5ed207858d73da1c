// Servers that require that messages of the user alternate with answers of the assistant.
import { expect, it } from 'vitest';
import type { Imitation } from '../support/imitation.ts';
import { calls, says } from '../support/modelServer.ts';
import { startScenario } from '../support/startScenario.ts';

/** Mistral’s check, and that of the template of Devstral: github.com/eclipse-theia/theia/issues/17104 */
const STRICT: Imitation = {
  name: 'a server with a strict order',
  wires: ['chat'],
  model: 'devstral-small-2',
  provider: {},
  routes: {},
  refuses: ({ input }) => {
    const roles = input.map(({ role }) => String(role));
    if (roles.some((role, at) => role === 'user' && roles[at - 1] === 'tool')) {
      return {
        status: 400,
        body: { object: 'error', message: "Unexpected role 'user' after role 'tool'", code: '3230' },
      };
    }
    const counted = input.filter(
      ({ role, ...more }) => role !== 'system' && role !== 'tool' && !('tool_calls' in more),
    );
    const isAlternating = counted.every(({ role }, at) => role === (at % 2 === 0 ? 'user' : 'assistant'));
    if (isAlternating) return undefined;
    const message =
      'Jinja Exception: After the optional system message, conversation roles must alternate user and assistant';
    return { status: 500, body: { error: { code: 500, message, type: 'server_error' } } };
  },
};

it('a turn, one that is interrupted, and the next one work, with one warning', async () => {
  await using chat = await startScenario({
    wire: 'chat',
    imitates: STRICT,
    files: { 'AGENTS.md': 'Be brief.' },
    policy: 'never',
    sandbox: 'danger-full-access',
    model: [
      [calls('exec_command', { cmd: 'echo one' })],
      [says('One.')],
      [calls('exec_command', { cmd: 'echo two; sleep 60' })],
      [says('Three.')],
    ],
  });
  expect(await chat.send('one')).toMatchObject({ type: 'turn_completed', lastMessage: 'One.' });
  chat.submit({ type: 'user_turn', input: [{ type: 'text', text: 'two' }] });
  await chat.next('item_delta');
  chat.submit({ type: 'interrupt' });
  expect(await chat.turnEnds()).toMatchObject({ type: 'turn_aborted' });
  expect(await chat.send('three')).toMatchObject({ type: 'turn_completed', lastMessage: 'Three.' });
  expect(chat.said('warning').map(({ message }) => message)).toEqual([
    '“test” requires that messages of user and assistant alternate; messages are joined from now on.',
  ]);
  const texts = chat.server.lastRequest.input.map(({ role, content }) => `${String(role)}: ${String(content)}`);
  expect(texts.at(-1)).toMatch(/^user: <turn_aborted>[\s\S]*\n\nthree$/);
  expect(texts.at(-2)).toBe('assistant: Understood.');
});
