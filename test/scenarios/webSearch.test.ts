// web_search: who is offered it, what is shown of it, and what stands in the audit log.
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { auditEntrySchema, auditRows } from '../../src/protocol/audit.ts';
import { calls, fails, says, searches } from '../support/modelServer.ts';
import { type Scenario, type ScenarioOptions, startScenario } from '../support/startScenario.ts';

const OPENAI = { provider: { dialect: 'openai' }, modelName: 'gpt-5' } as const;
const CACHED = { type: 'web_search', external_web_access: false };
const PAGE = 'https://docs.example/retry';

/** The tool in a request; `undefined` where it is not offered. */
function toolIn(chat: Scenario, request = 0): unknown {
  const body = chat.server.requests[request]?.body as { tools?: { type: string }[] } | undefined;
  return body?.tools?.find(({ type }) => type.startsWith('web_search'));
}

async function offered(options: Omit<ScenarioOptions, 'model'>): Promise<unknown> {
  await using chat = await startScenario({ ...OPENAI, ...options, model: [[says('Fine.')]] });
  await chat.send('go');
  return toolIn(chat);
}

describe('web_search', () => {
  it('is offered where the setting says so, with live pages only where commands may use the network', async () => {
    expect(await offered({})).toBeUndefined();
    expect(await offered({ webSearch: 'cached', sandbox: 'danger-full-access' })).toEqual(CACHED);
    expect(await offered({ webSearch: 'live' })).toEqual(CACHED);
    expect(await offered({ webSearch: 'live', sandbox: 'danger-full-access' })).toEqual({
      ...CACHED,
      external_web_access: true,
    });
  });

  it('is not offered on Chat Completions, by other servers, or in a workspace that is not trusted', async () => {
    const webSearch = 'live';
    expect(await offered({ webSearch, wire: 'chat' })).toBeUndefined();
    expect(await offered({ webSearch, provider: { dialect: 'plain' }, modelName: 'mystery' })).toBeUndefined();
    expect(await offered({ webSearch, trusted: false })).toBeUndefined();
  });

  it('shows each search and page, names the sources of the answer, and writes a line of the audit log', async () => {
    await using chat = await startScenario({
      ...OPENAI,
      webSearch: 'cached',
      model: [
        [
          searches({
            type: 'search',
            query: 'retry',
            queries: ['retry', 'jitter'],
            sources: [{ type: 'url', url: PAGE }],
          }),
          // Further pages of a search come without words.
          searches({ type: 'search', sources: [{ type: 'url', url: PAGE }] }),
          searches({ type: 'open_page', url: PAGE }),
          searches({ type: 'find_in_page', url: PAGE, pattern: 'jitter' }, 'failed'),
          says(`It has none ([docs.example](${PAGE})).`, {
            cites: [
              [PAGE, 'Retry'],
              [PAGE, 'Retry'],
              ['javascript:alert(1)', 'No page'],
            ],
          }),
        ],
        [says('Yes.')],
      ],
    });
    await chat.send('has it jitter?');
    expect(chat.items('web_search').map(({ status, query, action }) => ({ status, query, action }))).toEqual([
      { status: 'completed', query: 'retry', action: { type: 'search', queries: ['retry', 'jitter'] } },
      { status: 'completed', action: { type: 'search', queries: [] } },
      { status: 'completed', action: { type: 'open_page', url: PAGE } },
      { status: 'failed', action: { type: 'find_in_page', url: PAGE, pattern: 'jitter' } },
    ]);
    expect(chat.items('agent_message')).toMatchObject([{ citations: [{ url: PAGE, title: 'Retry' }] }]);
    const lines = readFileSync(chat.home.at('audit.jsonl'), 'utf8').trimEnd().split('\n');
    const rows = auditRows(lines.map((line) => auditEntrySchema.parse(JSON.parse(line))));
    expect(rows.toReversed().map(({ decision, end }) => [decision.act, decision.reason.id, end?.status])).toEqual(
      [
        ['web_search retry jitter', 'completed'],
        ['web_search', 'completed'],
        [`web_search ${PAGE}`, 'completed'],
        [`web_search ${PAGE} jitter`, 'failed'],
      ].map(([tool, status]) => [{ type: 'tool', tool, cwd: chat.folder.path }, 'web-search', status]),
    );
    await chat.send('sure?');
    expect(chat.server.requests[1]?.text).toContain('"type":"web_search_call"');
    expect(chat.server.requests[1]?.text).not.toContain('citations');
  });

  it('is left out, visibly, for a server that refuses it, and a call of it has an answer', async () => {
    await using chat = await startScenario({
      ...OPENAI,
      webSearch: 'cached',
      model: [
        [fails(400, "Hosted tool 'web_search' is not supported with gpt-5.")],
        [calls('web_search', { query: 'retry' })],
        [says('Then not.')],
      ],
    });
    await chat.send('go');
    expect([toolIn(chat, 0), toolIn(chat, 1)]).toEqual([CACHED, undefined]);
    expect(chat.said('warning').map(({ message }) => message)).toEqual([expect.stringContaining('web_search')]);
    expect(chat.outputs()).toEqual([expect.stringContaining('web_search is run by the server')]);
  });
});
