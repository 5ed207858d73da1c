import { HttpModels } from '../core/model/httpModels.ts';
import type { ProviderConfig } from '../core/model/provider.ts';
import { secretsInSettings } from '../core/model/providerSecrets.ts';
import { describeDropped } from '../core/rollout/replay.ts';
import { resolveSandbox } from '../core/sandbox/resolveSandbox.ts';
import { AgentService } from '../core/agent/agentService.ts';
import type { LiveThreads } from '../core/agent/liveThreads.ts';
import { limitsIn, providerById, providerOf, threadSettingsOf } from '../core/agent/threadSettings.ts';
import type { Ports } from '../core/ports.ts';
import type { Session } from '../core/session/session.ts';
import type { ThreadHost, ThreadSettings } from '../core/session/sessionOptions.ts';
import { storeCodeCaches } from '../node/codeCache.ts';
import { createNodePorts } from '../node/ports.ts';
import { NotifyProgram } from '../node/process/notifyProgram.ts';
import { sweepProcesses } from '../node/process/processRecord.ts';
import { sweepSandboxes } from '../node/sandbox/sweep.ts';
import { sandboxSupport } from '../node/sandbox/support.ts';
import { describeHost } from '../node/host/host.ts';
import { providerNames } from '../protocol/knownProviders.ts';
import type { Settings } from '../protocol/settings.ts';
import { AFTER_KILL, BASELINE_WORKER, IMAGE_WORKER } from './programs.ts';
import type { ExecArguments } from './execArguments.ts';
import { type Opening, readTask } from './execTask.ts';
import { loadCustomizations } from './customizations.ts';
import { HeapCollection } from './heapCollection.ts';
import { type ExecMcp, startMcp } from './mcp.ts';
import { readSubmissions, type Submit } from './jsonlInput.ts';
import { printSentence } from './print.ts';
import { settleInterrupted } from './recoverPatches.ts';
import { remedyOf } from './remedy.ts';
import { Report } from './report.ts';
import { onTermination } from './signals.ts';
import type { Streams } from './streams.ts';
import { Failure, UsageError } from './usage.ts';

/** `tiller exec`: runs one task in a folder (docs/cli.md). Resolves with the exit code. @throws UsageError */
export async function exec(
  argv: readonly string[],
  streams: Streams,
  { version, storeOwnCache }: { readonly version: string; readonly storeOwnCache: () => void },
): Promise<number> {
  const say = (line: string) => printSentence(streams.stderr, line);
  const { args, cwd, writable, home, settings, model, opening, baseInstructions } = await readTask(argv, streams, say);
  const demo = args.demo ? await startDemo() : undefined;
  let mcp: ExecMcp | undefined;
  try {
    const provider = demo ? demoProvider(demo.baseUrl, settings) : namedProvider(settings);
    const ports = createPorts(settings, provider, cwd, storeOwnCache);
    const http = new HttpModels(ports, version);
    // The server describes its models while the following steps run; the result is needed when the thread is opened.
    const learned = demo === undefined ? http.learn(provider, model, LEARN_WITHIN_MS) : undefined;
    await settleInterrupted(home, ports.locks, say);
    await sweepProcesses(home);
    await sweepSandboxes(home, ports.locks);
    const service = new AgentService(ports, { version, originator: 'cli' });
    const report = new Report(args.json, streams, (error) => remedyOf(error, provider));
    const customizations = await loadCustomizations(ports, settings, cwd, say);
    mcp = startMcp(ports, settings, { cwd, version });
    const threadHost: ThreadHost = {
      ...COMMON_HOST,
      ...modelsFor(settings, provider, http),
      interactive: args.input === 'jsonl',
      pace: () => report.caughtUp(),
      toolProviders: mcp.toolProviders,
      ...customizations,
    };
    const thread = threadSettingsOf(settings, {
      model,
      cwd,
      writable,
      baseInstructions,
      // On the command line, no user reviews a patch before it is applied. It is applied, and the events contain the
      // diff.
      review: 'after',
      sandboxFor: threadHost.sandboxFor,
    });
    const sayWithoutKeys = (line: string) => say(ports.keys.hide(line));
    const notifies = startNotifying(service.live, ports, settings, sayWithoutKeys);
    await learned;
    const session = await open(service, args, [thread, threadHost], say);
    const code = await run(session, service.live, opening, args, { streams, report, mcp, say: sayWithoutKeys });
    await Promise.all([notifies(), service.memoriesWritten()]);
    return code;
  } finally {
    await mcp?.close();
    await demo?.close();
  }
}

/** Parts of the host that are the same for every thread of the command line. */
const COMMON_HOST = {
  // The flags or their defaults apply, not the thread's stored settings.
  keepsSettings: false,
  sandboxFor: (policy) => resolveSandbox(policy, sandboxSupport),
  isTrusted: () => true,
} satisfies Partial<ThreadHost>;

/** Maximum milliseconds for a local server to describe its models. */
const LEARN_WITHIN_MS = 2000;

