/** The availability of a sandbox on this machine, determined with and without blocking the process. */
import { expect, test, vi } from 'vitest';
import { tryOut, tryOutBeside } from '../../../src/node/host/ownPrograms.ts';

/** Imports the module as in a new process, which has tried nothing yet. */
async function untried() {
  vi.resetModules();
  return import('../../../src/node/sandbox/support.ts');
}

test('the sandbox mechanism found without blocking is the same as the one found by blocking', async () => {
  const blocking = (await untried()).sandboxMachinery();
  const beside = await untried();
  await beside.prepareSandbox('win32');
  // The prepared result is used from then on.
  expect(beside.sandboxMachinery('linux')).toMatchObject({ type: 'none', cause: expect.stringContaining('Windows') });
  const again = await untried();
  await again.prepareSandbox();
  expect(again.sandboxMachinery('win32')).toEqual(blocking);
});

test.each([
  ['works', { program: '/bin/cat', args: ['-'], input: new Uint8Array([10]) }],
  ['fails with a reason', { program: '/bin/sh', args: ['-c', 'echo no >&2; exit 3'] }],
  ['fails without one', { program: '/bin/false', args: [] }],
])('a trial that %s has the same result both ways', async (_what, trial) => {
  expect(await tryOutBeside(trial)).toEqual(tryOut(trial));
});

test('a missing program is named', async () => {
  const result = await tryOutBeside({ program: '/no/such/program', args: [] });
  expect(result).toEqual({ works: false, stderr: expect.stringContaining('/no/such/program ENOENT') });
});
