/** The contents of the window, and the accuracy of the estimates. */
import { writeFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import type { EventMsgOf } from '../../src/protocol/event.ts';
import { calls, type ModelRequest, says, type Step, usage, type Wire } from '../support/modelServer.ts';
import { png, pngChunk } from '../support/images.ts';
import { startScenario } from '../support/startScenario.ts';

/** A server with its own token counts: 3.1 bytes a token, 9 tokens an element, images by their pixels. */
function countOf({ body, elements }: ModelRequest, imageTokens: number): number {
  const { instructions, tools } = body;
  const texts = [JSON.stringify(instructions ?? ''), JSON.stringify(tools ?? []), ...elements];
  const images = texts.filter((text) => text.includes('data:image')).length;
  const bytes = texts.join('').replaceAll(/data:image[^"]*/g, '');
  return Math.round(Buffer.byteLength(bytes) / 3.1) + elements.length * 9 + images * imageTokens;
}

function sumOf(parts: EventMsgOf<'token_count'>['parts']): number {
  return Object.values(parts ?? {}).reduce((sum, tokens) => sum + tokens, 0);
}

/** 1024 × 1024 pixels in 300 kB. */
function heavyImage(): Buffer {
  const image = png(1024, 1024);
  return Buffer.concat([image.subarray(0, -12), pngChunk('teXt', Buffer.alloc(300_000, 7)), image.subarray(-12)]);
}

describe.each<Wire>(['responses', 'chat'])('the meter on %s', (wire) => {
  it('is within 10 % of the server over fifty turns once the server has reported counts, images and a resume included', async () => {
    const counts: number[] = [];
    const model =
      (calibrates: number) =>
      (request: ModelRequest, index: number): readonly Step[] => {
        const input = countOf(request, 765);
        counts.push(input);
        const told = index < calibrates ? usage({ input, output: 100 }) : usage(null);
        const last = JSON.stringify(request.input.at(-1));
        if (!last.includes('Turn '))
          return [says(`Read. ${'The tests pass, and nothing is left to do. '.repeat(8)}`), told];
        return [calls('exec_command', { cmd: `cat notes.txt && echo ${index}` }), told];
      };
    const files = { 'notes.txt': 'Every line of these notes says something about the job.\n'.repeat(40) };
    await using first = await startScenario({ wire, sandbox: 'danger-full-access', files, model: model(6) });
    writeFileSync(first.folder.at('photo.png'), heavyImage());
    const errors: number[] = [];
    const compare = (told: readonly EventMsgOf<'token_count'>[]) => {
      for (const [index, { last, estimated, parts }] of told.entries()) {
        const counted = counts[index] ?? 0;
        expect(sumOf(parts)).toBe(last.input + last.output);
        if (estimated) errors.push(Math.abs(last.input - counted) / counted);
        else expect(last.input).toBe(counted);
      }
    };
    for (let turn = 1; turn <= 50; turn++) {
      const text = { type: 'text' as const, text: `Turn ${turn}: read the notes and tell me what is in them.` };
      const image = { type: 'local_image' as const, path: 'photo.png' };
      await first.send('', { input: turn === 20 ? [text, image] : [text] });
    }
    expect(counts).toHaveLength(100);
    compare(first.said('token_count'));
    expect(errors).toHaveLength(94);
    expect(Math.max(...errors)).toBeLessThan(0.1);

    counts.length = 0;
    errors.length = 0;
    const before = first.state.tokens;
    await first.session.dispose();
    await using second = await startScenario({ wire, sandbox: 'danger-full-access', resume: first, model: model(0) });
    expect(second.state.tokens).toEqual(before);
    await second.send('Turn 51: once more.');
    compare(second.said('token_count'));
    expect(errors).toHaveLength(2);
    expect(Math.max(...errors)).toBeLessThan(0.1);
  });
});

describe('the parts', () => {
  it('name the contents of the window, and add up to the count of the server', async () => {
    const docs = 'Use tabs. '.repeat(1000);
    const notes = 'Note. '.repeat(1000);
    await using chat = await startScenario({
      sandbox: 'danger-full-access',
      files: {
        'AGENTS.md': docs,
        'notes.txt': notes,
        'run.sh': `for i in 1 2 3 4 5; do echo "${'x'.repeat(500)}"; done`,
      },
      model: [
        [calls('exec_command', { cmd: 'cat notes.txt' }), calls('exec_command', { cmd: 'sh run.sh' })],
        [says('Done. '.repeat(500)), usage({ input: 20_000, output: 1000 })],
      ],
    });
    const mention = { type: 'mention' as const, name: 'a.txt', path: 'a.txt', text: 'Attached. '.repeat(400) };
    await chat.send('', { input: [{ type: 'text', text: 'Look. '.repeat(100) }, mention] });
    const { parts, last } = chat.said('token_count').at(-1) ?? {};
    expect(sumOf(parts)).toBe(21_000);
    expect(last?.total).toBe(21_000);
    if (!parts) throw new Error('no parts');
    // The sizes of the parts in bytes, relative to each other.
    const perToken = (10_000 + 60) / parts.projectDocs;
    expect(parts.files * perToken).toBeGreaterThan(6000 + 4000);
    expect(parts.files * perToken).toBeLessThan(6000 + 4000 + 600);
    expect(parts.outputs * perToken).toBeGreaterThan(2500);
    expect(parts.outputs * perToken).toBeLessThan(2500 + 600);
    expect((parts.conversation - 1000) * perToken).toBeLessThan(600 + 800);
    expect(parts.instructions * perToken).toBeGreaterThan(3000);
    expect(parts.tools * perToken).toBeGreaterThan(3000);
  });
});
