import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { constants } from 'node:os';
import path from 'node:path';
import { secretsInSettings } from '../core/model/providerSecrets.ts';
import { withoutSecrets } from '../core/tools/environment.ts';
import type { ExecRequest, Locks } from '../core/ports.ts';
import { confine, unreadablePaths } from '../core/sandbox/confinement.ts';
import { hostLimits, hostNotes } from '../core/policy/hosts.ts';
import { SecretRedactor } from '../core/util/secretRedactor.ts';
import { describeHost } from '../node/host/host.ts';
import { proxyFor } from '../node/network/proxy/environmentProxy.ts';
import { prepareHome } from '../node/storage/home.ts';
import { makePrivateFolderSync } from '../node/host/privateFiles.ts';
import { keysIn } from '../node/host/secrets.ts';
import { newMark } from '../node/process/processMark.ts';
import { recordCommand, sweepProcesses } from '../node/process/processRecord.ts';
import { Sandboxes, type Launch } from '../node/sandbox/launch.ts';
import { sweepSandboxes } from '../node/sandbox/sweep.ts';
import { sandboxSupport } from '../node/sandbox/support.ts';
import { createLocks } from '../node/storage/locks.ts';
import { createStorage, tillerHome } from '../node/storage/storage.ts';
import { parseHostPattern } from '../protocol/hostPattern.ts';
import { sandboxPolicySchema } from '../protocol/policy.ts';
import { AFTER_KILL } from './programs.ts';
import { folderGiven, requireRoots } from './folders.ts';
import { printSentence } from './print.ts';
import { loadSettings } from './settingsFile.ts';
import type { Streams } from './streams.ts';
import { UsageError } from './usage.ts';
import { parseBeforeCommand } from './parseOptions.ts';
import { messageOf } from '../core/util/fileErrors.ts';

/** The exit code if nothing was run because there is no sandbox. */
const NO_SANDBOX = 125;
/** The program that runs in the sandbox. Like a shell, it exits with 126 or 127 if the command cannot be started. */
const RUN = ['/bin/sh', '-c', 'exec "$@"', 'tiller-sandbox'] as const;
/** Milliseconds for a command to end by itself after Ctrl-C (docs/cli.md). */
const GRACE_MS = 2_000;

/**
 * `tiller sandbox` (docs/cli.md): runs one command in the sandbox, with the streams of this process. Resolves with the
 * command's exit code.
 * @throws UsageError
 */
export async function sandbox(argv: readonly string[], streams: Streams): Promise<number> {
  const args = parse(argv);
  const host = describeHost();
  const home = tillerHome(host.environment, host.platform, host.homeDirectory);
  const say = (line: string) => printSentence(streams.stderr, `tiller: ${line}`);
  const settings = await loadSettings(createStorage(home), { flags: {}, config: [], environment: {} }, say);
  const support = sandboxSupport();
  if (support.type === 'fails') {
    say(`there is no sandbox here, and nothing was run. ${support.cause}`);
    return NO_SANDBOX;
  }
  const problem = await prepareHome(home);
  if (problem !== undefined) {
    say(problem);
    return NO_SANDBOX;
  }
  const keys = new SecretRedactor();
  for (const key of [...keysIn(host.environment), ...secretsInSettings(settings, host.environment)]) keys.hold(key);
  const locks = createLocks(home, 'cli');
  const temporary = args.tmp === null ? await ownFolder(path.join(home, 'tmp'), locks) : givenFolder(args.tmp);
  const policy = { type: args.mode, writableRoots: args.writable, networkAccess: args.network };
  const request: ExecRequest = {
    argv: [...RUN, ...args.command],
    cwd: args.cd,
    env: withoutSecrets(host.environment, settings.environment.keep, keys),
    stdin: 'none',
    confinement: confine(support.box, sandboxPolicySchema.parse(policy), {
      cwd: args.cd,
      platform: host.platform,
      tmpdirVariable: host.environment.TMPDIR,
      temporaryFolder: temporary.path,
      unreadable: unreadablePaths(settings['sandbox.unreadable'], host.homeDirectory, home),
      unreadableGlobs: settings['sandbox.unreadable'],
      hosts: hostLimits(args.hosts, []),
    }),
    ...(streams.stdin.isTTY ? { tty: { columns: streams.stdout.columns, rows: streams.stdout.rows } } : {}),
  };
  try {
    return await run(request, home, { locks, say });
  } finally {
    await temporary.dispose();
  }
}

interface RunDeps {
  readonly locks: Locks;
  readonly say: (line: string) => void;
}

