// The demonstration without VS Code: the same agent on the command line, with full access, since no user approves.
import { spawn } from 'node:child_process';
import { createWriteStream } from 'node:fs';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { root } from '../bootstrap.mjs';
import { inPlainWords } from './plainWords.mjs';
import { TASK } from './sampleProject.mjs';

/**
 * Runs the task on the command line. Resolves with the exit code. Every event is written to
 * `artifacts/transcript.jsonl`; those with a text are printed, too.
 */
export function repairOnCommandLine(folder, artifacts) {
  const options = ['--demo', '--json', '--cd', folder, '--approval-policy', 'never', '--sandbox', 'danger-full-access'];
  const child = spawn(process.execPath, [path.join(root, 'dist', 'cli.js'), 'exec', ...options, '--', TASK], {
    // It has its own home, so that the demonstration neither reads nor changes the user's settings.
    env: { ...process.env, TILLER_HOME: path.join(artifacts, 'home') },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const record = createWriteStream(path.join(artifacts, 'transcript.jsonl'));
  createInterface({ input: child.stdout }).on('line', (line) => {
    record.write(`${line}\n`);
    for (const text of inPlainWords(JSON.parse(line).msg)) console.log(text);
  });
  return new Promise((resolve, reject) => {
    child.on('error', reject);
    child.on('close', (code) => record.end(() => resolve(code ?? 1)));
  });
}
