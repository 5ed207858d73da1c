import type { TurnSettings } from '../../protocol/event.ts';
import { type ModelClient, ModelFault } from '../model/client.ts';
import type { RefusedFields } from '../model/fieldFallback.ts';
import { pricesOf } from '../model/prices.ts';
import { createModelClient, dialectOf, type ProviderConfig } from '../model/provider.ts';
import { capabilitiesOf } from '../model/families.ts';

import type { Ports } from '../ports.ts';
import { BASE_INSTRUCTIONS } from '../prompt/baseInstructions.ts';
import { ROLLOUT_FORMAT, ROLLOUT_VERSION, type SessionMeta } from '../rollout/line.ts';
import { rolloutPath } from '../rollout/recorder.ts';
import { type ReplayedThread, replay } from '../rollout/replay.ts';
import { RulesStore } from '../rules/rulesStore.ts';
import { summarize, type ThreadSummary } from '../rollout/summary.ts';
import { EventSequence } from './events.ts';
import { Session } from './session.ts';
import type { ConnectedModel, SessionOptions } from './sessionOptions.ts';

/** What a front door settles before a thread starts or is taken up. */
export interface ThreadConfig
  extends Pick<
    SessionOptions,
    | 'review'
    | 'boxFor'
    | 'isTrusted'
    | 'onProposal'
    | 'undoTurn'
    | 'interactive'
    | 'showRawReasoning'
    | 'maxToolRounds'
    | 'maxAttempts'
    | 'verbosity'
    | 'projectDocMaxBytes'
    | 'projectDocFallbackFilenames'
    | 'userInstructions'
  > {
  readonly settings: TurnSettings;
  readonly provider: ProviderConfig;
  /** Instead of our own. */
  readonly baseInstructions: string | null;
  /** A thread that is taken up goes on under the settings it had, as far as it has the same provider. */
  readonly keepsSettings: boolean;
}

export type Resumed =
  | { readonly type: 'resumed'; readonly session: Session; readonly dropped: number }
  | { readonly type: 'refused'; readonly message: string };

/** Fails when it is asked: what the person said stands in the thread, and `retry` finds it when a model is selected. */
const NO_MODEL: ModelClient = {
  stream() {
    throw new ModelFault('config', 'No model is selected.', { retryable: false, action: 'select_model' });
  },
};

/** Starts threads and takes them up again: one per process, whichever front door it has. */
export class SessionManager {
  readonly #ports: Ports;
  readonly #version: string;
  readonly #originator: SessionMeta['originator'];
  readonly #sequence = new EventSequence();
  /** By provider, as long as this process lives: a new thread is not refused what an old one was. */
  readonly #refused = new Map<string, RefusedFields>();
  /** Of all threads of this process. */
  readonly rules: RulesStore;

  constructor(ports: Ports, options: { readonly version: string; readonly originator: SessionMeta['originator'] }) {
    this.#ports = ports;
    this.rules = new RulesStore(ports);
    this.#version = options.version;
    this.#originator = options.originator;
  }

  async start(config: ThreadConfig): Promise<Session> {
    const { ids, clock } = this.#ports;
    const threadId = ids.uuid();
    const startedAt = clock.now();
    const meta: SessionMeta = {
      format: ROLLOUT_FORMAT,
      version: ROLLOUT_VERSION,
      id: threadId,
      timestamp: startedAt.toISOString(),
      cwd: config.settings.cwd,
      originator: this.#originator,
      tiller_version: this.#version,
      model: config.settings.model,
      provider: config.provider.id,
      instructions: config.baseInstructions ?? BASE_INSTRUCTIONS,
    };
    return this.#session(config, meta, rolloutPath(threadId, startedAt), null);
  }

  /** `last` is the thread that was started last. */
  async resume(which: { readonly id: string } | 'last', config: ThreadConfig): Promise<Resumed> {
    const path = await this.#find(which);
    if (path === undefined) {
      return {
        type: 'refused',
        message: which === 'last' ? 'there is no thread yet' : `there is no thread ${which.id}`,
      };
    }
    const read = replay((await this.#ports.storage.readText(path)) ?? '');
    if (read.type === 'unreadable') return { type: 'refused', message: `${path}: ${read.message}` };
    const { thread } = read;
    if (thread.readOnly) {
      return { type: 'refused', message: `${path} was written by a newer Tiller and can only be read` };
    }
    const session = await this.#session(continued(config, thread), thread.meta, path, thread);
    return { type: 'resumed', session, dropped: thread.dropped };
  }

  /** Newest first, at most `limit`. Files that are not threads are left out. */
  async list(limit: number): Promise<readonly ThreadSummary[]> {
    const { storage } = this.#ports;
    const paths = (await this.#rollouts()).toReversed().slice(0, limit);
    const read = async (path: string) => summarize((await storage.readText(path)) ?? '', path);
    return (await Promise.all(paths.map(read))).filter((summary) => summary !== undefined);
  }

  /** Oldest first: their names begin with the time. */
  async #rollouts(): Promise<readonly string[]> {
    return (await this.#ports.storage.listFiles('threads')).filter((path) => path.endsWith('.jsonl'));
  }

  async #find(which: { readonly id: string } | 'last'): Promise<string | undefined> {
    const rollouts = await this.#rollouts();
    return which === 'last' ? rollouts.at(-1) : rollouts.find((path) => path.endsWith(`-${which.id}.jsonl`));
  }

  async #session(
    config: ThreadConfig,
    meta: SessionMeta,
    path: string,
    replayed: ReplayedThread | null,
  ): Promise<Session> {
    return new Session({
      ...config,
      ports: this.#ports,
      sequence: this.#sequence,
      meta,
      rolloutPath: path,
      replayed,
      rules: this.rules,
      connect: this.#connector(config.provider),
    });
  }

  #refusedBy({ id, baseUrl, wireApi }: ProviderConfig): RefusedFields {
    const key = JSON.stringify([id, baseUrl, wireApi]);
    const refused: RefusedFields = this.#refused.get(key) ?? new Set();
    this.#refused.set(key, refused);
    return refused;
  }

  /** One client per thread, which keeps its connections; what the provider refuses, all threads know. */
  #connector(provider: ProviderConfig): (model: string) => ConnectedModel {
    const { fetch, secrets, clock, ids, log } = this.#ports;
    const userAgent = `tiller/${this.#version}`;
    const refused = this.#refusedBy(provider);
    const client = createModelClient(provider, { fetch, secrets, clock, ids, log, userAgent, refused });
    return (model) => {
      const family = capabilitiesOf(model, dialectOf(provider), provider.wireApi);
      const told = Object.hasOwn(provider.models ?? {}, model) ? provider.models?.[model] : undefined;
      return {
        client: model === '' ? NO_MODEL : client,
        family: { ...family, contextWindow: told?.contextWindow ?? family.contextWindow },
        prices: pricesOf(told),
      };
    };
  }
}

/** What the thread's last turn ran under; the box is the one of this machine and this day. */
function continued(config: ThreadConfig, { meta, state, settings }: ReplayedThread): ThreadConfig {
  const last = state.settings ?? settings;
  if (!config.keepsSettings || last === null || meta.provider !== config.provider.id) return config;
  return { ...config, settings: { ...last, box: config.boxFor(last.sandboxPolicy) } };
}
