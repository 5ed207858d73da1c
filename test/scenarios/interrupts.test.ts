/**
 * Commands of every kind, stopped and killed at any moment: none of their processes survives, every call has one output
 * (the scripted server checks each request), and the session continues.
 */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { noSandbox } from '../support/sandboxed.ts';
import { calls, says, type Step } from '../support/modelServer.ts';
import { commandLines } from '../support/processes.ts';
import { type Scenario, startScenario } from '../support/startScenario.ts';
import { rounds } from '../support/rounds.ts';

const RUNS = rounds(1, 100);
const PATIENT = { timeout: 20_000, interval: 20 };

/** Each prints its mark in every command line that it has; `yield_time_ms` sets when it continues in the background. */
const KINDS = {
  quick: (mark: string) => ({ cmd: `echo ${mark}` }),
  silent: (mark: string) => ({ cmd: `sleep 60 # ${mark}` }),
  printing: (mark: string) => ({ cmd: `while true; do echo ${mark}; done` }),
  deaf: (mark: string) => ({ cmd: `trap '' INT TERM; while true; do sleep 0.05; done # ${mark}` }),
  terminal: (mark: string) => ({ cmd: `bash -c 'read -r line # ${mark}'`, tty: true }),
  background: (mark: string) => ({ cmd: `sleep 60 # ${mark}`, yield_time_ms: 250 }),
  'leaving children': (mark: string) => ({
    cmd: `for i in 1 2 3; do setsid -f bash -c 'while sleep 0.02; do echo x >> written; done # ${mark}'; done; sleep 60 # ${mark}`,
  }),
  'a child that outlives it': (mark: string) => ({
    cmd: `setsid -f bash -c 'for i in {1..50}; do sleep 0.02; echo x >> written; done # ${mark}' < /dev/null > /dev/null 2>&1; echo gone`,
  }),
} as const;
type Kind = keyof typeof KINDS;

const steps = fc.array(
  fc.record({
    kind: fc.constantFrom(...(Object.keys(KINDS) as Kind[])),
    act: fc.constantFrom('interrupt' as const, 'kill' as const, 'both' as const),
    after: fc.integer({ min: 0, max: 400 }),
  }),
  { minLength: 1, maxLength: 4 },
);

/** Answers the last message: a request that was aborted may still arrive when the next turn has begun. */
function answer({ input }: { readonly input: readonly Record<string, unknown>[] }): readonly Step[] {
  for (const item of input.toReversed()) {
    if (String(item.type).endsWith('_output')) break;
    const [, kind, mark = ''] = /([\w ]+)\|(tiller-mark[\w-]+)/.exec(JSON.stringify(item)) ?? [];
    if (kind !== undefined && kind in KINDS) return [calls('exec_command', KINDS[kind as Kind](mark))];
  }
  return [says('Done.')];
}

const running = (mark: string) => commandLines().filter((line) => line.includes(mark));
let marks = 0;

function killAll(chat: Scenario): void {
  for (const { processId } of chat.state.processes) chat.submit({ type: 'kill_process', processId });
}

describe('commands that are stopped at any moment', () => {
  it.each(['danger-full-access', 'workspace-write'] as const)(
    'end with all processes they have started (%s)',
    async (sandbox) => {
      const isSandboxed = sandbox === 'workspace-write';
      if (isSandboxed && noSandbox !== false) return;
      const property = fc.asyncProperty(steps, async (chosen) => {
        const thread = `tiller-mark-${process.pid}-${++marks}`;
        {
          await using chat = await startScenario({
            ...(isSandboxed ? { box: 'real' } : {}),
            sandbox,
            policy: 'never',
            model: answer,
          });
          for (const [index, { kind, act, after }] of chosen.entries()) {
            const mark = `${thread}-${index}-`;
            const ended = chat.send(`${kind}|${mark}`);
            await new Promise((resolve) => setTimeout(resolve, after));
            if (act !== 'kill') chat.submit({ type: 'interrupt' });
            const stop = act === 'interrupt' ? () => {} : setInterval(() => killAll(chat), 20);
            const end = await ended;
            if (typeof stop !== 'function') clearInterval(stop);
            expect(['turn_completed', 'turn_aborted']).toContain(end.type);
            killAll(chat);
            // Outside a sandbox a child may outlive a command that has ended by itself, but not the thread.
            const mayStay = !isSandboxed && kind === 'a child that outlives it';
            if (!mayStay) await expect.poll(() => running(mark), PATIENT).toEqual([]);
          }
          expect(await chat.send(`quick|${thread}-last`)).toMatchObject({ type: 'turn_completed' });
          expect(chat.outputs().at(-1)).toContain(`${thread}-last\n`);
          expect(chat.items('command_execution').filter(({ status }) => status === 'in_progress')).toEqual([]);
        }
      });
      await fc.assert(property, { numRuns: RUNS, endOnFailure: true });
    },
    60_000 + RUNS * 20_000,
  );
});
