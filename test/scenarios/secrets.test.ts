/** A key that Tiller holds reaches no command and no model, and is printed nowhere. */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { sandboxSupport } from '../../src/node/sandbox/support.ts';
import type { Event } from '../../src/protocol/event.ts';
import { calls, fails, failsInStream, ModelServer, reasons, says, type Wire } from '../support/modelServer.ts';
import { runCli } from '../support/runCli.ts';
import { startScenario } from '../support/startScenario.ts';
import { tempFolder } from '../support/tempFolder.ts';

const WIRES: readonly Wire[] = ['responses', 'chat'];
const KEY = 'of-my-provider-5f2c81d0';

function eventsIn(stdout: string): readonly Event[] {
  return stdout.split('\n').flatMap((line) => (line === '' ? [] : [JSON.parse(line) as Event]));
}

/** The concatenated deltas of each text. */
function streamed(events: readonly Event[]): readonly string[] {
  const texts = new Map<string, string>();
  for (const { msg } of events) {
    if (msg.type !== 'item_delta' && msg.type !== 'process_output') continue;
    const id = msg.type === 'item_delta' ? `${msg.itemId} ${msg.kind}` : msg.processId;
    texts.set(id, (texts.get(id) ?? '') + msg.text);
  }
  return [...texts.values()];
}

function filesWith(text: string, folder: string): string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => path.join(entry.parentPath, entry.name))
    .filter((file) => readFileSync(file).includes(text));
}

describe.each(WIRES)('a key that Tiller holds, on %s', (wire) => {
  it('reaches no command by another variable, and no model, event or file by the output of a command', async () => {
    using folder = tempFolder();
    writeFileSync(folder.at('key.txt'), `the key: ${KEY}\n`);
    writeFileSync(folder.at('AGENTS.md'), `Use ${KEY} for the tests.\n`);
    const script = [
      'printenv | sort',
      // In two pieces, cut in the middle of the key.
      'head -c 14 key.txt; sleep 0.4; tail -c +15 key.txt',
      'cat key.txt >&2',
    ].join('; ');
    await using server = await ModelServer.start(
      [
        [
          reasons(`Is it ${KEY}?`, { raw: `It is ${KEY}.`, deltas: 9 }),
          says(`It is ${KEY}, I think.`, { deltas: 9 }),
          calls('exec_command', { cmd: script }),
        ],
        [calls('exec_command', { cmd: `echo ${KEY} >key-of-mine; cat nothing-${KEY}` })],
        [says(`The key is ${KEY}.`, { deltas: 12 })],
        [says('Yes.')],
      ],
      { wire },
    );
    const job = ['--model', 'm', '--base-url', server.baseUrl, '--wire-api', wire, '--sandbox', 'danger-full-access'];
    const env = { TILLER_API_KEY: KEY, OF_ANOTHER_NAME: KEY, CURL_LINE: `-H x:${KEY}`, PLAIN: 'plain-4' };
    const options = { home: folder.path, env };
    const run = await runCli(['exec', ...job, '--json', '-c', 'reasoning.showRaw=true', 'go'], options);

    expect(run.code).toBe(0);
    expect(server.requests.map(({ headers }) => headers.authorization)).toEqual(Array(3).fill(`Bearer ${KEY}`));
    const events = eventsIn(run.stdout);
    const outputs = server.requests[1]?.input.map((item) => String(item.output ?? item.content)).join('\n') ?? '';
    expect(outputs).toContain('PLAIN=plain-4');
    for (const name of ['OF_ANOTHER_NAME', 'CURL_LINE', 'TILLER_API_KEY']) expect(outputs).not.toContain(name);
    // Once in each stream of the command.
    expect(outputs.split('the key: [hidden]\n')).toHaveLength(3);
    expect(server.requests[0]?.text).toContain('Use [hidden] for the tests.');
    // Text of the model itself is not redacted; everything that is sent to it is.
    const told = server.requests.flatMap(({ input }) => input.filter(({ role }) => role !== 'assistant'));
    const isOwn = (type: unknown) => type === 'function_call' || type === 'reasoning';
    expect(JSON.stringify(told.filter(({ type }) => !isOwn(type)))).not.toContain(KEY);

    expect(run.stdout).not.toContain(KEY);
    expect(run.stderr).not.toContain(KEY);
    for (const text of streamed(events)) expect(text).not.toContain(KEY);
    expect(streamed(events)).toContain('The key is [hidden].');
    const whole = events.flatMap(({ msg }) =>
      msg.type === 'item_completed' && msg.item.type === 'agent_message' ? [msg.item.text] : [],
    );
    expect(whole).toEqual(['It is [hidden], I think.', 'The key is [hidden].']);
    expect(events.map(({ seq }) => seq)).toEqual(events.map((_, index) => index + 1));
    expect(filesWith(KEY, folder.at('tiller'))).toEqual([]);

    const plain = await runCli(['exec', ...job, 'again'], { home: folder.path, env: { ...env, TILLER_LOG: 'debug' } });
    expect(plain.stderr).not.toContain(KEY);
  });

  it('is redacted in the output of background commands', async () => {
    await using chat = await startScenario({
      wire,
      policy: 'never',
      sandbox: 'danger-full-access',
      deps: ({ keys }) => {
        keys.hold(KEY);
        return {};
      },
      model: [
        [calls('exec_command', { cmd: 'printf of-my-; sleep 1; printf "provider-5f2c81d0 end"', yield_time_ms: 250 })],
        [says('Waiting.')],
      ],
    });
    const exited = chat.next('process_exited');
    await chat.send('go');
    await exited;
    expect(chat.outputs().join('')).not.toContain('of-my-');
    expect(streamed(chat.events).join('|')).not.toContain('of-my-');
    expect(streamed(chat.events)).toContain('[hidden] end');
  });
});

