/** Hosts that commands in the sandbox may reach: by the setting, by rules, and by answers of the user. */
import { writeFileSync } from 'node:fs';
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { ApprovalDecision } from '../../src/protocol/policy.ts';
import { auditEntries } from '../support/auditEntries.ts';
import { type Answer, calls, says } from '../support/modelServer.ts';
import { noSandbox } from '../support/sandboxed.ts';
import { type Scenario, type ScenarioOptions, startScenario } from '../support/startScenario.ts';

let server: http.Server;
let port: number;
beforeAll(async () => {
  server = http.createServer((_request, response) => response.end('reached\n'));
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
  port = (server.address() as AddressInfo).port;
});
afterAll(() => {
  server.closeAllConnections();
  server.close();
});

const run = (cmd: string) => calls('exec_command', { cmd });
const fetches = (host: string) => `curl -sSf http://${host}:${port}/ && echo done`;

/** Every name leads to this machine, whose address is allowed at the port of the server. */
function start(options: ScenarioOptions): Promise<Scenario> {
  const resolve = async () => [{ address: '127.0.0.1', family: 4 }];
  return startScenario({
    box: 'real',
    resolve,
    ...options,
    allowedHosts: [`127.0.0.1:${port}`, ...(options.allowedHosts ?? [])],
  });
}

async function answered(chat: Scenario, decision: ApprovalDecision) {
  const asked = await chat.next('approval_requested');
  chat.submit({ type: 'approval', approvalIds: [asked.approvalId], decision });
  return asked;
}

const outputs = (chat: Scenario) =>
  chat.items('command_execution').map(({ status, output }) => [status, output.split('\n')[0]]);

