import { expect, test } from 'vitest';
import type { McpContent } from '../../../src/core/mcp/connection.ts';
import { partsOf } from '../../../src/core/tools/mcp/toolResult.ts';

const parts = (...content: McpContent[]) => partsOf({ content, structuredContent: undefined, isError: false });

test('a result of an MCP server names embedded resources, links, sounds and what is unknown', () => {
  const { text, images } = parts(
    { type: 'text', text: 'one' },
    { type: 'resource', resource: { uri: 'note://1', text: 'a note' } },
    { type: 'resource', resource: { uri: 'note://2', blob: 'AAAA', mimeType: 'application/zip' } },
    { type: 'resource_link', uri: 'note://3', name: 'Three', description: 'the third' },
    { type: 'audio', data: 'AAAAAAAA', mimeType: 'audio/wav' },
    { type: 'hologram', depth: 3 },
    { type: 'text', text: 7 },
  );
  expect(images).toEqual([]);
  expect(text.split('\n')).toEqual([
    'one',
    'note://1',
    'a note',
    '[note://2: 3 bytes of application/zip]',
    '[Resource Three at note://3: the third]',
    '[Audio: 6 bytes of audio/wav, which is not passed on]',
    '{"type":"hologram","depth":3}',
    '',
  ]);
});

test('an embedded picture is an image, and one of a type that is none stays text', () => {
  const picture = { uri: 'p', blob: 'AAAA', mimeType: 'image/png' };
  expect(parts({ type: 'resource', resource: picture }).images).toEqual(['data:image/png;base64,AAAA']);
  const odd = parts({ type: 'image', data: 'AAAA', mimeType: 'image/png"><script>' });
  expect(odd.images).toEqual([]);
});

test('pictures that are too large together are left out, with a sentence in the text', () => {
  const picture = { type: 'image', data: 'A'.repeat(20_000_000), mimeType: 'image/png' };
  const { text, images } = parts(picture, { type: 'text', text: 'one' }, picture);
  expect(images).toHaveLength(1);
  expect(text).toMatch(/^one\n\[An image of 150000\d\d bytes was left out: .*\]$/);
});
