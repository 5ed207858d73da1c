import { expect, test } from 'vitest';
import { leftOutSentence, usableTools } from '../../../src/core/mcp/usableTools.ts';

test('of a server with too many tools the first are offered, and the others are named', () => {
  const tools = Array.from({ length: 530 }, (_, at) => ({ name: `t${at}`, inputSchema: {}, raw: {} }));
  expect(usableTools(tools)).toEqual(tools.slice(0, 512));
  expect(leftOutSentence(tools)).toBe(
    'Not offered, because the server has more than 512 tools: t512, t513, t514, t515, t516, t517, t518, t519, t520, t521, and 8 more.',
  );
  expect(leftOutSentence(tools.slice(0, 512))).toBeUndefined();
});
