import { describe, expect, test } from 'vitest';
import { readWorkspaceFile, WORKSPACE_FILES } from '../../../src/core/mcp/workspaceFiles.ts';

const [place] = WORKSPACE_FILES;
const read = (content: unknown) =>
  readWorkspaceFile(typeof content === 'string' ? content : JSON.stringify(content), place);

describe('the MCP servers that a file of a workspace names', () => {
  test('are read with comments and unknown keys, and a wrong one costs no other', () => {
    const { servers, problems } = read(`{
      // of another program
      "inputs": [],
      "mcpServers": {
        "good": { "command": "node", "envFile": ".env" },
        "../bad": { "command": "x" },
        "old": { "type": "sse", "url": "https://x.test/sse" },
      },
    }`);
    expect([...servers.keys()]).toEqual(['good']);
    expect(problems).toHaveLength(2);
    for (const problem of problems) expect(problem).toMatch(/^\.mcp\.json: /);
  });

  test.each([
    ['no JSON', '{"mcpServers": {'],
    ['arrays in arrays without end', '['.repeat(200_000)],
  ])('are none in %s, which is named', (_what, text) => {
    expect(read(text)).toEqual({ servers: new Map(), problems: ['.mcp.json is not valid JSON.'] });
  });

  test('are read behind a byte order mark', () => {
    expect([...read('\uFEFF{"mcpServers": {"a": {"command": "x"}}}').servers.keys()]).toEqual(['a']);
  });

  test('are none where they are no object', () => {
    expect(read({ mcpServers: ['x'] }).problems).toEqual(['.mcp.json: "mcpServers" must be an object.']);
    expect(read([1])).toEqual({ servers: new Map(), problems: [] });
  });

  test('change no prototype', () => {
    const { servers } = read('{"mcpServers": {"__proto__": {"command": "x"}, "constructor": {"command": "y"}}}');
    expect([...servers.keys()]).toEqual(['constructor']);
    expect({}).not.toHaveProperty('command');
  });

  test('are at most 50, so that they do not fill the window with questions', () => {
    const many = Object.fromEntries(Array.from({ length: 1_000 }, (_, at) => [`s${at}`, { command: 'x' }]));
    const { servers, problems } = read({ mcpServers: many });
    expect(servers.size).toBe(50);
    expect(problems).toEqual(['.mcp.json names 1000 servers; the first 50 are proposed.']);
  });
});
