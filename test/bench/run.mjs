// One agent, one scripted job, in a home and a folder of its own; measured by the server and /proc.
import { fork, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, readFileSync, readdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { newScratch } from './scratch.mjs';

const SAMPLE_MS = 100;
const LIMIT_MS = 180_000;
const now = () => Number(process.hrtime.bigint()) / 1e6;

export async function startServer() {
  const child = fork(path.join(import.meta.dirname, 'server.mjs'), { execArgv: [] });
  const stop = () => {
    throw new Error('The scripted server ended; its last output is above.');
  };
  child.on('exit', stop);
  const ask = async (message) => {
    child.send(message);
    return (await once(child, 'message'))[0];
  };
  const [{ port }] = await once(child, 'message');
  return {
    url: `http://127.0.0.1:${port}/v1`,
    begin: (script) => ask({ type: 'begin', script }),
    report: () => ask({ type: 'report' }),
    close() {
      child.off('exit', stop);
      child.disconnect();
    },
  };
}

/**
 * Resolves with { coldStartMs, perTurnMs[], streamMs, breaks[], firstBytes, requestBytes[], peakMiB, stdoutBytes, wallMs }; rejects when
 * the agent did not finish the job, with its last output.
 */
export async function runAgent(
  agent,
  program,
  server,
  { turns, deltas, quiet, boxed = false, files = 0, writes = false, cats = 0, sleeps = false },
) {
  const scratch = newScratch();
  const home = path.join(scratch, 'home');
  const cwd = path.join(scratch, 'work');
  for (const folder of [home, cwd]) mkdirSync(folder);
  fill(cwd, files);
  await server.begin({ turns, deltas, writes, cats, sleeps });
  const { argv, env = {} } = agent.command(program, { url: server.url, home, turns, quiet, boxed });
  const startedAt = now();
  const outcome = await runToEnd(argv, cwd, { ...privateEnvironment(home), ...env });
  const { requests } = await server.report();
  if (outcome.failure || requests.length !== turns + 1) {
    const why = outcome.failure ?? `made ${requests.length} of ${turns + 1} requests`;
    throw new Error(`${why}: ${outcome.lastOutput}`);
  }
  return {
    coldStartMs: requests[0].arrivedAt - startedAt,
    perTurnMs: requests.slice(1).map((request, i) => request.arrivedAt - requests[i].doneAt),
    streamMs: requests[1].arrivedAt - requests[0].firstByteAt,
    breaks: requests.map(({ prefix }) => prefix).filter((prefix) => prefix !== null),
    firstBytes: requests[0].bytes,
    requestBytes: requests.map(({ bytes }) => bytes),
    peakMiB: outcome.peakMiB,
    stdoutBytes: outcome.stdoutBytes,
    wallMs: now() - startedAt,
  };
}

/** A workspace of a given size: twenty files to a folder, twenty folders to a folder. */
export function fill(folder, files) {
  for (let file = 0; file < files; file++) {
    const inner = path.join(folder, `group${Math.floor(file / 400)}`, `part${Math.floor(file / 20)}`);
    if (file % 20 === 0) mkdirSync(inner, { recursive: true });
    writeFileSync(path.join(inner, `file${file}.txt`), 'words\n');
  }
}

/** Nothing of the caller's environment: no keys, no settings. Connections to other machines meet a closed port. */
function privateEnvironment(home) {
  const nowhere = 'http://127.0.0.1:9';
  return {
    PATH: process.env.PATH,
    LANG: 'C.UTF-8',
    HOME: home,
    TMPDIR: home,
    XDG_CONFIG_HOME: path.join(home, '.config'),
    XDG_DATA_HOME: path.join(home, '.local', 'share'),
    TILLER_HOME: path.join(home, 'tiller'),
    HTTP_PROXY: nowhere,
    HTTPS_PROXY: nowhere,
    ALL_PROXY: nowhere,
    NO_PROXY: '127.0.0.1,localhost',
  };
}

function runToEnd([command, ...args], cwd, env) {
  const child = spawn(command, args, { cwd, env, detached: true, stdio: ['ignore', 'pipe', 'pipe'] });
  const outcome = { failure: null, stdoutBytes: 0, peakMiB: 0, lastOutput: '' };
  const keep = (chunk) => (outcome.lastOutput = (outcome.lastOutput + chunk).slice(-400));
  child.stdout.on('data', (chunk) => {
    outcome.stdoutBytes += chunk.length;
    keep(chunk.subarray(-400));
  });
  child.stderr.on('data', keep);
  const sampler = setInterval(() => {
    outcome.peakMiB = Math.max(outcome.peakMiB, child.pid ? treeMiB(child.pid) : 0);
  }, SAMPLE_MS);
  const limit = setTimeout(() => {
    outcome.failure = `not done after ${LIMIT_MS / 1000} s`;
    if (child.pid) process.kill(-child.pid, 'SIGKILL');
  }, LIMIT_MS);
  return new Promise((resolve) => {
    const end = (failure) => {
      clearInterval(sampler);
      clearTimeout(limit);
      outcome.failure ??= failure;
      resolve(outcome);
    };
    child.on('error', (error) => end(error.message));
    child.on('close', (code, signal) => end(code === 0 ? null : `ended with ${signal ?? code}`));
  });
}

/**
 * Memory of a process and all its descendants; 0 where there is no /proc. Shared pages count once (PSS), because a fresh
 * fork shares all pages of its parent and would otherwise double the figure at the moment of a fork.
 */
function treeMiB(pid) {
  try {
    const kib = Number(/^Pss:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/smaps_rollup`, 'utf8'))?.[1] ?? 0);
    const children = readdirSync(`/proc/${pid}/task`).flatMap((task) =>
      readFileSync(`/proc/${pid}/task/${task}/children`, 'utf8').split(' ').filter(Boolean),
    );
    return kib / 1024 + children.reduce((total, child) => total + treeMiB(Number(child)), 0);
  } catch {
    return 0;
  }
}
