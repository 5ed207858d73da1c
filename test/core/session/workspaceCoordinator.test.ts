import { expect, test } from 'vitest';
import type { Exec, ExecExit, FileChange, Ports } from '../../../src/core/ports.ts';
import { commandsIn, WorkspaceCoordinator } from '../../../src/core/session/workspaceCoordinator.ts';
import { createNodePorts } from '../../../src/node/ports.ts';
import { decidedHere } from '../../support/decided.ts';
import { tempFolder } from '../../support/tempFolder.ts';

const addition = (path: string, text: string, before: string | null): FileChange => ({
  kind: 'add',
  path,
  text,
  before,
});

interface Deps extends Disposable {
  readonly ports: Ports;
  readonly at: (name: string) => string;
  readonly end: () => void;
}

/** Real files, and a command that runs until the test ends it. */
function deps(): Deps {
  const folder = tempFolder();
  const home = tempFolder();
  let end = () => {};
  const exited = new Promise<ExecExit>((resolve) => {
    end = () => resolve({ code: 0, signal: null });
  });
  const exec: Exec = {
    spawn: async () => ({
      pid: 1,
      exited,
      onOutput: () => {},
      write: () => {},
      resize: () => {},
      kill: async () => {},
    }),
  };
  const ports = createNodePorts({ roots: [folder.path], environment: { TILLER_HOME: home.path } });
  return {
    ports: { ...ports, exec },
    at: (name) => folder.at(name),
    end,
    [Symbol.dispose]: () => {
      folder[Symbol.dispose]();
      home[Symbol.dispose]();
    },
  };
}

test('a plan that became stale by another thread names it; one that became stale otherwise does not', async () => {
  const coordinator = new WorkspaceCoordinator();
  using here = deps();
  const { ports, at } = here;
  const applies = ['first', 'second'].map((thread) =>
    coordinator.portsFor(thread, ports).workspace.apply([decidedHere(addition(at('a.txt'), 'a\n', null))]),
  );
  const results = await Promise.all(applies);
  expect(new Set(results.map((result) => result.type))).toEqual(new Set(['applied', 'stale']));
  expect(results.find((result) => result.type === 'stale')).toMatchObject({ byAnotherThread: true });
  const winner = results[0]?.type === 'applied' ? 'first' : 'second';
  expect(coordinator.lastWriter(at('a.txt'))).toBe(winner);
  expect(coordinator.lastWriter(at('b.txt'))).toBeUndefined();

  const own = coordinator.portsFor(winner, ports).workspace;
  expect(await own.apply([decidedHere(addition(at('a.txt'), 'b\n', null))])).toEqual({
    type: 'stale',
    paths: [at('a.txt')],
  });
});

test('the commands of a thread are visible to other threads until they end', async () => {
  const coordinator = new WorkspaceCoordinator();
  using here = deps();
  const { ports, at, end } = here;
  const { exec } = coordinator.portsFor('first', ports);
  const process = await exec.spawn({
    argv: ['make', 'all'],
    cwd: at('.'),
    env: {},
    stdin: 'none',
    confinement: { type: 'none' },
  });
  expect(coordinator.commandsOfOthers('first')).toEqual([]);
  expect(coordinator.commandsOfOthers('second')).toEqual([{ threadId: 'first', argv: ['make', 'all'], cwd: at('.') }]);
  end();
  await process.exited;
  expect(coordinator.commandsOfOthers('second')).toEqual([]);
});

test('commands of a sub-agent count as those of its root thread', async () => {
  const coordinator = new WorkspaceCoordinator();
  using here = deps();
  const { exec } = coordinator.portsFor('child', here.ports, 'root');
  await exec.spawn({ argv: ['make'], cwd: here.at('.'), env: {}, stdin: 'none', confinement: { type: 'none' } });
  expect(coordinator.commandsOfOthers('root')).toEqual([]);
  expect(coordinator.commandsOfOthers('other')).toEqual([{ threadId: 'root', argv: ['make'], cwd: here.at('.') }]);
  here.end();
});

test.each([
  ['in the same folder', '/work/app', [{ threadId: 'other', command: 'npm test && echo done' }]],
  ['in a folder below it', '/work/app/src', [{ threadId: 'other', command: 'npm test && echo done' }]],
  ['in a folder above it', '/work', [{ threadId: 'other', command: 'npm test && echo done' }]],
  ['in one that only begins like it', '/work/apple', []],
])('a command %s is reported as it was typed', (_where, cwd, expected) => {
  const running = [{ threadId: 'other', argv: ['/bin/bash', '-lc', 'npm test && echo done'], cwd: '/work/app' }];
  expect(commandsIn(cwd, running)).toEqual(expected);
});
