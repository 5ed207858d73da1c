/** A turn that cannot be started. */
import { expect, it } from 'vitest';
import { says } from '../support/modelServer.ts';
import { startScenario } from '../support/startScenario.ts';

it('a turn whose model cannot be connected ends with an error, and the next message starts one', async () => {
  await using chat = await startScenario({ model: [[says('Done.')]] });
  const [settings, host] = chat.thread;
  let isBroken = true;
  const connect: typeof host.models.connect = (model) => {
    if (isBroken) throw new Error('no such model');
    return host.models.connect(model);
  };
  const session = await chat.service.start(settings, { ...host, models: { ...host.models, connect } });
  const events: string[] = [];
  session.onEvent(({ msg }) => events.push(msg.type === 'error' ? msg.message : msg.type));
  chat.service.live.begin(session);
  const send = (id: string) => session.submit({ id, op: { type: 'user_turn', input: [{ type: 'text', text: id }] } });
  send('first');
  await session.idle();
  expect(events).toContainEqual(expect.stringContaining('unexpected error'));
  isBroken = false;
  send('second');
  await session.idle();
  expect(events.at(-1)).toBe('turn_completed');
  await session.dispose();
});
