// Every tool that a model is offered has a row in the transcript and, where it decides something, a line in the audit log.
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, it } from 'vitest';
import { auditEntrySchema } from '../../src/protocol/audit.ts';
import { isOwnTool } from '../../src/core/tools/toolTraits.ts';
import { FakeLanguages } from '../support/fakeLanguages.ts';
import { calls, says } from '../support/modelServer.ts';
import { startScenario } from '../support/startScenario.ts';

const PIXEL = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';
const OPTIONS = ['Left', 'Right'].map((label) => ({ label, description: '' }));

/** Arguments with which each tool does its work here; `null`: a scenario of its own has to prepare more. */
const ARGUMENTS: Readonly<Record<string, object | null>> = {
  exec_command: { cmd: 'echo hello' },
  write_stdin: null,
  apply_patch: { input: '*** Begin Patch\n*** Add File: b.txt\n+b\n*** End Patch\n' },
  read_file: { file_path: 'a.txt' },
  list_dir: { dir_path: '.' },
  grep_files: { pattern: 'one' },
  code_navigation: { op: 'diagnostics' },
  run_tests: {},
  view_image: { path: 'pixel.png' },
  fetch_url: { url: 'https://docs.example/' },
  update_plan: { plan: [{ step: 'Go.', status: 'in_progress' }] },
  request_user_input: { questions: [{ id: 'way', header: 'Way', question: 'Which way?', options: OPTIONS }] },
  get_memory: null,
  task: null,
};
/** For sub-agents: no file of an agent or a skill names it. */
const FOR_AGENTS = ['task'];
/** A plan decides nothing. */
const WITHOUT_AUDIT = ['update_plan'];
/** Their items name no call. */
const WITHOUT_CALL_ID = ['view_image', 'update_plan'];

const web = {
  isPrivate: () => false,
  get: async () => {
    const bytes = Buffer.from('a page');
    return { status: 200, contentType: 'text/plain', location: undefined, isCut: false, bytes };
  },
};

it('each tool that is offered has a row and a line in the audit log', async () => {
  const called = Object.entries(ARGUMENTS).flatMap(([name, args]) => (args === null ? [] : [{ name, args }]));
  await using chat = await startScenario({
    memory: true,
    modelName: 'mystery',
    policy: 'never',
    sandbox: 'danger-full-access',
    files: { 'a.txt': 'one\n', Makefile: 'test:\n\t@echo passed\n' },
    deps: () => ({ web, languages: new FakeLanguages() }),
    model: [called.map(({ name, args }) => calls(name, args, { callId: `call-${name}` })), [says('Done.')]],
  });
  writeFileSync(path.join(chat.folder.path, 'pixel.png'), Buffer.from(PIXEL, 'base64'));
  await chat.send('go');
  const offered = chat.server.requests[0]?.toolNames ?? [];
  expect(offered.toSorted(), 'give a new tool arguments in this file').toEqual(Object.keys(ARGUMENTS).toSorted());
  const unknown = offered.filter((name) => !isOwnTool(name));
  expect(unknown, 'give a new tool its line in src/core/tools/toolTraits.ts').toEqual(FOR_AGENTS);

  const callsOfItems = chat.events.flatMap(({ msg }) => (msg.type === 'item_completed' ? [msg.item] : []));
  const kinds = new Set(callsOfItems.map(({ type }) => type));
  expect([...kinds]).toEqual(
    expect.arrayContaining([
      'command_execution',
      'file_change',
      'file_lookup',
      'code_navigation',
      'image_view',
      'web_fetch',
      'plan',
      'user_question',
    ]),
  );
  const shown = new Set(callsOfItems.map((item) => ('callId' in item ? item.callId : undefined)));
  const hidden = called.map(({ name }) => name).filter((name) => !shown.has(`call-${name}`));
  expect(hidden).toEqual(WITHOUT_CALL_ID);

  const lines = readFileSync(chat.home.at('audit.jsonl'), 'utf8').trimEnd().split('\n');
  const audited = new Set(lines.map((line) => auditEntrySchema.parse(JSON.parse(line)).callId));
  const missing = called.map(({ name }) => name).filter((name) => !audited.has(`call-${name}`));
  expect(missing).toEqual(WITHOUT_AUDIT);
});