describe.skipIf(noSandbox)('a command in the sandbox', () => {
  it('reaches a host of the setting without a question, and the model knows it', async () => {
    await using chat = await start({
      allowedHosts: [`*.good.test:${port}`],
      model: [[run(fetches('a.good.test'))], [says('Done.')]],
    });
    await chat.send('go');
    expect(chat.said('approval_requested')).toEqual([]);
    expect(outputs(chat)).toEqual([['completed', 'reached']]);
    expect(JSON.stringify(chat.server.requests[0]?.body)).toContain(
      `commands may reach 127.0.0.1:${port}, *.good.test:${port}.`,
    );
  });

  it('is run again with a host that the user allows once, and the next one is asked about anew', async () => {
    await using chat = await start({ model: [[run(fetches('a.test'))], [run(fetches('a.test'))], [says('Done.')]] });
    const ended = chat.send('go');
    const asked = await answered(chat, 'approved');
    expect(asked).toMatchObject({
      kind: 'network',
      hosts: [`a.test:${port}`],
      box: 'bubblewrap',
      reason: { source: 'sandbox', id: 'hosts', text: `The sandbox did not let it reach a.test:${port}.` },
      proposedRule: { pattern: ['connect_host', `a.test:${port}`], decision: 'allow' },
      choices: ['approved', 'approved_rule', 'denied', 'abort'],
    });
    await answered(chat, { denied: { message: 'not now' } });
    await ended;
    const [first, second] = chat.outputs();
    expect(first).toContain('reached\ndone');
    expect(second).toContain(`The sandbox refused these hosts, which are not allowed: a.test:${port}.`);
    expect(second).toContain(`It was not run again with access to a.test:${port}: denied by the user: not now.`);
    expect(second).not.toContain('require_escalated');
  });

  it.each(['thread', 'user'] as const)(
    'reaches a host that is allowed for the %s at once, and the audit log names it',
    async (scope) => {
      await using chat = await start({ model: [[run(fetches('a.test'))], [run(fetches('a.test'))], [says('Done.')]] });
      const ended = chat.send('go');
      const rule = { pattern: ['connect_host', `a.test:${port}`], decision: 'allow' as const };
      await answered(chat, { approved_rule: { rule, scope } });
      await ended;
      expect(chat.said('approval_requested')).toHaveLength(1);
      expect(outputs(chat)).toEqual([
        ['failed', expect.stringContaining('403')],
        ['completed', 'reached'],
        ['completed', 'reached'],
      ]);
      const decisions = auditEntries(chat).filter(({ type }) => type === 'decision');
      expect(JSON.stringify(decisions)).toContain(`The sandbox did not let it reach a.test:${port}.`);
      if (scope === 'thread') return;
      await chat[Symbol.asyncDispose]();
      await using later = await start({ resume: chat, model: [[run(fetches('a.test'))], [says('Done.')]] });
      await later.send('go');
      expect(later.said('approval_requested')).toEqual([]);
      expect(outputs(later).at(-1)).toEqual(['completed', 'reached']);
    },
  );

  it('is asked about again when it has reached one host and needs another', async () => {
    const cmd = `${fetches('a.test')} && ${fetches('b.test')}`;
    await using chat = await start({ model: [[run(cmd)], [says('Done.')]] });
    const ended = chat.send('go');
    expect((await answered(chat, 'approved')).hosts).toEqual([`a.test:${port}`]);
    expect((await answered(chat, 'approved')).hosts).toEqual([`b.test:${port}`, `a.test:${port}`]);
    await ended;
    expect(chat.outputs()[0]).toContain('reached\ndone\nreached\ndone');
  });

  it('that succeeds although it was refused a host is not asked about, and the model gets the host', async () => {
    const silent = `curl -s http://a.test:${port}/ || true`;
    await using chat = await start({ model: [[run(silent)], [says('Done.')]] });
    await chat.send('go');
    expect(chat.said('approval_requested')).toEqual([]);
    expect(outputs(chat)).toEqual([['completed', expect.any(String)]]);
    expect(chat.outputs()[0]).toContain(`The sandbox refused these hosts, which are not allowed: a.test:${port}.`);
  });

  it('that continues in the background gives the model each host that it was refused once, also before its end', async () => {
    const cmd = `curl -s -o /dev/null http://a.test:${port}/; until test -e go; do sleep 0.05; done; curl -s http://b.test:${port}/; echo end`;
    const read: Answer = ({ input }) => {
      writeFileSync(chat.folder.at('go'), '');
      const session_id = Number(/session ID (\d+)/.exec(String(input.at(-1)?.output))?.[1]);
      return [calls('write_stdin', { session_id, yield_time_ms: 20_000 })];
    };
    await using chat = await start({
      model: [[calls('exec_command', { cmd, yield_time_ms: 2_000 })], read, [says('Done.')]],
    });
    await chat.send('go');
    const note = (host: string) => `The sandbox refused these hosts, which are not allowed: ${host}:${port}.`;
    const [first, second] = chat.outputs();
    expect(first).toContain(note('a.test'));
    expect(first).toContain('Process running');
    expect(second).toContain(note('b.test'));
    expect(second).toContain('Process exited with code 0');
  });

  it('is not asked about where the policy never asks, or a rule forbids the host', async () => {
    await using silent = await start({ policy: 'never', model: [[run(fetches('a.test'))], [says('Oh.')]] });
    await silent.send('go');
    expect(silent.said('approval_requested')).toEqual([]);
    expect(silent.outputs()[0]).toContain(`The sandbox refused these hosts, which are not allowed: a.test:${port}.`);

    await using chat = await start({
      allowedHosts: [`a.test:${port}`],
      model: [[run(fetches('a.test'))], [says('Oh.')]],
    });
    const rules = [{ pattern: ['connect_host', `a.test:${port}`], decision: 'forbidden' }];
    writeFileSync(chat.home.at('rules.json'), JSON.stringify({ version: 1, rules }));
    await chat.send('go');
    expect(chat.said('approval_requested')).toEqual([]);
    expect(outputs(chat)).toEqual([['failed', expect.stringContaining('403')]]);
  });

  it('that names the host which it could not find is offered that host, where none was allowed before', async () => {
    const cmd = 'curl -sS https://example.invalid/';
    await using chat = await startScenario({ box: 'real', model: [[run(cmd)], [says('Oh.')]] });
    const ended = chat.send('go');
    expect(await answered(chat, { denied: {} })).toMatchObject({ kind: 'network', hosts: ['example.invalid'] });
    await ended;
    expect(chat.outputs()[0]).toContain('It was not run again with access to example.invalid: denied by the user.');
  });
});
