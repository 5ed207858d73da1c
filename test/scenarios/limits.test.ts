/** Limits of what a server sends and of its response time, measured on a real `tiller exec`. */
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { type Flood, startFloodServer } from '../support/floodServer.ts';
import type { Wire } from '../support/modelServer.ts';
import { randomOf } from '../support/random.ts';
import { isFullRun } from '../support/rounds.ts';
import { startCli } from '../support/runCli.ts';
import { tempFolder } from '../support/tempFolder.ts';

const WIRES: readonly Wire[] = ['responses', 'chat'];
/** Hundreds of megabytes in every test: one run floods one wire, chosen by the seed; a full run floods both. */
const FLOODED_WIRES = isFullRun() ? WIRES : [randomOf('limits').pick(WIRES)];
const MB = 1_000_000;
/**
 * Floods under the limits of the settings' defaults in every run, for each limit one; the others have a sixteenth of
 * them outside a full run.
 */
const AT_THE_LIMITS = ['525 MB of deltas', 'one line of 300 MB', 'ten million empty objects in 30 MB'];
const SIXTEENTH = ['-c', `stream.maxResponseBytes=${4 * 2 ** 20}`, '-c', `stream.maxEventBytes=${2 * 2 ** 20}`];
/** Resident memory of the whole process; Node alone with the command line in it takes 85 MB. */
const MOST_MEMORY = 350 * MB;

interface Run {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
  /** The peak memory of the process, in bytes; 0 where the system does not report it. */
  readonly peak: number;
  /** Bytes of bodies that the server was able to send. */
  readonly sent: number;
}

async function execAgainst(flood: Flood, wire: Wire, more: readonly string[] = []): Promise<Run> {
  using folder = tempFolder();
  await using server = await startFloodServer(flood);
  const job = ['--model', 'm', '--base-url', server.baseUrl, '--wire-api', wire, '--sandbox', 'danger-full-access'];
  const cli = await startCli(['exec', ...job, '-c', 'retry.maxAttempts=1', ...more, 'go'], { home: folder.path });
  cli.stdin.end();
  let peak = 0;
  const watch = setInterval(() => {
    peak = Math.max(peak, peakOf(cli.pid ?? 0));
  }, 20);
  const { code, stdout, stderr } = await cli.ended.finally(() => clearInterval(watch));
  return { code, stdout, stderr, peak, sent: server.sent };
}

function peakOf(pid: number): number {
  try {
    return Number(/^VmHWM:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? 0) * 1024;
  } catch {
    return 0;
  }
}

const event = (data: unknown): string => `data: ${JSON.stringify(data)}\n\n`;

function delta(wire: Wire, text: string): string {
  return wire === 'responses'
    ? event({ type: 'response.output_text.delta', item_id: 'm', output_index: 0, delta: text })
    : event({ choices: [{ index: 0, delta: { content: text } }] });
}

function itemStart(wire: Wire, index: number): string {
  return wire === 'responses'
    ? event({ type: 'response.output_item.added', output_index: index, item: { type: 'message', id: `m${index}` } })
    : event({ choices: [{ index: 0, delta: { tool_calls: [{ index, id: `c${index}`, function: { name: 'x' } }] } }] });
}

/** `one` repeated up to this many bytes, after a prefix. */
function* upTo(bytes: number, one: string, beginning = ''): Iterable<string> {
  const block = one.repeat(Math.ceil(65_536 / one.length));
  yield beginning;
  for (let sent = 0; sent < bytes; sent += block.length) yield block;
}

const RESPONSE_LIMIT =
  'tiller: The server sent more than 64 MiB in one response. (The limit is the setting stream.maxResponseBytes.)';
const EVENT_LIMIT =
  'tiller: The server sent one event of more than 32 MiB. (The limit is the setting stream.maxEventBytes.)';
const TOO_MANY_VALUES = 'tiller: The server sent JSON with more values than an answer can have.';
const TOO_MANY_ITEMS = 'tiller: The server sent more than 1000 messages and calls in one response.';

/** Floods that the same code reads on both wires. */
const FLOODS: readonly (readonly [string, Flood, string])[] = [
  ['one line of 300 MB', { body: () => upTo(300 * MB, 'x', 'data: "') }, EVENT_LIMIT],
  ['one comment of 300 MB', { body: () => upTo(300 * MB, 'x', ': ') }, EVENT_LIMIT],
  ['comments', { body: () => upTo(525 * MB, ': keep-alive\n\n') }, RESPONSE_LIMIT],
  ['an event of empty lines', { body: () => upTo(525 * MB, 'data:\n') }, EVENT_LIMIT],
  ['1 GB of zeros in 1 MB of gzip', { gzip: true, body: () => upTo(1000 * MB, '\0', 'data: "') }, EVENT_LIMIT],
  [
    'a document of 525 MB',
    { headers: { 'content-type': 'application/json' }, body: () => upTo(525 * MB, 'x', '{"a":"') },
    RESPONSE_LIMIT,
  ],
  [
    'ten million empty objects in 30 MB',
    {
      *body() {
        yield* upTo(30 * MB, '{},', 'data: [');
        yield '{}]\n\n';
      },
    },
    TOO_MANY_VALUES,
  ],
];

