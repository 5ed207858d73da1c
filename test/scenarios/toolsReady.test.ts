import { describe, expect, test } from 'vitest';
import type { ToolProvider } from '../../src/core/tools/toolProvider.ts';
import { abortable } from '../../src/core/util/abort.ts';
import { says } from '../support/modelServer.ts';
import { startScenario } from '../support/startScenario.ts';

/** A source of tools that a turn waits for until `become` is called, with why it is not there. */
function slowSource() {
  let become: (problem?: string) => void = () => {};
  const awaited = new Promise<string | undefined>((resolve) => {
    become = resolve;
  });
  const instructions: { source: string; text: string }[] = [];
  const provider: ToolProvider = {
    id: 'slow',
    needsTrust: true,
    tools: () => NO_TOOLS,
    ready: (signal) => abortable(awaited, signal),
    instructions: () => instructions,
  };
  return { provider, instructions, become };
}

const NO_TOOLS: ReturnType<ToolProvider['tools']> = [];

describe('a turn whose context cannot be collected', () => {
  test('fails, and is tried again with its message and the whole context', async () => {
    let isBroken = true;
    const { provider, become } = slowSource();
    become();
    const instructions = () => {
      if (isBroken) throw new Error('The disk has gone.');
      return [{ source: 'disk', text: 'Read slowly.' }];
    };
    await using chat = await startScenario({
      model: [[says('Hi.')]],
      host: { toolProviders: [{ ...provider, instructions }] },
    });

    expect(await chat.send('one')).toEqual({ type: 'turn_aborted', reason: 'failed' });
    expect(chat.said('turn_started')).toHaveLength(1);
    expect(chat.said('error')).toHaveLength(1);

    isBroken = false;
    const again = chat.turnEnds();
    chat.submit({ type: 'retry' });
    expect(await again).toMatchObject({ type: 'turn_completed' });
    const sent = chat.server.requests[0]?.input.map((item) => JSON.stringify(item.content)) ?? [];
    for (const part of ['<permissions', 'Read slowly.', '<environment_context>', '"one"']) {
      expect(sent.filter((text) => text.includes(part))).toHaveLength(1);
    }
  });
});

describe('a turn that waits for its tools', () => {
  test('keeps message and context when it is stopped, for the next turn', async () => {
    const { provider, become } = slowSource();
    await using chat = await startScenario({
      files: { 'AGENTS.md': 'Be brief.\n' },
      model: [[says('Hi.')]],
      host: { toolProviders: [provider] },
    });
    const ended = chat.send('one');
    await chat.next('item_completed');
    chat.submit({ type: 'interrupt' });
    expect(await ended).toMatchObject({ type: 'turn_aborted', reason: 'interrupted' });
    become();
    await chat.send('two');
    const sent = chat.server.requests[0]?.input.map((item) => JSON.stringify(item.content)) ?? [];
    for (const part of ['<permissions', 'Be brief.', '<environment_context>', '"one"', '"two"']) {
      expect(sent.filter((text) => text.includes(part))).toHaveLength(1);
    }
  });

  test('is tried again with message and context when they were not there', async () => {
    const { provider, become } = slowSource();
    let isThere = false;
    const ready: ToolProvider['ready'] = async (signal) => (isThere ? undefined : provider.ready?.(signal));
    await using chat = await startScenario({
      model: [[says('Hi.')]],
      host: { toolProviders: [{ ...provider, ready }] },
    });
    const ended = chat.send('one');
    become('The server is missing.');
    expect(await ended).toMatchObject({ type: 'turn_aborted', reason: 'failed' });
    expect(chat.said('error')).toMatchObject([{ message: 'The server is missing.', action: 'check_settings' }]);
    isThere = true;
    const again = chat.turnEnds();
    chat.submit({ type: 'retry' });
    expect(await again).toMatchObject({ type: 'turn_completed' });
    const sent = JSON.stringify(chat.server.requests[0]?.input);
    expect(sent).toContain('<environment_context>');
    expect(sent).toContain('"one"');
  });

  test('gets the instructions of tools that were late before its first request, and only once', async () => {
    const { provider, instructions, become } = slowSource();
    await using chat = await startScenario({
      model: [[says('Hi.')], [says('Hi.')]],
      host: { toolProviders: [provider] },
    });
    const ended = chat.send('one');
    await chat.next('item_completed');
    instructions.push({ source: 'slow', text: 'Use me first.' });
    become();
    await ended;
    await chat.send('two');
    const counts = chat.server.requests.map(
      ({ input }) => input.filter((item) => JSON.stringify(item).includes('Use me first.')).length,
    );
    expect(counts).toEqual([1, 1]);
  });
});
