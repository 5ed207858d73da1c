/** Images on all wires: where they are sent, which are left out, and that no image ends a thread. */
import { linkSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import type { UserInput } from '../../src/protocol/item.ts';
import { imageServer, imagesIn } from '../support/imageServer.ts';
import { dataUrl, gif, png, webp } from '../support/images.ts';
import { calls, fails, failsInStream, type ModelScript, says, type Wire } from '../support/modelServer.ts';
import { type Scenario, type ScenarioOptions, startScenario } from '../support/startScenario.ts';

const WIRES: readonly Wire[] = ['responses', 'chat', 'messages'];

const camera = { name: 'camera', description: 'Takes a picture.', inputSchema: { type: 'object', properties: {} } };
const image = (bytes: Uint8Array, mediaType?: string) =>
  ({ type: 'input_image', imageUrl: dataUrl(bytes, mediaType) }) as const;
const GOOD = png(2, 2);
const CUT_OFF = png(2, 2).subarray(0, -20);
const DATA = 'The image data you provided does not represent a valid image.';

/** A chat whose tool `camera` returns these images, one after another. */
async function withCamera(
  options: Partial<ScenarioOptions> & { readonly model: ModelScript },
  ...pictures: readonly (readonly ReturnType<typeof image>[])[]
): Promise<Scenario> {
  const chat = await startScenario(options);
  chat.submit({ type: 'register_tools', tools: [camera] });
  const left = [...pictures];
  chat.session.onEvent(({ msg }) => {
    if (msg.type !== 'dynamic_tool_requested') return;
    const contentItems = [{ type: 'input_text' as const, text: 'Click.' }, ...(left.shift() ?? [])];
    chat.submit({ type: 'dynamic_tool_response', callId: msg.callId, contentItems, success: true });
  });
  return chat;
}

function see(chat: Scenario, ...input: readonly UserInput[]) {
  const ended = chat.turnEnds();
  chat.submit({ type: 'user_turn', input: [{ type: 'text', text: 'see' }, ...input] });
  return ended;
}

const warnings = (chat: Scenario) => chat.said('warning').map(({ message }) => message);
const sentImages = (chat: Scenario) => imagesIn(chat.server.lastRequest.input);
const done = (lastMessage: string) => ({ type: 'turn_completed', lastMessage });

describe.each(WIRES)('an image that a tool returns, on %s', (wire) => {
  it('is sent where the wire accepts it, and stays in the history', async () => {
    const server = imageServer([
      [calls('camera', {}, { callId: 'a' }), calls('camera', {}, { callId: 'b' })],
      [says('Seen.')],
      [says('Still.')],
    ]);
    await using chat = await withCamera({ wire, model: server.script }, [image(GOOD)], [image(gif())]);
    expect(await chat.send('look')).toEqual(done('Seen.'));
    expect(await chat.send('again')).toEqual(done('Still.'));
    expect(server.refusals).toBe(0);
    expect(sentImages(chat)).toEqual([dataUrl(GOOD), dataUrl(gif(), 'image/gif')]);
    expect(warnings(chat)).toEqual([]);
    if (wire !== 'chat') return;
    const [a, b, shown] = chat.server.lastRequest.input.slice(-5);
    expect([a, b, shown]).toEqual([
      { role: 'tool', tool_call_id: 'a', content: 'Click.\n[image: in the user message below]' },
      { role: 'tool', tool_call_id: 'b', content: 'Click.\n[image: in the user message below]' },
      {
        role: 'user',
        content: [
          { type: 'text', text: '[images of the tool output a]' },
          { type: 'image_url', image_url: { url: dataUrl(GOOD) } },
          { type: 'text', text: '[images of the tool output b]' },
          { type: 'image_url', image_url: { url: dataUrl(gif(), 'image/gif') } },
        ],
      },
    ]);
  });

  it('is left out when it is damaged, with one warning, also after a resume', async () => {
    const server = imageServer([[calls('camera')], [says('Nothing there.')], [says('Next.')]]);
    const first = await withCamera({ wire, model: server.script }, [image(CUT_OFF)]);
    expect(await first.send('look')).toEqual(done('Nothing there.'));
    expect(await first.send('again')).toEqual(done('Next.'));
    expect(warnings(first)).toEqual(['An image was left out of what the model is sent: its data is cut off.']);
    await first[Symbol.asyncDispose]();

    await using second = await startScenario({ resume: first, wire, model: imageServer([[says('Resumed.')]]).script });
    expect(await second.send('go on')).toEqual(done('Resumed.'));
    expect(warnings(second)).toEqual([]);
    expect(server.refusals).toBe(0);
    expect(sentImages(second)).toEqual([]);
    expect(second.server.lastRequest.text).toContain('[image left out: its data is cut off]');
  });

  it('is left out when only the server detects the damage; others stay', async () => {
    const poison = png(3, 3, 9);
    const refuses = (bytes: Buffer) => bytes.equals(poison);
    const server = imageServer([[calls('camera')], [calls('camera')], [says('One.')], [says('Next.')]], { refuses });
    const first = await withCamera({ wire, model: server.script }, [image(GOOD)], [image(poison)]);
    expect(await first.send('look')).toEqual(done('One.'));
    expect(await first.send('again')).toEqual(done('Next.'));
    expect(first.said('stream_error')).toEqual([]);
    expect(server.refusals).toBe(1);
    expect(warnings(first)).toEqual([
      expect.stringMatching(`^The server refused an image, which is left out from now on: HTTP 400: ${DATA}`),
    ]);
    expect(sentImages(first)).toEqual([dataUrl(GOOD)]);
    await first[Symbol.asyncDispose]();

    const resumed = imageServer([[says('Resumed.')]], { refuses });
    await using second = await startScenario({ resume: first, wire, model: resumed.script });
    expect(await second.send('go on')).toEqual(done('Resumed.'));
    expect(resumed.refusals).toBe(0);
    expect(warnings(second)).toEqual([]);
    expect(sentImages(second)).toEqual([dataUrl(GOOD)]);
    expect(second.server.lastRequest.text).toContain('[image left out: the server refused it]');
  });

  it('is left out when the server refuses inside the stream', async () => {
    const refusal = failsInStream('image_parse_error', 'The image could not be parsed.');
    await using chat = await withCamera({ wire, model: [[calls('camera')], [refusal], [says('Blind.')]] }, [
      image(GOOD),
    ]);
    expect(await chat.send('look')).toEqual(done('Blind.'));
    expect(sentImages(chat)).toEqual([]);
    expect(chat.said('stream_error')).toEqual([]);
  });
});

describe.each(WIRES)('an image of the user, on %s', (wire) => {
  it.each<[string, string, string]>([
    ['no image', dataUrl(Buffer.from('hello')), 'it is not a PNG, JPEG, GIF or WebP image'],
    ['an SVG', 'data:image/svg+xml,<svg/>', 'it is an SVG; only PNG, JPEG, GIF and WebP images can be sent'],
    ['cut off', dataUrl(CUT_OFF), 'its data is cut off'],
    ['empty', dataUrl(Buffer.alloc(0)), 'it is empty'],
    ['of no size', dataUrl(gif(0, 0), 'image/gif'), 'it has no pixels (0 × 0)'],
    ['no base64', 'data:image/png;base64,*', 'its data is not base64'],
    ['in a file', 'file:///a.png', 'its address is neither a data: nor an https: URL'],
  ])('is left out when it is %s', async (_what, imageUrl, reason) => {
    const server = imageServer([[says('What image?')], [says('Next.')]]);
    await using chat = await startScenario({ wire, model: server.script });
    expect(await see(chat, { type: 'image', imageUrl })).toEqual(done('What image?'));
    expect(await chat.send('again')).toEqual(done('Next.'));
    expect(server.refusals).toBe(0);
    expect(sentImages(chat)).toEqual([]);
    expect(chat.server.lastRequest.text).toContain(`[image left out: ${reason}]`);
    expect(warnings(chat)).toEqual([`An image was left out of what the model is sent: ${reason}.`]);
  });

  it('is sent with its real type', async () => {
    await using chat = await startScenario({ wire, model: imageServer([[says('A GIF.')]]).script });
    await see(chat, { type: 'image', imageUrl: dataUrl(gif(), 'image/png') });
    expect(sentImages(chat)).toEqual([dataUrl(gif(), 'image/gif')]);
    expect(warnings(chat)).toEqual([]);
  });

  it('is read from its file, whatever the name of the file', async () => {
    await using chat = await startScenario({ wire, model: imageServer([[says('A WebP.')], [says('None.')]]).script });
    writeFileSync(chat.folder.at('picture.png'), webp('VP8L', 2, 2));
    await see(chat, { type: 'local_image', path: 'picture.png' });
    expect(sentImages(chat)).toEqual([dataUrl(webp('VP8L', 2, 2), 'image/webp')]);

    writeFileSync(chat.folder.at('key.png'), 'secret');
    const file = chat.folder.at('key.png');
    await see(chat, { type: 'local_image', path: 'key.png' });
    const reason = 'it is not a PNG, JPEG, GIF or WebP image';
    expect(chat.server.lastRequest.text).toContain(`[the image ${file} was left out: ${reason}]`);
    expect(chat.server.lastRequest.text).not.toContain(Buffer.from('secret').toString('base64'));
    expect(warnings(chat)).toEqual([`The image ${file} was left out: ${reason}.`]);
  });

  it('is left out when its file may not be read, by any name of it', async () => {
    const unreadable = ['**/secret.png'];
    await using chat = await startScenario({ wire, unreadable, model: () => [says('None.')] });
    writeFileSync(chat.folder.at('secret.png'), webp('VP8L', 2, 2));
    symlinkSync('secret.png', chat.folder.at('link.png'));
    linkSync(chat.folder.at('secret.png'), chat.folder.at('hard.png'));
    for (const name of ['secret.png', 'link.png', 'hard.png']) {
      await see(chat, { type: 'local_image', path: name });
      expect(chat.server.lastRequest.text).toContain('secret.png may not be read (sandbox.unreadable: **/secret.png)');
      expect(sentImages(chat)).toEqual([]);
    }
  });

  it('of a thread that an older version recorded is checked when the thread is resumed', async () => {
    const first = await startScenario({ wire, model: [[says('Hm.')]] });
    await see(first, { type: 'image', imageUrl: dataUrl(CUT_OFF) });
    await first[Symbol.asyncDispose]();
    forgetWarnings(first);

    const server = imageServer([[says('Resumed.')], [says('Next.')]]);
    await using second = await startScenario({ resume: first, wire, model: server.script });
    expect(await second.send('go on')).toEqual(done('Resumed.'));
    expect(await second.send('again')).toEqual(done('Next.'));
    expect(server.refusals).toBe(0);
    expect(warnings(second)).toEqual(['An image was left out of what the model is sent: its data is cut off.']);
  });

  it('is refused together with older ones when none is new', async () => {
    const poison = png(3, 3, 9);
    const first = await startScenario({ wire, model: imageServer([[says('Fine here.')]]).script });
    await see(first, { type: 'image', imageUrl: dataUrl(poison) }, { type: 'image', imageUrl: dataUrl(GOOD) });
    await first[Symbol.asyncDispose]();

    // Another server, which cannot decode an image that the first one could.
    const server = imageServer([[says('Resumed.')]], { refuses: (bytes) => bytes.equals(poison) });
    await using second = await startScenario({ resume: first, wire, model: server.script });
    expect(await second.send('go on')).toEqual(done('Resumed.'));
    expect(warnings(second)).toEqual([
      expect.stringMatching('^The server refused 2 images, which are left out from now on: HTTP 400'),
    ]);
  });
});

it.each(WIRES)('a model that takes no images gets placeholders, and the user one warning, on %s', async (wire) => {
  const model = imageServer([[says('Blind.')], [calls('camera')], [says('Still blind.')]]);
  const first = await withCamera({ wire, modelName: 'o3-mini', model: model.script }, [image(GOOD)]);
  expect(await see(first, { type: 'image', imageUrl: dataUrl(GOOD) })).toEqual(done('Blind.'));
  expect(await first.send('look')).toEqual(done('Still blind.'));
  expect(sentImages(first)).toEqual([]);
  expect(first.server.lastRequest.text.match(/\[image left out: this model takes no images\]/g)).toHaveLength(2);
  const told = 'o3-mini takes no images: the images of this thread are left out of what it is sent.';
  expect(warnings(first)).toEqual([told]);
  await first[Symbol.asyncDispose]();

  const options = { resume: first, wire, modelName: 'o3-mini' };
  await using second = await startScenario({ ...options, model: imageServer([[says('Resumed.')]]).script });
  await second.send('go on');
  expect(warnings(second)).toEqual([]);
});

it.each(WIRES)('a refusal for another reason stays an error, and keeps the images, on %s', async (wire) => {
  const refusal = fails(400, { message: 'The prompt is not allowed.', code: 'invalid_prompt' });
  await using chat = await startScenario({ wire, model: [[refusal], [says('Back.')]] });
  expect(await see(chat, { type: 'image', imageUrl: dataUrl(GOOD) })).toEqual({
    type: 'turn_aborted',
    reason: 'failed',
  });
  expect(await chat.send('again')).toEqual(done('Back.'));
  expect(sentImages(chat)).toEqual([dataUrl(GOOD)]);
});

/** The rollout as an earlier version without left-out images wrote it. */
function forgetWarnings({ home }: Scenario): void {
  const [file = ''] = readdirSync(home.at('threads'), { recursive: true, encoding: 'utf8' }).filter((name) =>
    name.endsWith('.jsonl'),
  );
  const path = home.at('threads', file);
  const lines = readFileSync(path, 'utf8').split('\n');
  writeFileSync(path, lines.filter((line) => !line.includes('"type":"warning"')).join('\n'));
}

describe('images of tools, by provider', () => {
  const model = [[calls('camera', {}, { callId: 'a' })], [says('Seen.')], [says('Still.')]];
  const label = '[images of the tool output a]';

  it('follow in a user message on Responses where the provider says so', async () => {
    await using chat = await withCamera({ provider: { toolImages: 'message' }, model }, [image(GOOD)]);
    await chat.send('look');
    expect(chat.server.lastRequest.input.slice(-2)).toEqual([
      { type: 'function_call_output', call_id: 'a', output: 'Click.\n[image: in the user message below]' },
      {
        type: 'message',
        role: 'user',
        content: [
          { type: 'input_text', text: label },
          { type: 'input_image', image_url: dataUrl(GOOD) },
        ],
      },
    ]);
  });

  it('stay in the output on Chat Completions where the provider says so', async () => {
    await using chat = await withCamera({ wire: 'chat', provider: { toolImages: 'output' }, model }, [image(GOOD)]);
    await chat.send('look');
    expect(chat.server.lastRequest.input.at(-1)).toEqual({
      role: 'tool',
      tool_call_id: 'a',
      content: [
        { type: 'text', text: 'Click.' },
        { type: 'image_url', image_url: { url: dataUrl(GOOD) } },
      ],
    });
  });

  it.each(WIRES)(
    'are replaced by a placeholder on %s where the provider takes none, with one warning',
    async (wire) => {
      await using chat = await withCamera({ wire, provider: { toolImages: 'none' }, model }, [image(GOOD)]);
      await chat.send('look');
      await chat.send('again');
      expect(sentImages(chat)).toEqual([]);
      expect(chat.server.lastRequest.text).toContain('[image left out: this server takes no images of tools]');
      expect(warnings(chat)).toEqual(['“test” takes no images of tools: the model does not see them.']);
    },
  );

  it('follow in a user message once the server has refused them in an output', async () => {
    const refusal = fails(400, { message: "Output of tool call should be 'Input text'" });
    const [call = [], seen = [], still = []] = model;
    await using chat = await withCamera({ model: [call, [refusal], seen, still] }, [image(GOOD)]);
    expect(await chat.send('look')).toEqual(done('Seen.'));
    await chat.send('again');
    expect(sentImages(chat)).toEqual([dataUrl(GOOD)]);
    expect(chat.server.requests.map(({ text }) => text.includes(label))).toEqual([false, false, true, true]);
    expect(warnings(chat)).toEqual([
      '“test” takes no images in the outputs of tools; they follow in a message from now on.',
    ]);
  });
});