describe.each(FLOODED_WIRES)('a server that sends without end, on %s: a message, exit 1 and flat memory', (wire) => {
  const floods: readonly (readonly [string, Flood, string])[] = [
    ['525 MB of deltas', { body: () => upTo(525 * MB, delta(wire, 'x'.repeat(1000))) }, RESPONSE_LIMIT],
    [
      '525 MB of deltas, printed as events',
      { body: () => upTo(525 * MB, delta(wire, 'x'.repeat(100))) },
      RESPONSE_LIMIT,
    ],
    [
      'a million messages',
      {
        *body() {
          for (let index = 0; index < 1_000_000; index++) yield itemStart(wire, index);
        },
      },
      TOO_MANY_ITEMS,
    ],
    ...(wire === FLOODED_WIRES[0] ? FLOODS : []),
  ];
  it.each(floods)('%s', { timeout: 120_000 }, async (name, flood, sentence) => {
    const isWhole = isFullRun() || AT_THE_LIMITS.includes(name);
    const flags = [...(name.endsWith('as events') ? ['--json'] : []), ...(isWhole ? [] : SIXTEENTH)];
    const { code, stderr, peak } = await execAgainst(flood, wire, flags);
    const expected = isWhole ? sentence : sentence.replace('64 MiB', '4 MiB').replace('32 MiB', '2 MiB');
    expect([code, stderr.split('\n')[0]]).toEqual([1, expected]);
    expect(peak).toBeLessThan(MOST_MEMORY);
  });

  it.each<[string, Flood, string]>([
    [
      '1 GB',
      { status: 500, body: () => upTo(1000 * MB, 'x') },
      'The server reported an error. (HTTP 500 (its first 64 KiB): xxx',
    ],
    [
      '1 GB of JSON',
      {
        status: 400,
        headers: { 'content-type': 'application/json' },
        body: () => upTo(1000 * MB, 'x', '{"error":{"message":"No. '),
      },
      'The server refused the request. (HTTP 400 (its first 64 KiB): {"error":{"message":"No. xxx',
    ],
    [
      '1 GB in 1 MB of gzip',
      { status: 500, gzip: true, body: () => upTo(1000 * MB, 'x') },
      'The server reported an error. (HTTP 500 (its first 64 KiB): xxx',
    ],
  ])('an error of %s', { timeout: 120_000 }, async (_case, flood, words) => {
    const { code, stderr, peak, sent } = await execAgainst(flood, wire);
    expect([code, stderr.slice(0, 'tiller: '.length + words.length)]).toEqual([1, `tiller: ${words}`]);
    expect(peak).toBeLessThan(MOST_MEMORY);
    // At most the buffers of the sockets.
    expect(sent).toBeLessThan(50 * MB);
  });
});

// Beside each other: they wait most of their time.
describe.concurrent.each(WIRES)('a server that keeps the connection busy and sends no response, on %s', (wire) => {
  const every200ms = (piece: string) =>
    async function* () {
      for (;;) {
        yield piece;
        await new Promise((resolve) => setTimeout(resolve, 200));
      }
    };

  it('an error that never ends is reported by its status', { timeout: 60_000 }, async () => {
    const flood: Flood = {
      status: 503,
      async *body() {
        yield 'Too much';
        await new Promise(() => {});
      },
    };
    const { code, stderr } = await execAgainst(flood, wire);
    expect([code, stderr.split('\n')[0]]).toEqual([
      1,
      'tiller: The server is overloaded. (HTTP 503 (incomplete): Too much)',
    ]);
  });

  it.each([
    ['comments', ': keep-alive\n\n'],
    ['one byte at a time', ' '],
    ['events that say nothing', event({ type: 'keepalive' })],
  ])('%s: fails when the time for a part of an answer is over', { timeout: 60_000 }, async (_case, piece) => {
    const more = ['-c', 'stream.progressTimeoutMs=1500', '-c', 'retry.maxAttempts=6'];
    const { code, stderr } = await execAgainst({ body: every200ms(piece) }, wire, more);
    expect([code, stderr.split('\n')[0]]).toEqual([
      1,
      'tiller: The server kept the connection open for 2 seconds without a part of an answer. ' +
        '(The limit is the setting stream.progressTimeoutMs.)',
    ]);
  });
});

describe.each(WIRES)('the limits are settings, on %s', (wire) => {
  const answer = (): Iterable<string> => [delta(wire, 'x'.repeat(2000)), delta(wire, 'y'.repeat(2000))];

  it.each([
    ['stream.maxEventBytes=2000', 'The server sent one event of more than 2000 bytes.'],
    ['stream.maxResponseBytes=3072', 'The server sent more than 3 KiB in one response.'],
  ])('%s', async (setting, sentence) => {
    const { code, stderr } = await execAgainst({ body: answer }, wire, ['-c', setting]);
    expect(code).toBe(1);
    expect(stderr).toContain(sentence);
  });

  it('stream.maxErrorBytes', async () => {
    const flood: Flood = { status: 500, body: () => ['0123456789'.repeat(100)] };
    const { stderr } = await execAgainst(flood, wire, ['-c', 'stream.maxErrorBytes=12']);
    expect(stderr).toContain('(HTTP 500 (its first 12 bytes): 012345678901)');
  });
});
