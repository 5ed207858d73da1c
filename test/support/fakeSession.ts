/** A real Session with working fakes of its ports: it uses no disk, process, network or time. */
import { type ModelClient, ModelFault, type Prompt, type ResponseEvent } from '../../src/core/model/client.ts';
import type { ModelClientFactory } from '../../src/core/model/modelClientFactory.ts';
import { capabilitiesOf } from '../../src/core/model/families.ts';
import { dialectOf } from '../../src/core/model/provider.ts';
import type { Clock, Exec, ExecExit, ExecProcess, Ids, Ports } from '../../src/core/ports.ts';
import { ROLLOUT_FORMAT, ROLLOUT_VERSION, type SessionMeta } from '../../src/core/rollout/line.ts';
import { type ReplayedThread, replay } from '../../src/core/rollout/replay.ts';
import { DaySpending } from '../../src/core/session/daySpending.ts';
import { EventSequence } from '../../src/core/session/events.ts';
import { Ownership } from '../../src/core/session/ownership.ts';
import { Session } from '../../src/core/session/session.ts';
import type { ThreadSettings } from '../../src/core/session/sessionOptions.ts';
import { RulesStore } from '../../src/core/rules/rulesStore.ts';
import { SecretRedactor } from '../../src/core/util/secretRedactor.ts';
import type { AuditEntry } from '../../src/protocol/audit.ts';
import type { Event, EventMsg } from '../../src/protocol/event.ts';
import type { Op } from '../../src/protocol/op.ts';
import { sandboxPolicySchema } from '../../src/protocol/policy.ts';
import type { ThreadState } from '../../src/protocol/thread.ts';
import { threadReducer } from '../../src/protocol/threadReducer.ts';
import { THREAD_DEFAULTS } from './threadDefaults.ts';
import { inTimeZone } from './timeZone.ts';
import { memoryLocks } from './memoryLocks.ts';
import { createWebGet } from '../../src/node/network/webGet.ts';
import { createImages } from '../../src/node/images/images.ts';
import { createRegexps } from '../../src/node/host/regexps.ts';
import { MemoryStorage } from './memoryStorage.ts';
import { MemoryWorkspace } from './memoryWorkspace.ts';

/** The actions of the model, in order. A response is complete unless a step ends it in another way. */
export type ModelStep =
  | { readonly type: 'says'; readonly text: string }
  | { readonly type: 'thinks'; readonly text: string }
  | { readonly type: 'calls'; readonly name: string; readonly arguments: string; readonly callId?: string }
  | { readonly type: 'patches'; readonly patch: string }
  | { readonly type: 'waits'; readonly ticks: number }
  | { readonly type: 'hangs' }
  | { readonly type: 'goes_on' }
  | { readonly type: 'fails'; readonly retryable: boolean }
  /** The server refuses the request because it is longer than the context window. */
  | { readonly type: 'is_too_long' };

/** The path of the rollout; all threads of this file use it. */
export const PATH = 'threads/2026/11/21/rollout-2026-11-21T00-00-00-thread.jsonl';
const NOW = new Date('2026-11-21T00:00:00.000Z');

/** Waits for one turn of the event loop: afterwards, all code has run that does not wait for another event. */
export function tick(): Promise<void> {
  return new Promise((resolve) => {
    setImmediate(resolve);
  });
}

export class FakeModel implements ModelClient {
  readonly prompts: Prompt[] = [];
  readonly #answers: readonly (readonly ModelStep[])[];

  /** Returns the scripted answers in order, then "Done.". */
  constructor(answers: readonly (readonly ModelStep[])[]) {
    this.#answers = answers;
  }

