/**
 * One session, thousands of commands, one after the other: none leaves anything in memory. A fifth
 * as many in the sandbox.
 */
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { noSandbox } from '../support/sandboxed.ts';
import { calls, ModelServer, says, type Step } from '../support/modelServer.ts';
import { startCli } from '../support/runCli.ts';
import { tempFolder } from '../support/tempFolder.ts';
import { rounds } from '../support/rounds.ts';

const COMMANDS = rounds(60, 2000);
/** Commands of one response of the model. */
const BATCH = 20;
/** Megabytes that all values of Tiller must fit in, including what a thread remembers of its commands. */
const HEAP = 64 + Math.ceil(COMMANDS / 100);

interface Sample {
  readonly descriptors: number;
  readonly children: number;
}

function sampleOf(pid: number): Sample {
  const tasks = readdirSync(`/proc/${pid}/task`);
  const children = tasks.flatMap(
    (task) => readFileSync(`/proc/${pid}/task/${task}/children`, 'utf8').match(/\d+/g) ?? [],
  );
  return { descriptors: readdirSync(`/proc/${pid}/fd`).length, children: children.length };
}

describe.skipIf(process.platform !== 'linux')('many commands in a row', () => {
  it.each([
    ['plain', 'danger-full-access', COMMANDS],
    ['boxed', 'workspace-write', Math.ceil(COMMANDS / 5)],
  ] as const)(
    'leave nothing behind, %s',
    async (_, sandbox, count) => {
      if (sandbox === 'workspace-write' && noSandbox !== false) return;
      using folder = tempFolder();
      const samples: Sample[] = [];
      let pid = 0;
      let told = 0;
      await using server = await ModelServer.start(({ input }): readonly Step[] => {
        const ended = input.filter((item) => JSON.stringify(item).includes('exited with code 0')).length;
        server.requests.splice(0);
        expect(ended).toBe(told);
        if (told > 0) samples.push(sampleOf(pid));
        if (told >= count) return [says('Done.')];
        const from = told;
        told += Math.min(BATCH, count - told);
        return Array.from({ length: told - from }, (_step, index) =>
          calls('exec_command', { cmd: `echo ${from + index}` }),
        );
      });
      const model = ['--model', 'm', '--base-url', server.baseUrl, '-c', `maxToolRounds=${count + 1}`];
      const policy = ['--approval-policy', 'never', '--sandbox', sandbox];
      const child = await startCli(['exec', ...policy, ...model, 'go'], {
        home: folder.path,
        env: { NODE_OPTIONS: `--max-old-space-size=${HEAP}` },
      });
      pid = child.pid ?? 0;
      child.stdin.end();
      const { code, stdout, stderr } = await child.ended;
      // A leaked listener is reported on stderr, and a full heap ends the process.
      expect({ code, stdout, stderr }).toEqual({
        code: 0,
        stdout: 'Done.\n',
        stderr: expect.stringMatching(/^thread \S+\n$/),
      });
      expect(told).toBe(count);
      // A sandbox that commands have shared ends a moment after the last of them.
      const ending = sandbox === 'workspace-write' ? 1 : 0;
      expect(Math.max(...samples.map(({ children }) => children))).toBeLessThanOrEqual(ending);
      expect(samples.filter(({ children }) => children > 0).length).toBeLessThan(samples.length / 2);
      const [first, last] = [samples[0], samples.at(-1)];
      expect(last?.descriptors).toBeLessThanOrEqual((first?.descriptors ?? 0) + 1);
      expect(readdirSync(folder.path)).toEqual(['tiller']);
      const left = readdirSync(folder.at('tiller'), { recursive: true, encoding: 'utf8' })
        // The path of the workspace below the thread’s own /tmp.
        .filter((name) => path.basename(name) !== path.basename(folder.path));
      expect(
        left.filter((name) => /^(tmp\/[^/]+\/.|processes\/.|logs\/commands\/.|box\/mounts\/.)/.test(name)),
      ).toEqual([]);
    },
    600_000,
  );
});
