import { expect, it } from 'vitest';
import { agentRows } from '../../../src/core/agent/agentRows.ts';
import { initialThreadState, type ThreadState } from '../../../src/protocol/thread.ts';
import type { TurnItem } from '../../../src/protocol/item.ts';
import { SAMPLE_ITEMS, sampleItems } from '../../support/sampleItems.ts';

function lineWith(...items: readonly TurnItem[]): string | undefined {
  const turn = { turnId: 'turn', items } as unknown as ThreadState['turns'][number];
  const state: ThreadState = { ...initialThreadState('t'), turns: [turn], activeTurnId: 'turn' };
  const agent = { agentId: 'a', role: 'worker', state: 'running' } as unknown as ThreadState['agents'][number];
  return agentRows({ agents: [agent] }, { live: () => state, changedInCopy: () => null })[0]?.line;
}

it('the row of a sub-agent names the subject of each kind of its calls', () => {
  const lines = sampleItems.map((item) => [item.type, lineWith(item)]).filter(([, line]) => line !== '');
  expect(Object.fromEntries(lines)).toEqual({
    agent_message: 'said by the model',
    command_execution: 'ls',
    process_interaction: 'npm run dev',
    file_change: 'a.txt',
    mcp_tool_call: 'docs/find',
    dynamic_tool_call: 'open',
    web_search: 'weather',
    image_view: 'a.png',
    file_lookup: 'src',
    code_navigation: 'references rain',
    web_fetch: 'https://a.example/b',
  });
});

it('the row of a sub-agent keeps the line of the item before one without a subject', () => {
  expect(lineWith(SAMPLE_ITEMS.web_fetch, SAMPLE_ITEMS.reasoning)).toBe('https://a.example/b');
});
