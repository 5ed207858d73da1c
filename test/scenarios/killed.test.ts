/**
 * `kill -9` at any moment of a long script: nothing that was shown is lost, nothing runs twice, and the next request is
 * well-formed.
 */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { expect, it } from 'vitest';
import { replay } from '../../src/core/rollout/replay.ts';
import { type Event, isPersisted } from '../../src/protocol/event.ts';
import { calls, ModelServer, says } from '../support/modelServer.ts';
import { startCli } from '../support/runCli.ts';
import { tempFolder, type TempFolder } from '../support/tempFolder.ts';
import { rounds } from '../support/rounds.ts';
import { randomOf } from '../support/random.ts';

const KILLS = rounds(4, 200);
const random = randomOf('killed');
const TURNS = 50;
/** A process is killed after at most this many events. */
const LONGEST_LIFE = 60;

/** Every call is unique: its marker file shows how often it ran. */
const answer = (request: { readonly input: readonly unknown[] }, index: number) => {
  const last = JSON.stringify(request.input.at(-1));
  if (last.includes('_output')) return [says(`Said ${index}.`)];
  if (index % 4 === 3) {
    const lines = Array.from({ length: 50 }, (_, line) => `+${index} ${line}`).join('\n');
    return [calls('apply_patch', { input: `*** Begin Patch\n*** Add File: patch-${index}\n${lines}\n*** End Patch` })];
  }
  return [says('Running.'), calls('exec_command', { cmd: `echo run-${index} >> log; sleep 0.0${index % 3}` })];
};

interface Life {
  readonly events: readonly Event[];
  readonly turns: number;
}

/** Sends one message after the other until it is killed, a moment after this many events; without a kill, two. */
async function live(folder: TempFolder, flags: readonly string[], resume: boolean, kill: number | null): Promise<Life> {
  const verb = resume ? ['resume', '--last'] : [];
  const child = await startCli(['exec', '--json', '--input', 'jsonl', ...flags, ...verb], { home: folder.path });
  const say = () => {
    const op = { type: 'user_turn', input: [{ type: 'text', text: 'go on' }] };
    if (child.stdin.writable) child.stdin.write(`${JSON.stringify({ op })}\n`);
  };
  child.stdin.on('error', () => {});
  const events: Event[] = [];
  let turns = 0;
  for await (const line of createInterface({ input: child.stdout })) {
    const event = wholeEvent(line);
    if (event === undefined) continue;
    events.push(event);
    if (events.length === kill) setTimeout(() => child.kill('SIGKILL'), random.below(31));
    const { type } = event.msg;
    if (type === 'thread_started') {
      say();
    } else if (type === 'turn_completed') {
      turns++;
      // At least one of two turns runs a command.
      if (kill === null && turns === 2) child.stdin.end();
      else say();
    }
  }
  const { code, stderr } = await child.ended;
  if (kill === null) expect([code, stderr]).toEqual([0, expect.any(String)]);
  return { events, turns };
}

/** The last line of a killed process may be torn. */
function wholeEvent(line: string): Event | undefined {
  try {
    return JSON.parse(line);
  } catch {
    return undefined;
  }
}

function rollouts(folder: TempFolder): readonly string[] {
  // Killed before it had written a line.
  if (!existsSync(folder.at('tiller/threads'))) return [];
  return readdirSync(folder.at('tiller/threads'), { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.jsonl'))
    .toSorted()
    .map((file) => readFileSync(folder.at('tiller/threads', file), 'utf8'));
}

const asRecorded = ({ turnId, submissionId, msg }: Event) => JSON.stringify({ turnId, submissionId, msg });

it(
  `loses nothing to ${KILLS} kills`,
  async () => {
    using folder = tempFolder();
    await using server = await ModelServer.start(answer);
    const flags = ['--model', 'm', '--base-url', server.baseUrl, '--sandbox', 'danger-full-access'];
    let turns = 0;
    // A process that was killed before its first turn leaves nothing to resume.
    let hasThread = false;
    let torn = 0;
    for (let kills = 0; kills < KILLS; kills++) {
      const isNew = !hasThread || turns >= TURNS;
      if (isNew) turns = 0;
      // A part of the lives each, so that few kills, too, come before the first command and after several.
      const eventsUntilKill =
        1 + Math.floor((kills * LONGEST_LIFE) / KILLS) + random.below(Math.ceil(LONGEST_LIFE / KILLS));
      const life = await live(folder, flags, !isNew, eventsUntilKill);
      turns += life.turns;

      const text = rollouts(folder).at(-1);
      if (text === undefined) continue;
      const read = replay(text);
      // Killed while it wrote the first line of a new thread: then it has reported nothing either.
      if (read.type !== 'thread') {
        expect(life.events.filter(({ msg }) => isPersisted(msg))).toEqual([]);
        continue;
      }
      hasThread = true;
      torn = Math.max(torn, read.thread.dropped);
      const recorded = new Set(text.split('\n').map((line) => line.replace(/^.*?"payload":/, '').slice(0, -1)));
      const isInTurn = life.events.some(({ msg }) => msg.type === 'item_completed');
      const lost = life.events.filter(
        (event) => isInTurn && isPersisted(event.msg) && !recorded.has(asRecorded(event)),
      );
      expect(lost).toEqual([]);
    }
    await live(folder, flags, hasThread, null);

    const ran = readFileSync(folder.at('log'), 'utf8').trim().split('\n');
    expect(new Set(ran).size).toBe(ran.length);
    for (const file of readdirSync(folder.path).filter((name) => name.startsWith('patch-'))) {
      expect(readFileSync(folder.at(file), 'utf8').split('\n')).toHaveLength(51);
    }
    expect(torn).toBeLessThanOrEqual(KILLS);
    expect(ran.length).toBeGreaterThanOrEqual(KILLS / 4);
  },
  60_000 + KILLS * 4000,
);