  async *stream(prompt: Prompt, signal: AbortSignal): AsyncIterable<ResponseEvent> {
    const index = this.prompts.push({ ...prompt, input: structuredClone(prompt.input) }) - 1;
    let endTurn = true;
    for (const [place, step] of (this.#answers[index] ?? [{ type: 'says', text: 'Done.' }]).entries()) {
      signal.throwIfAborted();
      const key = `${place}`;
      if (step.type === 'goes_on') endTurn = false;
      else if (step.type === 'waits') for (let left = step.ticks; left > 0; left--) await tick();
      else if (step.type === 'hangs') await until(signal);
      else if (step.type === 'fails') {
        throw new ModelFault('network', 'The line is dead.', { retryable: step.retryable });
      } else if (step.type === 'is_too_long') {
        throw new ModelFault('context_exceeded', 'The thread is too long.', { retryable: false });
      } else yield* eventsOf(step, key, `call_${index}_${place}`);
      signal.throwIfAborted();
    }
    yield { type: 'completed', usage: null, endTurn };
  }
}

type Said = Extract<ModelStep, { type: 'says' | 'thinks' | 'calls' | 'patches' }>;

function* eventsOf(step: Said, key: string, callId: string): Iterable<ResponseEvent> {
  switch (step.type) {
    case 'says': {
      yield { type: 'item_started', key, kind: 'message' };
      for (const text of step.text.match(/.{1,3}/gs) ?? []) yield { type: 'text_delta', key, text };
      const content = [{ type: 'output_text' as const, text: step.text }];
      yield { type: 'item_done', key, item: { type: 'message', role: 'assistant', content } };
      return;
    }
    case 'thinks':
      yield { type: 'item_started', key, kind: 'reasoning' };
      yield { type: 'reasoning_summary_delta', key, text: step.text };
      yield {
        type: 'item_done',
        key,
        item: { type: 'reasoning', summary: [{ type: 'summary_text', text: step.text }] },
      };
      return;
    case 'calls':
      yield {
        type: 'item_done',
        key,
        item: {
          type: 'function_call',
          call_id: step.callId ?? callId,
          name: step.name,
          arguments: step.arguments,
        },
      };
      return;
    case 'patches': {
      yield { type: 'item_started', key, kind: 'tool_call', name: 'apply_patch' };
      yield { type: 'call_delta', key, name: 'apply_patch', kind: 'input', text: step.patch };
      const item = { type: 'custom_tool_call' as const, call_id: callId, name: 'apply_patch', input: step.patch };
      yield { type: 'item_done', key, item };
      return;
    }
  }
}

function until(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason), { once: true });
  });
}

/**
 * The name of a command determines what it does: `slow` runs until it is killed, `broken` cannot be started, `fail`
 * exits with 1.
 */
class FakeExec implements Exec {
  running = 0;

  async spawn({ argv }: { argv: readonly string[] }): Promise<ExecProcess> {
    const script = argv.at(-1) ?? '';
    await tick();
    if (script.includes('broken')) throw new Error('The program could not be started.');
    this.running++;
    let end: (exit: ExecExit) => void = () => {};
    const exited = new Promise<ExecExit>((resolve) => {
      end = resolve;
    }).finally(() => this.running--);
    const kill = async () => {
      await tick();
      end({ code: 143, signal: 'SIGTERM' });
    };
    const finish = async () => {
      await tick();
      end({ code: script.includes('fail') ? 1 : 0, signal: null });
    };
    return {
      pid: 1,
      exited,
      onOutput(listener) {
        listener({ stream: 'stdout', bytes: Buffer.from(`${script}\n`) });
        if (!script.includes('slow')) void finish();
      },
      write() {},
      resize() {},
      kill,
    };
  }
}

const clock: Clock = {
  now: () => NOW,
  monotonic: () => 0,
  async sleep(_milliseconds, signal) {
    await tick();
    signal?.throwIfAborted();
  },
  after: () => () => {},
};

/** The number of processes so far, so that each gets its own id. */
let processes = 0;

function fakeIds(): Ids {
  const process = processes++;
  let count = 0;
  return { uuid: () => `uuid-${count++}`, next: (prefix) => `${prefix}_${process}_${count++}`, random: () => 0.5 };
}

export interface FakeSessionOptions {
  readonly answers?: readonly (readonly ModelStep[])[];
  readonly settings?: Partial<ThreadSettings['turn']>;
  readonly maxToolRounds?: number;
  readonly compactionTokens?: number | null;
  readonly interactive?: boolean;
  readonly storage?: MemoryStorage;
  readonly workspace?: MemoryWorkspace;
  /**
   * Wraps each port that may fail (disk, programs, network) and the host, so that a test can make them throw errors.
   */
  readonly between?: <Port extends object>(port: Port, name: string) => Port;
}

export class FakeSession {
  readonly session: Session;
  readonly model: FakeModel;
  readonly storage: MemoryStorage;
  readonly workspace: MemoryWorkspace;
  readonly exec = new FakeExec();
  readonly events: Event[] = [];
  readonly errors: unknown[] = [];
  readonly audit: AuditEntry[] = [];
  state: ThreadState;
  #ids = 0;

