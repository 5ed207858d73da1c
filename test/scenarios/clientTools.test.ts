import { expect, it } from 'vitest';
import { submissionLineSchema } from '../../src/protocol/op.ts';
import { calls, says } from '../support/modelScript.ts';
import { type Scenario, startScenario } from '../support/startScenario.ts';

const SPEC = { name: 'camera', description: 'Takes a picture.', inputSchema: { type: 'object' } };
const model = [[calls('camera', {})], [says('Done.')]];

function outputOf(chat: Scenario): unknown {
  return chat.server.lastRequest.input.at(-1)?.['output'];
}

it('a call that the client does not answer in time fails, and a late answer is named', async () => {
  await using chat = await startScenario({ model });
  chat.submit({ type: 'register_tools', tools: [{ ...SPEC, timeoutMs: 50 }] });
  const ended = chat.send('go');
  const { callId } = await chat.next('dynamic_tool_requested');
  expect(await ended).toMatchObject({ type: 'turn_completed' });
  const text = 'camera failed: the client did not answer within 0.05 s.';
  expect(outputOf(chat)).toEqual([{ type: 'input_text', text }]);
  expect(chat.items('dynamic_tool_call').map(({ status, success }) => [status, success])).toEqual([['failed', false]]);
  const warning = chat.next('warning');
  chat.submit({ type: 'dynamic_tool_response', callId, contentItems: [], success: true });
  expect((await warning).message).toBe(`No call ${callId} waits for a result of the client.`);
});

it('a tool whose name model servers refuse is left out alone', async () => {
  await using chat = await startScenario({ model: [[says('Hi.')]] });
  const tools = ['with blanks', 'x'.repeat(65), ''].map((name) => ({ ...SPEC, name }));
  chat.submit(submissionLineSchema.parse({ op: { type: 'register_tools', tools: [...tools, SPEC] } }).op);
  await chat.send('go');
  expect(chat.said('warning').map(({ message }) => message)).toEqual(
    tools.map(
      ({ name }) =>
        `The tool of the client named ${name} is left out: its name may have 1 to 64 letters, digits, _ and - only.`,
    ),
  );
  expect(chat.server.lastRequest.toolNames.at(-1)).toBe('camera');
});

it('a call of an unknown tool is answered with the names that are like it, of hundreds', async () => {
  await using chat = await startScenario({
    model: [[calls(`notes__take ${'x'.repeat(1_000)}`), calls('notes.note_299')], [says('Done.')]],
  });
  const tools = Array.from({ length: 300 }, (_, at) => ({ ...SPEC, name: `note_${at}` }));
  chat.submit({ type: 'register_tools', tools });
  await chat.send('go');
  const [long = '', like = ''] = chat.outputs();
  expect(like).toMatch(/^Unsupported call: there is no tool notes\.note_299\. The tools are: note_299, exec_command, /);
  expect(like).toMatch(/, and \d{3} more\.$/);
  expect(long.length).toBeLessThan(2_000);
});

it('an image of a client must be data, and its text fits the budget', async () => {
  await using chat = await startScenario({ model });
  chat.submit({ type: 'register_tools', tools: [SPEC] });
  const ended = chat.send('go');
  const { callId } = await chat.next('dynamic_tool_requested');
  const contentItems = [
    { type: 'input_image' as const, imageUrl: 'https://evil.example/pixel.png' },
    { type: 'input_text' as const, text: 'x'.repeat(10_000_000) },
  ];
  chat.submit({ type: 'dynamic_tool_response', callId, contentItems, success: true });
  await ended;
  const [left, cut] = outputOf(chat) as { text: string }[];
  expect(left?.text).toBe('[An image that is not a data: URL of an image was left out.]');
  expect(cut?.text.length).toBeLessThan(60_000);
});

it('a client gets a call that names a file with secrets as it is, and a result that names one reads nothing', async () => {
  const path = '.env';
  await using chat = await startScenario({
    files: { '.env': 'API_KEY=abcdefgh12345\n' },
    model: [[calls('camera', { path })], [says('Done.')]],
  });
  chat.submit({ type: 'register_tools', tools: [SPEC] });
  const ended = chat.send('go');
  const requested = await chat.next('dynamic_tool_requested');
  expect([requested.arguments, chat.said('approval_requested')]).toEqual([{ path }, []]);
  const addresses = [`file://${chat.folder.at('.env')}`, chat.folder.at('.env'), '.env'];
  const contentItems = [
    ...addresses.map((imageUrl) => ({ type: 'input_image' as const, imageUrl })),
    ...addresses.map((text) => ({ type: 'input_text' as const, text })),
  ];
  chat.submit({ type: 'dynamic_tool_response', callId: requested.callId, contentItems, success: true });
  await ended;
  expect(outputOf(chat)).toEqual([
    ...addresses.map(() => ({
      type: 'input_text',
      text: '[An image that is not a data: URL of an image was left out.]',
    })),
    ...addresses.map((text) => ({ type: 'input_text', text })),
  ]);
  expect(JSON.stringify([chat.server.requests, chat.events])).not.toContain('abcdefgh');
});

it('texts of a client share one budget, and images that are too large together are left out', async () => {
  await using chat = await startScenario({ model });
  chat.submit({ type: 'register_tools', tools: [SPEC] });
  const ended = chat.send('go');
  const { callId } = await chat.next('dynamic_tool_requested');
  const image = { type: 'input_image' as const, imageUrl: `data:image/png;base64,${'A'.repeat(20_000_000)}` };
  const texts = Array.from({ length: 100 }, () => ({ type: 'input_text' as const, text: 'x'.repeat(30_000) }));
  chat.submit({ type: 'dynamic_tool_response', callId, contentItems: [image, image, ...texts], success: true });
  await ended;
  const [item] = chat.items('dynamic_tool_call');
  const kept = item?.contentItems ?? [];
  const sizes = kept.map((part) => (part.type === 'input_image' ? 'image' : part.text.length));
  expect(sizes).toEqual(['image', expect.any(Number), 30_000, expect.any(Number), expect.any(Number)]);
  expect(kept[1]).toMatchObject({ text: expect.stringMatching(/^\[An image of 150000\d\d bytes was left out/) });
  expect(kept.at(-1)).toMatchObject({ text: '[98 more texts were left out: the result is too long.]' });
  expect(JSON.stringify(kept).length).toBeLessThan(20_100_000);
});
