// view_image: codex-behaviour.md §4.7. What is sent of an image file, to whom, and what is refused.
import { readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { decode as decodePng, encode as encodePng } from 'fast-png';
import { decode, encode } from 'jpeg-js';
import { describe, expect, it } from 'vitest';
import type { Ports } from '../../src/core/ports.ts';
import { auditEntrySchema, auditRows } from '../../src/protocol/audit.ts';
import { inspectImage } from '../../src/core/util/imageData.ts';
import { png } from '../support/images.ts';
import { calls, says } from '../support/modelServer.ts';
import { type Scenario, type ScenarioOptions, startScenario } from '../support/startScenario.ts';

const view = (args: object) => calls('view_image', args);
type Files = Readonly<Record<string, Uint8Array>>;
type Options = Omit<ScenarioOptions, 'model'>;

async function chatWith(made: readonly ReturnType<typeof view>[], files: Files, options: Options = {}) {
  const chat = await startScenario({ ...options, model: [[...made], [says('Done.')]] });
  for (const [name, bytes] of Object.entries(files)) writeFileSync(chat.folder.at(name), bytes);
  return chat;
}

/** The outputs of the calls as they were sent on Responses: a text, or the parts. */
function sent(chat: Scenario): unknown[] {
  return chat.server.lastRequest.input.flatMap(({ type, output }) => (type === 'function_call_output' ? [output] : []));
}

/** The bytes of an output that is one image. */
function imageIn(output: unknown): Buffer {
  const [part, ...others] = output as { type: string; image_url: string }[];
  expect(others).toEqual([]);
  expect(part?.type).toBe('input_image');
  return Buffer.from(part?.image_url.split(',')[1] ?? '', 'base64');
}

/** The pixels of an image: left half black, right half white and transparent. */
function halves(width: number, height: number): Uint8Array {
  const data = new Uint8Array(width * height * 4);
  for (let at = 0; at < data.length; at += 4) {
    const isLeft = (at / 4) % width < width / 2;
    data.set(isLeft ? [0, 0, 0, 255] : [255, 255, 255, 0], at);
  }
  return data;
}

function halvesAsPng(width: number, height: number): Uint8Array {
  return encodePng({ width, height, data: halves(width, height), channels: 4 });
}

describe('view_image', () => {
  it('sends a small image unchanged, shows it as an item and writes it to the audit log', async () => {
    const bytes = png(3, 2);
    await using chat = await chatWith([view({ path: 'a.png' })], { 'a.png': bytes });
    await chat.send('go');
    expect(imageIn(sent(chat)[0])).toEqual(bytes);
    expect(chat.items('image_view')).toMatchObject([{ status: 'completed', path: 'a.png', width: 3, height: 2 }]);
    const lines = readFileSync(chat.home.at('audit.jsonl'), 'utf8').trimEnd().split('\n');
    expect(auditRows(lines.map((line) => auditEntrySchema.parse(JSON.parse(line))))).toMatchObject([
      { decision: { act: { tool: 'view_image a.png' }, reason: { id: 'reads-files' } }, end: { status: 'completed' } },
    ]);
  });

  it('scales a large PNG and JPEG down, and keeps their colours and transparency', async () => {
    const files = {
      'a.png': halvesAsPng(2_400, 100),
      'b.jpg': encode({ data: halves(800, 1_000), width: 800, height: 1_000 }, 90).data,
    };
    await using chat = await chatWith(
      [view({ path: 'a.png' }), view({ path: 'b.jpg' }), view({ path: 'a.png', detail: 'low' })],
      files,
    );
    await chat.send('go');
    const [scaled, photo, low] = sent(chat).map(imageIn);
    const { width, height, data } = decodePng(scaled ?? Buffer.alloc(0));
    expect([width, height]).toEqual([2_048, 85]);
    expect([...data.subarray(0, 4)]).toEqual([0, 0, 0, 255]);
    expect(data[width * 4 - 1]).toBe(0);
    expect(decode(photo ?? Buffer.alloc(0))).toMatchObject({ width: 768, height: 960 });
    expect(inspectImage(low ?? Buffer.alloc(0))).toMatchObject({ width: 512, height: 21 });
    expect(sent(chat)[2]).toMatchObject([{ detail: 'low' }]);
  });

  it('does not scale an original', async () => {
    const bytes = halvesAsPng(2_400, 10);
    await using chat = await chatWith([view({ path: 'a.png', detail: 'original' })], { 'a.png': bytes });
    await chat.send('go');
    expect(imageIn(sent(chat)[0])).toEqual(Buffer.from(bytes));
  });

  it('says why a file cannot be shown', async () => {
    const damaged = halvesAsPng(2_400, 1_000);
    const cut = png(3_000, 3_000);
    const files = { 'a.txt': Buffer.from('text'), 'b.png': damaged.subarray(0, 200), 'c.png': cut };
    await using chat = await chatWith(
      [...['a.txt', 'b.png', 'c.png', 'missing.png', '.'].map((path) => view({ path }))],
      files,
    );
    await chat.send('go');
    expect(sent(chat)).toEqual([
      'a.txt cannot be shown: it is not a PNG, JPEG, GIF or WebP image.',
      'b.png cannot be shown: its data is cut off.',
      expect.stringMatching(/^c\.png cannot be shown: it cannot be decoded \(.+\)\.$/),
      expect.stringContaining('does not exist'),
      expect.stringContaining(chat.folder.path),
    ]);
    const shown = chat.items('image_view').map(({ status, why }) => ({ status, why }));
    expect(shown.toSorted((one, other) => String(one.why).localeCompare(String(other.why)))).toEqual(
      sent(chat)
        .toSorted((one, other) => String(one).localeCompare(String(other)))
        .map((why) => ({ status: 'failed', why })),
    );
  });

  it('reports to the model and the user that the model takes no images, and is not offered to it', async () => {
    await using chat = await chatWith([view({ path: 'a.png' })], { 'a.png': png() }, { modelName: 'gpt-4' });
    await chat.send('go');
    expect(JSON.stringify(chat.server.requests[0]?.body['tools'])).not.toContain('view_image');
    const why = 'gpt-4 takes no images, so it cannot see a.png. Go on without it.';
    expect(sent(chat)).toEqual([why]);
    expect(chat.items('image_view')).toMatchObject([{ status: 'failed', why }]);
  });

  it('does not show a file that may not be read, also behind a link, unless the user allows it once', async () => {
    const unreadable = ['**/secret.png'];
    const made = [view({ path: 'secret.png' }), view({ path: 'link.png' })];
    const refused =
      'secret.png may not be read (sandbox.unreadable: **/secret.png). Reading it was not allowed. Go on without it.';
    const outputsOf = async (more: Options, answer?: string) => {
      await using chat = await chatWith(made, { 'secret.png': png() }, { unreadable, ...more });
      symlinkSync('secret.png', chat.folder.at('link.png'));
      const ended = chat.turnEnds();
      chat.submit({ type: 'user_turn', input: [{ type: 'text', text: 'go' }] });
      for (const _call of answer === undefined ? [] : made) {
        if (chat.state.questions.length === 0) await chat.next('question_requested');
        const resolved = chat.next('question_resolved');
        const answers = { read: [answer ?? ''] };
        chat.submit({ type: 'user_input_answer', questionId: chat.state.questions[0]?.questionId ?? '', answers });
        await resolved;
      }
      await ended;
      return sent(chat).map((output) =>
        typeof output === 'string' ? output.replaceAll(`${chat.folder.path}/`, '') : imageIn(output).length,
      );
    };
    expect(await outputsOf({ policy: 'never' })).toEqual([refused, refused]);
    expect(await outputsOf({}, 'Do not allow')).toEqual([refused, refused]);
    expect(await outputsOf({}, 'Allow once')).toEqual([png().length, png().length]);
  });

  it('stops scaling when the turn is interrupted', async () => {
    let started = () => {};
    const scaling = new Promise<void>((resolve) => {
      started = resolve;
    });
    const scale = (_image: unknown, signal: AbortSignal) => {
      started();
      return new Promise<never>((_resolve, reject) => {
        signal.addEventListener('abort', () => reject(signal.reason));
      });
    };
    const deps = (_ports: Ports) => ({ images: { scale } });
    await using chat = await chatWith([view({ path: 'a.png' })], { 'a.png': png(3_000, 3_000) }, { deps });
    const ended = chat.send('go');
    await scaling;
    chat.submit({ type: 'interrupt' });
    expect(await ended).toEqual({ type: 'turn_aborted', reason: 'interrupted' });
    expect(chat.items('image_view')).toMatchObject([{ status: 'aborted' }]);
  });

  it.each([
    ['no path', {}, 'path: is required'],
    ['an empty path', { path: '' }, 'path: Too small'],
    ['another detail', { path: 'a.png', detail: 'sharp' }, 'detail: Invalid option'],
  ])('shows nothing when the model sends %s', async (_case, args, problem) => {
    await using chat = await chatWith([view(args)], { 'a.png': png() });
    await chat.send('go');
    expect(sent(chat)[0]).toContain(problem);
  });

  it('names an argument that it does not have', async () => {
    await using chat = await chatWith([view({ path: 'a.png', zoom: 2 })], { 'a.png': png() });
    await chat.send('go');
    expect(sent(chat)[0]).toMatchObject([
      { type: 'input_image' },
      { type: 'input_text', text: 'Note: this tool has no argument zoom; it was ignored.' },
    ]);
  });
});