  constructor(options: FakeSessionOptions = {}) {
    const { answers = [], settings, storage, workspace, maxToolRounds = 8, interactive = true } = options;
    const { compactionTokens = null, between = (port) => port } = options;
    this.model = new FakeModel(answers);
    this.storage = storage ?? new MemoryStorage();
    this.workspace = workspace ?? new MemoryWorkspace({ 'a.txt': 'one\n' });
    const log = { debug() {}, info() {}, warn() {}, error: (...error: unknown[]) => void this.errors.push(error) };
    const ports: Ports = {
      keys: new SecretRedactor(),
      workspace: between(this.workspace, 'workspace'),
      exec: between<Exec>(this.exec, 'exec'),
      storage: between(this.storage, 'storage'),
      audit: between<Ports['audit']>(
        { append: (entry) => void this.audit.push(entry), latest: async () => this.audit },
        'audit',
      ),
      locks: between(memoryLocks(), 'locks'),
      fetch: async () => new Response(),
      secrets: { keyFor: async () => undefined },
      clock,
      ids: fakeIds(),
      regexps: createRegexps(),
      images: createImages(),
      web: createWebGet(),
      log,
      host: {
        platform: 'linux',
        homeDirectory: '/home/me',
        shell: '/bin/bash',
        ...inTimeZone('UTC'),
        environment: {},
      },
    };
    const provider = { id: 'fake', baseUrl: 'http://127.0.0.1/v1', wireApi: 'responses' as const };
    const sandboxPolicy = sandboxPolicySchema.parse({ type: 'danger-full-access' });
    const replayed = this.#replayed();
    this.session = new Session({
      ports,
      sequence: new EventSequence(),
      meta: replayed?.meta ?? meta,
      rolloutPath: PATH,
      ownership: new Ownership(ports.locks, 'thread', () => {}),
      replayed,
      settings: {
        turn: {
          model: 'm',
          effort: null,
          summary: 'auto',
          cwd: '/work',
          approvalPolicy: 'on-request',
          sandboxPolicy,
          box: 'none',
          ...settings,
        },
        limits: {
          ...THREAD_DEFAULTS.limits,
          maxToolRounds,
          maxAttempts: 3,
          compactionTokens,
          undoMaxBytes: 0,
          projectDocMaxBytes: 0,
        },
        prompt: { ...THREAD_DEFAULTS.prompt, skillTokens: 0, showRawReasoning: false },
        tools: { ...THREAD_DEFAULTS.tools, problemsAfterPatch: 'off', unreadable: [] },
        agents: { ...THREAD_DEFAULTS.agents, tools: 'none', sideCopies: 'never' },
        approvals: THREAD_DEFAULTS.approvals,
      },
      host: {
        models: between<ModelClientFactory>(
          {
            id: provider.id,
            defaultModel: null,
            connect: () => ({
              client: this.model,
              family: capabilitiesOf('m', dialectOf(provider), 'responses'),
              prices: null,
            }),
          },
          'models',
        ),
        interactive,
        keepsSettings: true,
        sandboxFor: () => ({ box: 'none' }),
        isTrusted: () => true,
      },
      rules: new RulesStore(ports),
      daySpending: new DaySpending(ports),
    });
    this.state = this.session.initialState;
    this.session.onEvent((event) => {
      this.events.push(event);
      this.state = threadReducer(this.state, event);
    });
    this.session.start();
  }

  /** Submits an op. Returns the id of the submission. */
  submit(op: Op): string {
    const id = `op-${++this.#ids}`;
    this.session.submit({ id, op });
    return id;
  }

  say(text: string): string {
    return this.submit({ type: 'user_turn', input: [{ type: 'text', text }] });
  }

  get messages(): EventMsg[] {
    return this.events.map(({ msg }) => msg);
  }

  said<Type extends EventMsg['type']>(type: Type): Extract<EventMsg, { type: Type }>[] {
    return this.messages.filter((msg): msg is Extract<EventMsg, { type: Type }> => msg.type === type);
  }

  /** Resolves when `count` events of this type have been emitted, including earlier ones. */
  async until(type: EventMsg['type'], count = 1): Promise<void> {
    for (let left = 1000; this.said(type).length < count; left--) {
      if (left === 0) throw new Error(`${type} never came: ${JSON.stringify(this.messages.map((msg) => msg.type))}`);
      await tick();
    }
  }

  /** Returns the thread as its rollout contains it. */
  rollout(): ReplayedThread {
    const thread = this.#replayed();
    if (!thread) throw new Error('nothing was written');
    return thread;
  }

  #replayed(): ReplayedThread | null {
    const text = this.storage.files.get(PATH);
    if (!text) return null;
    const result = replay(text);
    if (result.type === 'unreadable') throw new Error(result.message);
    return result.thread;
  }
}

const meta: SessionMeta = {
  format: ROLLOUT_FORMAT,
  version: ROLLOUT_VERSION,
  id: 'thread',
  timestamp: NOW.toISOString(),
  cwd: '/work',
  originator: 'cli',
  tiller_version: '0.0.0',
  model: 'm',
  provider: 'fake',
  instructions: 'You are Tiller.',
};
