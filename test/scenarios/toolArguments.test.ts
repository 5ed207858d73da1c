// What a model gets back for missing, wrong and extra arguments.
import { expect, it } from 'vitest';
import { calls, says } from '../support/modelServer.ts';
import { startScenario } from '../support/startScenario.ts';

async function outputsOf(...model: ReturnType<typeof calls>[]): Promise<string[]> {
  await using chat = await startScenario({
    policy: 'never',
    sandbox: 'danger-full-access',
    model: [model, [says('.')]],
  });
  await chat.send('go');
  return chat.outputs();
}

it('an argument that is unknown is named, and the call runs without it', async () => {
  const [output] = await outputsOf(calls('exec_command', { cmd: 'echo ran', colour: 'red', ['x'.repeat(99)]: 1 }));
  expect(output).toContain('Output:\nran\n');
  expect(output).toMatch(new RegExp(`\nNote: this tool has no argument colour, x{40}; it was ignored\\.$`));
});

it('timeout is taken for timeout_ms', async () => {
  const [output] = await outputsOf(calls('exec_command', { cmd: 'sleep 60', timeout: 300 }));
  expect(output).toContain('command timed out after 300 milliseconds');
  expect(output).not.toContain('Note:');
});

it('missing and wrong arguments are named, and nothing runs', async () => {
  expect(
    await outputsOf(
      calls('exec_command', {}),
      calls('exec_command', { cmd: 5 }),
      calls('write_stdin', { session_id: 'one' }),
      calls('update_plan', { plan: 'none' }),
    ),
  ).toEqual([
    'Failed to parse the arguments: cmd: Invalid input: expected string, received undefined. Nothing was run.',
    'Failed to parse the arguments: cmd: Invalid input: expected string, received number. Nothing was run.',
    'Failed to parse the arguments: session_id: Invalid input: expected number, received string. Nothing was run.',
    'Failed to parse the arguments: plan: Invalid input: expected array, received string. Nothing was run.',
  ]);
});
