// `npm start [-- SEED]`: builds Tiller, makes a small project with a failing test, lets Tiller repair it with the demo
// model and tells what happens. Ends with 0 only if the project's own test passes afterwards.
import { spawn, spawnSync } from 'node:child_process';
import { createWriteStream, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { ensureInstalled, root } from './bootstrap.mjs';

const MARKS = { completed: '✓', in_progress: '▸', pending: '·' };
const PROMPT = 'The tests of this project fail. Find out why, repair the code, and run the tests again.';

const seed = Number(process.argv[2] ?? Math.floor(Math.random() * 1_000_000));
if (!Number.isInteger(seed) || seed < 0) {
  console.error('Usage: npm start [-- SEED], where SEED is a whole number.');
  process.exit(2);
}

ensureInstalled();
const { build } = await import('./build.mjs');
const { generateSample, writeSample } = await import('./sample.mjs');

say('Building Tiller …');
await build();

const artifacts = path.join(root, 'artifacts', 'start');
rmSync(artifacts, { recursive: true, force: true });
mkdirSync(artifacts, { recursive: true });
const transcript = path.join(artifacts, 'transcript.jsonl');

const sample = mkdtempSync(path.join(tmpdir(), 'tiller-sample-'));
const project = generateSample(seed);
await writeSample(sample, project);
say(`A fresh project, "${project.title}" (seed ${seed}), is in ${sample}.`);
if (testPasses()) fail('Its test should fail and does not; there is nothing to show.');
say(`Its test fails. Asking Tiller: "${PROMPT}"`);

const code = await runTiller();
const passes = testPasses();
say('');
say(`The sample:     ${sample}`);
say(`The transcript: ${transcript}`);
if (code !== 0) fail(`Tiller ended with exit code ${code}.`);
if (!passes) fail("The project's test still fails.");
say("The project's own test passes.");

function testPasses() {
  return spawnSync('npm', ['test'], { cwd: sample, stdio: 'ignore', shell: process.platform === 'win32' }).status === 0;
}

/** Resolves with the exit code. Every event line goes to the transcript and, if it says something, to the terminal. */
function runTiller() {
  const options = ['--demo', '--json', '--cd', sample, '--approval-policy', 'never', '--sandbox', 'danger-full-access'];
  const child = spawn(process.execPath, [path.join(root, 'dist', 'cli.js'), 'exec', ...options, '--', PROMPT], {
    // A home of its own: the demonstration neither reads nor changes the person's settings.
    env: { ...process.env, TILLER_HOME: path.join(artifacts, 'home') },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const record = createWriteStream(transcript);
  createInterface({ input: child.stdout }).on('line', (line) => {
    record.write(`${line}\n`);
    for (const text of inPlainWords(JSON.parse(line).msg)) say(text);
  });
  return new Promise((resolve) => {
    child.on('error', (error) => fail(error.message));
    child.on('close', (exitCode, signal) => record.end(() => resolve(exitCode ?? signal)));
  });
}

/** What an event says to somebody who watches: no line, one or several. */
function inPlainWords(msg) {
  switch (msg.type) {
    case 'thread_started':
      return [`Model ${msg.model}, policy ${msg.approvalPolicy}, sandbox ${msg.sandbox}.`];
    case 'plan_updated':
      return ['Plan:', ...msg.steps.map(({ step, status }) => `  ${MARKS[status]} ${step}`)];
    case 'item_started':
      return msg.item.type === 'command_execution' ? [`Runs: ${msg.item.command}`] : [];
    case 'item_completed':
      return itemInPlainWords(msg.item);
    case 'stream_error':
      return [`The model's answer broke off (${msg.kind}); attempt ${msg.attempt} of ${msg.of}.`];
    case 'warning':
      return [`Warning: ${msg.message}`];
    case 'error':
      return [`Error: ${msg.message}`];
    case 'turn_aborted':
      return [`The turn was aborted: ${msg.reason}.`];
    default:
      return [];
  }
}

function itemInPlainWords(item) {
  switch (item.type) {
    case 'agent_message':
      return [`Says: ${indent(item.text.trim())}`];
    case 'command_execution':
      return [`  → ${item.status}, exit code ${item.exitCode ?? '–'}, ${Math.round(item.durationMs)} ms`];
    case 'file_change':
      return [
        `Patch ${item.status}:`,
        ...item.changes.map(({ kind, path: file, added, removed }) => `  ${kind} ${file} (+${added} −${removed})`),
        ...item.diff
          .split('\n')
          .filter((line) => /^[-+](?![-+]{2})/.test(line))
          .map((line) => `    ${line}`),
      ];
    default:
      return [];
  }
}

function indent(text) {
  return text.replaceAll('\n', '\n      ');
}

function say(text) {
  console.log(text);
}

function fail(sentence) {
  console.error(sentence);
  process.exit(1);
}
