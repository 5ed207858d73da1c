import { expect, it } from 'vitest';
import { reasoningParts } from '../../webview-ui/text/reasoningParts.ts';

it('reasoningParts takes a line in bold for the heading of a section of reasoning, wherever the server puts it', () => {
  expect(reasoningParts('**Inspecting the client**\n\nIt loops.\n\n**Looking for the limit**\n\nIn `a`.\n')).toEqual([
    { heading: 'Inspecting the client', body: 'It loops.' },
    { heading: 'Looking for the limit', body: 'In `a`.' },
  ]);
  expect(reasoningParts('First words.\n\n**Then**\n')).toEqual([
    { heading: null, body: 'First words.' },
    { heading: 'Then', body: '' },
  ]);
  expect(reasoningParts('**Bold** at the start, and **more**')).toEqual([
    { heading: null, body: '**Bold** at the start, and **more**' },
  ]);
  expect(reasoningParts(' \n')).toEqual([]);
});