it.skipIf(sandboxSupport().type === 'fails')('reaches no command of tiller sandbox', async () => {
  using folder = tempFolder();
  const env = { TILLER_API_KEY: KEY, OF_ANOTHER_NAME: `x ${KEY}`, PLAIN: 'plain-4' };
  const run = await runCli(['sandbox', '--', '/usr/bin/env'], { home: folder.path, env });
  expect([run.code, run.stdout.includes('PLAIN=plain-4'), run.stdout.includes(KEY)]).toEqual([0, true, false]);
});

describe.each(WIRES)('values of the request that a server repeats, on %s', (wire) => {
  const sent = { 'x-corp-pass': 'of-the-header-77', 'x-anything': 'Of-any-header-88', 'x-title': 'My own title' };
  const query = { code: 'of-the-query+99', tenant: 'of-any-query 66', 'api-version': '2026-10-21-preview' };
  const secrets = [KEY, sent['x-corp-pass'], sent['x-anything'], query.code, query.tenant];
  const words = `You sent ${[KEY, ...Object.values(sent), ...Object.values(query)].join(', ')}.`;
  const hidden = 'You sent [hidden], [hidden], [hidden], My own title, [hidden], [hidden], 2026-10-21-preview.';

  it.each([
    ['an HTTP error', fails(400, { message: words })],
    ['an error with a status to try again', fails(500, { message: words })],
    ['an error in the stream', failsInStream('invalid_prompt', words)],
    ['an address', fails(400, { message: `${words} At /v1?code=of-the-query%2B99&tenant=of-any-query%2066` })],
  ])('%s: not on stderr, not in events, in no file', async (_case, answer) => {
    using folder = tempFolder();
    await using server = await ModelServer.start([[answer], [answer]], { wire });
    const providers = { p: { baseUrl: server.baseUrl, wireApi: wire, headers: sent, queryParams: query } };
    writeFileSync(folder.at('settings.json'), '{}');
    const config = ['-c', `providers=${JSON.stringify(providers)}`, '-c', 'retry.maxAttempts=1'];
    const job = ['--model', 'm', '--provider', 'p', '--sandbox', 'danger-full-access', ...config];
    // A key for the server of the settings comes from a header; this key is only held.
    const options = { home: folder.path, env: { TILLER_API_KEY: KEY, TILLER_LOG: 'debug' } };
    const asText = await runCli(['exec', ...job, 'go'], options);
    const asJson = await runCli(['exec', ...job, '--json', 'go'], options);
    expect([asText.code, asJson.code]).toEqual([1, 1]);
    expect(asText.stderr).toContain(hidden);
    expect(asJson.stdout).toContain(hidden);
    for (const secret of [...secrets, 'of-the-query%2B99', 'of-any-query%2066']) {
      for (const output of [asText.stdout, asText.stderr, asJson.stdout, asJson.stderr]) {
        expect(output).not.toContain(secret);
      }
      expect(filesWith(secret, folder.at('tiller'))).toEqual([]);
    }
  });

  it('are redacted completely, also where the message is cut in a key', async () => {
    using folder = tempFolder();
    const answers = [1980, 1990, 16_370].map((length) => [fails(400, { message: `${'x'.repeat(length)}${KEY}` })]);
    await using server = await ModelServer.start(answers, { wire });
    const job = ['--model', 'm', '--base-url', server.baseUrl, '--wire-api', wire, '--sandbox', 'danger-full-access'];
    for (const _answer of answers) {
      const options = { home: folder.path, env: { TILLER_API_KEY: KEY } };
      const { stdout } = await runCli(['exec', ...job, '--json', 'go'], options);
      expect(stdout).toContain('xxx');
      expect(stdout).not.toContain(KEY.slice(0, 4));
    }
  });
});

describe.each(WIRES)('an error of a server is parsed before keys in it are redacted, on %s', (wire) => {
  it('so that a refused field is left out although its name equals the key', async () => {
    using folder = tempFolder();
    const field = wire === 'responses' ? 'parallel_tool_calls' : 'stream_options';
    const refusal = fails(400, { message: `Unknown parameter: '${field}'.` });
    await using server = await ModelServer.start([[refusal], [says('Done.')]], { wire });
    const job = ['--model', 'm', '--base-url', server.baseUrl, '--wire-api', wire, '--sandbox', 'danger-full-access'];
    const run = await runCli(['exec', ...job, 'go'], {
      home: folder.path,
      env: { TILLER_API_KEY: field },
    });
    expect([run.code, run.stdout]).toEqual([0, 'Done.\n']);
    expect(server.requests.map(({ body }) => field in body)).toEqual([true, false]);
  });

  it('and a key of fewer than 8 characters is not redacted in other words', async () => {
    using folder = tempFolder();
    const words = 'model "qwen3" not found, try: ollama pull qwen3';
    const answer = fails(404, { message: words });
    await using server = await ModelServer.start([[answer]], { wire });
    const job = [
      '--model',
      'qwen3',
      '--base-url',
      server.baseUrl,
      '--wire-api',
      wire,
      '--sandbox',
      'danger-full-access',
    ];
    const run = await runCli(['exec', ...job, 'go'], { home: folder.path, env: { TILLER_API_KEY: 'ollama' } });
    expect(run.stderr).toContain(words);
    expect(server.lastRequest.headers.authorization).toBe('Bearer ollama');
  });
});