async function run(request: ExecRequest, home: string, { locks, say }: RunDeps): Promise<number> {
  if (request.confinement.type === 'none') return NO_SANDBOX;
  await sweepProcesses(home);
  await sweepSandboxes(home, locks);
  const network = { proxyFor: (url: URL) => proxyFor(url, process.env) };
  const sandboxes = new Sandboxes(home, { afterKill: AFTER_KILL, network });
  let launch: Launch;
  try {
    launch = await sandboxes.launch(request, request.confinement.limits);
  } catch (error) {
    say(messageOf(error));
    return NO_SANDBOX;
  }
  const mark = newMark();
  const record = recordCommand(home, mark.text);
  try {
    const child = spawn(launch.program, launch.args, {
      cwd: request.cwd,
      env: { ...request.env, ...launch.env, ...mark.env },
      stdio: ['inherit', 'inherit', 'inherit', ...launch.descriptors],
    });
    launch.started();
    record.started(child.pid);
    const code = codeOf(child, request.tty !== undefined);
    try {
      await launch.hosts?.ready(code.catch(() => {}));
    } catch (error) {
      child.kill('SIGKILL');
      say(messageOf(error));
      await code;
      return NO_SANDBOX;
    }
    return await code;
  } finally {
    record.ended();
    for (const line of hostNotes(launch.hosts?.report())) say(line);
    for (const { message } of await launch.ended()) say(message);
    await launch.settled();
    sandboxes.dispose();
  }
}

/**
 * Resolves with the exit code. If there is a terminal, the command gets Ctrl-C from it; otherwise its processes are
 * killed after the grace period.
 */
async function codeOf(child: ChildProcess, hasTerminal: boolean): Promise<number> {
  const stop = (signal: NodeJS.Signals) => {
    if (hasTerminal && signal === 'SIGINT') return;
    child.kill(signal);
    setTimeout(() => child.kill('SIGKILL'), GRACE_MS).unref();
  };
  const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;
  for (const signal of signals) process.on(signal, stop);
  try {
    return await new Promise<number>((resolve, reject) => {
      child.once('error', reject);
      child.once('exit', (code, signal) => resolve(code ?? 128 + constants.signals[signal ?? 'SIGKILL']));
    });
  } finally {
    for (const signal of signals) process.off(signal, stop);
  }
}

interface SandboxArguments {
  readonly mode: 'read-only' | 'workspace-write';
  readonly network: boolean;
  readonly hosts: readonly string[];
  readonly writable: readonly string[];
  readonly tmp: string | null;
  readonly cd: string;
  readonly command: readonly string[];
}

const OPTIONS = {
  mode: { type: 'string' },
  network: { type: 'boolean' },
  'allow-host': { type: 'string', multiple: true },
  writable: { type: 'string', multiple: true },
  tmp: { type: 'string' },
  cd: { type: 'string' },
} as const;

/** @throws UsageError */
function parse(argv: readonly string[]): SandboxArguments {
  const { values, command = [] } = parseBeforeCommand(argv, OPTIONS);
  if (command.length === 0) throw new UsageError('no command: give it after --');
  const { mode = 'workspace-write', writable = [], tmp, cd = '.' } = values;
  if (mode !== 'read-only' && mode !== 'workspace-write') {
    throw new UsageError(`--mode ${mode}: must be read-only or workspace-write`);
  }
  const hosts = values['allow-host'] ?? [];
  for (const host of hosts) {
    const parsed = parseHostPattern(host);
    if ('problem' in parsed) throw new UsageError(`--allow-host ${host}: ${parsed.problem}`);
  }
  const args = {
    mode,
    hosts,
    network: values.network ?? false,
    writable: writable.map((given) => folderGiven('--writable', given)),
    tmp: tmp === undefined ? null : folderGiven('--tmp', tmp),
    cd: folderGiven('--cd', cd),
    command,
  } as const;
  if (mode === 'workspace-write') requireRoots([args.cd, ...args.writable]);
  return args;
}

interface TemporaryFolder {
  readonly path: string;
  dispose(): Promise<void>;
}

/** Returns the folder that the user named. It is not removed when the command has ended. */
function givenFolder(folder: string): TemporaryFolder {
  return { path: folder, dispose: async () => {} };
}

/**
 * Creates a temporary folder and holds a lock under its name, so that no other process removes it as unused
 * (node/sandbox/sweep.ts).
 */
async function ownFolder(parent: string, locks: Locks): Promise<TemporaryFolder> {
  makePrivateFolderSync(parent);
  const folder = mkdtempSync(path.join(parent, 'sandbox-'));
  const attempt = await locks.acquire(path.basename(folder));
  return {
    path: folder,
    dispose: async () => {
      rmSync(folder, { recursive: true, force: true });
      if (attempt.type === 'held') await attempt.lock.release();
    },
  };
}