/**
 * Creates the ports of the process. `storeOwnCache` is called before a collection of the heap, like `storeCodeCaches`.
 */
function createPorts(settings: Settings, provider: ProviderConfig, cwd: string, storeOwnCache: () => void): Ports {
  const heap = new HeapCollection({
    log: (reason) => ports.log.warn(`the heap cannot be collected: ${reason}`),
    before() {
      storeOwnCache();
      storeCodeCaches();
    },
  });
  const ports: Ports = createNodePorts({
    roots: [cwd],
    baseUrl: provider.baseUrl,
    keys: secretsInSettings(settings, describeHost().environment),
    usesEnvironmentProxy: true,
    onRequestSent: () => void heap.collectIfDue(),
    afterKill: AFTER_KILL,
    baselineWorker: BASELINE_WORKER,
    imageWorker: IMAGE_WORKER,
  });
  return ports;
}

function modelsFor(
  settings: Settings,
  provider: ProviderConfig,
  http: HttpModels,
): Pick<ThreadHost, 'models' | 'modelsOf'> {
  return {
    models: http.of(provider),
    modelsOf(id) {
      const known = providerById(settings, id);
      return known && http.of(known);
    },
  };
}

/**
 * Starts the notify program after each turn. The returned function resolves when all its runs so far have been started.
 */
function startNotifying(
  live: LiveThreads,
  { host, keys }: Ports,
  settings: Settings,
  say: (line: string) => void,
): () => Promise<void> {
  const notifyProgram = new NotifyProgram({
    settings: () => settings,
    environment: host.environment,
    redactor: keys,
    warn: (reason) => say(`the program of the setting "notify" was not started: ${reason}`),
  });
  let notified = Promise.resolve();
  live.onEvent((update) => {
    notified = notified.then(() => notifyProgram.take(update));
  });
  return () => notified;
}

async function open(
  service: AgentService,
  args: ExecArguments,
  thread: readonly [ThreadSettings, ThreadHost],
  say: (line: string) => void,
): Promise<Session> {
  const { from } = args;
  if (from === null) return service.start(...thread);
  const resumed = await (from.verb === 'fork'
    ? service.fork(from.thread, null, ...thread)
    : service.resume(from.thread, ...thread));
  if (resumed.type === 'owned') {
    throw new UsageError(`the thread is open in another process (${resumed.owner.name}, ${resumed.owner.pid})`);
  }
  if (resumed.type === 'refused')
    throw resumed.isFault ? new Failure(resumed.message) : new UsageError(resumed.message);
  const leftOut = describeDropped(resumed.dropped);
  if (leftOut !== undefined) say(leftOut);
  return resumed.session;
}

async function run(
  session: Session,
  live: LiveThreads,
  opening: Opening,
  args: ExecArguments,
  {
    streams,
    report,
    mcp,
    say,
  }: {
    readonly streams: Streams;
    readonly report: Report;
    readonly mcp: Pick<ExecMcp, 'waitForAll'>;
    readonly say: (line: string) => void;
  },
): Promise<number> {
  const { threadId } = session;
  const submit: Submit = (id, op) => live.submit(threadId, op, id);
  const events = live.onEmitted((event) => report.tell(event, threadId));
  const termination = onTermination(() => submit('signal', { type: 'interrupt' }));
  try {
    session.start();
    await termination.orStopped(mcp.waitForAll(say));
    if (opening.input !== null && termination.exitCode === undefined) {
      const { input, outputSchema } = opening;
      submit('prompt', { type: 'user_turn', input, ...(outputSchema ? { outputSchema } : {}) });
    }
    if (args.input === 'jsonl') {
      await termination.orStopped(Promise.race([readSubmissions(streams.stdin, submit, say), session.closed]));
      session.endOfInput();
    }
    // The agents that the thread has started end their work first.
    await termination.orTooLate(live.idle(threadId));
    await termination.orTooLate(live.close(threadId, 'end'));
    report.flush();
    await termination.orTooLate(report.caughtUp() ?? Promise.resolve());
    report.close(threadId);
    return termination.exitCode ?? report.exitCode;
  } finally {
    report.flush();
    events.dispose();
    termination.dispose();
  }
}

/**
 * Returns the provider that the settings name.
 * @throws UsageError if there is none
 */
function namedProvider(settings: Settings): ProviderConfig {
  const provider = providerOf(settings);
  if (!provider) {
    const names = providerNames(settings).join(', ');
    throw new UsageError(`there is no provider "${settings.provider}"; known are ${names}`);
  }
  return provider;
}

function demoProvider(baseUrl: string, settings: Settings): ProviderConfig {
  return { id: 'demo', baseUrl, wireApi: settings.wireApi ?? 'responses', auth: 'none', ...limitsIn(settings) };
}

/** Starts the demo model. Its server is imported only here, because other models do not need it. */
async function startDemo() {
  const { startDemoModel } = await import('../node/demoModel/server.ts');
  return startDemoModel({ port: 0 });
}
