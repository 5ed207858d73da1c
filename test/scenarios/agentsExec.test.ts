// Sub-agents of `tiller exec`: their events, its exit, and threads that are resumed.
import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { type Event, eventSchema } from '../../src/protocol/event.ts';
import { agentIds, agentScript, outputsOf, userTexts } from '../support/agentScript.ts';
import { calls, hangs, ModelServer, type ModelRequest, says, waits } from '../support/modelServer.ts';
import { runCli, startCli } from '../support/runCli.ts';
import { tempFolder } from '../support/tempFolder.ts';

const PATIENT = { timeout: 60_000 };
const FIVE = ['-c', 'agents.tools=all'];

function eventsOf(stdout: string): Event[] {
  return stdout
    .trimEnd()
    .split('\n')
    .map((line) => eventSchema.parse(JSON.parse(line)));
}

const spawnedIn = (request: ModelRequest) => agentIds(request)[0];

describe('tiller exec with sub-agents', () => {
  it(
    'prints their events with their own thread, numbered together, and waits for agents at work',
    PATIENT,
    async () => {
      using folder = tempFolder();
      let release = () => {};
      const parentDone = new Promise<void>((resolve) => (release = resolve));
      await using server = await ModelServer.start(
        agentScript({
          ROOT: [[calls('spawn_agent', { message: 'CHILD', agent_type: 'explorer' })], [says('Started.')]],
          CHILD: [[waits(parentDone), says('Found it.')]],
        }),
      );
      const args = ['exec', '--json', ...FIVE, '--model', 'm', '--base-url', server.baseUrl];
      const cli = await startCli([...args, 'ROOT'], { home: folder.path });
      cli.stdin.end();
      await expect.poll(() => cli.output.stdout, PATIENT).toContain('"turn_completed"');
      release();
      const run = await cli.ended;
      expect(run).toMatchObject({ code: 0, stderr: '' });
      const events = eventsOf(run.stdout);
      expect(events.map(({ seq }) => seq)).toEqual(events.map((_, index) => index + 1));
      const [first] = events;
      const ends = events.filter(({ msg }) => msg.type === 'turn_completed');
      expect(ends.map(({ msg }) => msg)).toEqual([
        { type: 'turn_completed', lastMessage: 'Started.' },
        { type: 'turn_completed', lastMessage: 'Found it.' },
      ]);
      expect(ends[0]?.threadId).toBe(first?.threadId);
      const child = ends[1]?.threadId;
      expect(child).not.toBe(first?.threadId);
      const started = events.find(({ msg, threadId }) => msg.type === 'thread_started' && threadId === child);
      expect(started?.msg).toMatchObject({ parentId: first?.threadId });
      const states = events.flatMap(({ msg }) =>
        msg.type === 'agent_status' && msg.agentId === child ? msg.state : [],
      );
      expect(states).toEqual(['pending_init', 'running', 'completed']);

      // The agent has ended after the last request of its parent: the next run tells the model.
      await using next = await ModelServer.start(agentScript({ ROOT: [[says('I see.')]] }));
      const again = ['exec', '--model', 'm', '--base-url', next.baseUrl, ...FIVE, 'resume', '--last', 'And?'];
      expect(await runCli(again, { home: folder.path })).toMatchObject({ code: 0, stdout: 'I see.\n' });
      expect(userTexts(next.lastRequest).filter((text) => text.includes('subagent_notification'))).toEqual([
        expect.stringContaining(`{"agent_id":"${child}","status":{"completed":"Found it."}}`),
      ]);
    },
  );

  it('reports to a resumed thread that its agent was stopped when the process was killed', PATIENT, async () => {
    using folder = tempFolder();
    await using server = await ModelServer.start(
      agentScript({
        ROOT: [[calls('spawn_agent', { message: 'CHILD' })], [hangs()]],
        CHILD: [[calls('exec_command', { cmd: 'true' })], [hangs()]],
      }),
    );
    const cli = await startCli(['exec', ...FIVE, '--model', 'm', '--base-url', server.baseUrl, 'ROOT'], {
      home: folder.path,
    });
    await server.received(4);
    cli.kill('SIGKILL');
    await cli.ended;

    await using next = await ModelServer.start(
      agentScript({
        'And now?': [
          (request) => [calls('resume_agent', { id: spawnedIn(request) })],
          (request) => [calls('send_input', { id: spawnedIn(request), message: 'Go on.' })],
          (request) => [calls('wait', { ids: [spawnedIn(request)] })],
          [says('It went on.')],
        ],
        CHILD: [[says('Here I am.')]],
      }),
    );
    const again = ['exec', '--model', 'm', '--base-url', next.baseUrl, ...FIVE, 'resume', '--last', 'And now?'];
    expect(await runCli(again, { home: folder.path })).toMatchObject({ code: 0, stdout: 'It went on.\n' });
    const root = next.requests.findLast((request) => userTexts(request).includes('And now?'));
    const texts = root ? userTexts(root) : [];
    expect(texts.filter((text) => text.includes('subagent_notification'))).toEqual([
      expect.stringContaining('"status":{"errored":"Interrupted"}'),
    ]);
    expect(root && outputsOf(root).at(-1)).toContain('{"completed":"Here I am."}');
  });

  it('keeps a rollout for each agent that names its parent, and what it was started as', PATIENT, async () => {
    using folder = tempFolder();
    await using server = await ModelServer.start(
      agentScript({
        ROOT: [[calls('task', { agent: 'explorer', prompt: 'CHILD' })], [says('Done.')]],
        CHILD: [[says('Nothing.')]],
      }),
    );
    await runCli(['exec', '--model', 'm', '--base-url', server.baseUrl, 'ROOT'], { home: folder.path });
    const files = readdirSync(folder.at('tiller', 'threads'), { recursive: true, encoding: 'utf8' });
    const metas = files
      .filter((name) => name.endsWith('.jsonl'))
      .map(
        (name) => JSON.parse(readFileSync(folder.at('tiller', 'threads', name), 'utf8').split('\n')[0] ?? '').payload,
      );
    const root = metas.find(({ parent_id: parent }) => parent === undefined);
    expect(metas).toHaveLength(2);
    expect(metas.find(({ parent_id: parent }) => parent === root.id)).toMatchObject({
      originator: 'sub_agent',
      agent: { role: 'explorer', read_only: true, tools: expect.arrayContaining(['read_file']) },
    });
  });
});
