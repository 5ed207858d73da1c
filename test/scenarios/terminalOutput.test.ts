/** Text of a model, a program or a server on the command line: it cannot control the terminal. */
import { writeFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { createExec } from '../../src/node/exec.ts';
import { fails, ModelServer, says, type Step } from '../support/modelServer.ts';
import { builtCli, runCli } from '../support/runCli.ts';
import { tempFolder, type TempFolder } from '../support/tempFolder.ts';

/** The clipboard (OSC 52), a cleared screen, the cursor (CSI of one character), a changed text direction. */
const STEERING = 'A\u001B]52;c;cm0gLXJm\u0007B\u001B[2J\u001B[HC\u009B2JD\u202Eltr\u0000E\rF';
const SHOWN = 'A\\u{1b}]52;c;cm0gLXJm\\u{7}B\\u{1b}[2J\\u{1b}[HC\\u{9b}2JD\\u{202e}ltr\\u{0}E\\u{d}F';
const TEXT = `${STEERING}\r\nfamily \u{1F469}\u200D\u{1F467}\n\tdone`;
/** Control characters; a terminal itself ends its lines with both. */
const OBEYED = /[^\P{Cc}\r\n\t]|[\u202A-\u202E\u2066-\u2069]/u;

/** Runs `tiller` in a terminal to its end. Returns what the terminal shows. */
async function runInTerminal(args: readonly string[], folder: TempFolder): Promise<{ code: number; screen: string }> {
  const child = await createExec({ home: folder.at('exec') }).spawn({
    argv: [process.execPath, await builtCli(), ...args],
    cwd: folder.path,
    env: { PATH: process.env.PATH ?? '', HOME: folder.path, TILLER_HOME: folder.at('tiller') },
    stdin: 'none',
    confinement: { type: 'none' },
    tty: { columns: 2000, rows: 50 },
  });
  const pieces: Uint8Array[] = [];
  child.onOutput(({ bytes }) => void pieces.push(bytes));
  const { code } = await child.exited;
  return { code, screen: Buffer.concat(pieces).toString('utf8') };
}

async function execJob(answers: readonly Step[]) {
  const server = await ModelServer.start((_request) => answers);
  const job = ['exec', '--model', 'm', '--base-url', server.baseUrl, '--sandbox', 'danger-full-access'];
  return { server, job: [...job, '-c', 'retry.maxAttempts=1'] };
}

it('an answer is shown on a terminal with its control characters escaped', async () => {
  using folder = tempFolder();
  const { server, job } = await execJob([says(TEXT)]);
  await using _server = server;
  const { code, screen } = await runInTerminal([...job, 'go'], folder);
  expect(code).toBe(0);
  const lines = screen.split('\r\n');
  expect(lines.slice(0, 2)).toEqual([SHOWN, 'family \u{1F469}\u200D\u{1F467}']);
  expect(screen).not.toMatch(OBEYED);
});

it('the same answer keeps its bytes in a pipe', async () => {
  using folder = tempFolder();
  const { server, job } = await execJob([says(TEXT)]);
  await using _server = server;
  const { stdout } = await runCli([...job, 'go'], { home: folder.path });
  expect(stdout).toBe(`${TEXT}\n`);
});

it('events are the same JSON on a terminal, with every invisible character escaped', async () => {
  using folder = tempFolder();
  const { server, job } = await execJob([says(TEXT)]);
  await using _server = server;
  const { screen } = await runInTerminal([...job, '--json', 'go'], folder);
  expect(screen).not.toMatch(OBEYED);
  const events = screen.split('\r\n').filter((line) => line.startsWith('{'));
  const last = events.map((line) => JSON.parse(line).msg).find(({ type }) => type === 'turn_completed');
  expect(last).toEqual({ type: 'turn_completed', lastMessage: TEXT });
});

it.each([
  ['an error of the server', [fails(400, { message: `No. ${STEERING}` })]],
  ['a status and a page', [fails(500, `<title>${STEERING}</title>`)]],
])('%s is shown as text', async (_case, answers) => {
  using folder = tempFolder();
  const { server, job } = await execJob(answers);
  await using _server = server;
  const { code, screen } = await runInTerminal([...job, 'go'], folder);
  expect(code).toBe(1);
  expect(screen).toContain('tiller: The server');
  expect(screen).not.toMatch(OBEYED);
});

it.each([
  ['a command that does not exist', [`nonsense${STEERING}`]],
  ['an option', ['exec', `--nonsense${STEERING}`]],
  ['a thread', ['exec', '--demo', 'resume', `id${STEERING}`, 'go']],
  ['a setting', ['exec', '-c', `no${STEERING}=1`, 'go']],
  ['a rule', ['execpolicy', 'check', '--rules', 'rules.json', '--', `ls${STEERING}`]],
  ['a patch', ['apply-patch', `*** Begin Patch\n*** Delete File: a${STEERING}\n*** End Patch`]],
  ['a folder', ['sandbox', '--cd', `a${STEERING}`, '--', 'true']],
])('a message about %s is text without control characters', async (_case, args) => {
  using folder = tempFolder();
  const rule = { pattern: ['ls'], decision: 'allow', justification: STEERING };
  writeFileSync(folder.at('rules.json'), JSON.stringify({ version: 1, rules: [rule] }));
  // A NUL cannot be part of an argument.
  const { screen } = await runInTerminal(
    args.map((arg) => arg.replaceAll('\0', '')),
    folder,
  );
  expect(screen).toContain('2JD');
  expect(screen).not.toMatch(OBEYED);
});
