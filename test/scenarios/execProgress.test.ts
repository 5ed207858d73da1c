/** The lines of `tiller exec` on stderr while a turn runs. */
import { expect, it } from 'vitest';
import { Report } from '../../src/cli/report.ts';
import type { Streams } from '../../src/cli/streams.ts';
import { calls, says } from '../support/modelServer.ts';
import { type Scenario, startScenario } from '../support/startScenario.ts';

const PATCH = '*** Begin Patch\n*** Add File: b.txt\n+two\n*** Update File: a.txt\n@@\n-one\n+1\n*** End Patch';

/** The lines on stderr about the events of a thread. */
function reported({ events, session }: Scenario, { isTTY, json }: { isTTY: boolean; json: boolean }): string[] {
  let written = '';
  const stderr = { isTTY, write: (text: string) => (written += text) };
  const streams = { stderr, stdout: { write: () => true } } as unknown as Streams;
  const report = new Report(json, streams, () => undefined);
  for (const event of events) report.tell(event, session.threadId);
  return written.split('\n').slice(0, -1);
}

it('shows the steps on a terminal, and everywhere but beside events what was not approved', async () => {
  await using chat = await startScenario({
    interactive: false,
    sandbox: 'danger-full-access',
    modelName: 'qwen3',
    files: { 'a.txt': 'one\n' },
    model: [
      [calls('read_file', { file_path: 'a.txt' })],
      [calls('read_file', { file_path: 'none.txt' })],
      [calls('exec_command', { cmd: 'exit 3' })],
      [says('Now the patch.'), calls('apply_patch', { input: PATCH })],
      [calls('exec_command', { cmd: 'rm -rf src' })],
      [calls('exec_command', { cmd: 'rm -rf test' })],
      [says('Done.')],
    ],
  });
  await chat.send('go');
  const notDone = (command: string) =>
    `tiller: Not done, because it needs approval and nobody can be asked: ${command} (It can permanently delete your work.)`;
  const remedy = 'tiller: Rules in rules.json, --sandbox and --approval-policy set what needs approval.';
  expect(reported(chat, { isTTY: true, json: false })).toEqual([
    'read_file a.txt',
    'read_file none.txt (failed)',
    '$ exit 3',
    'exit code 3',
    'A b.txt',
    'M a.txt',
    '$ rm -rf src',
    notDone('rm -rf src'),
    remedy,
    '$ rm -rf test',
    notDone('rm -rf test'),
  ]);
  expect(reported(chat, { isTTY: false, json: false })).toEqual([
    notDone('rm -rf src'),
    remedy,
    notDone('rm -rf test'),
  ]);
  expect(reported(chat, { isTTY: true, json: true })).toEqual([]);
});
