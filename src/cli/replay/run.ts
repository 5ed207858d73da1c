/**
 * Runs a recorded thread again: a real Session, with a server that answers from the rollout, and with the user's
 * recorded ops.
 */
import type { WireApi } from '../../protocol/providers.ts';
import { AgentService } from '../../core/agent/agentService.ts';
import { HttpModels } from '../../core/model/httpModels.ts';
import type { Dialect } from '../../core/model/families.ts';
import { compareRequests, ExpectedRequests, toolsDiffer } from '../../core/replay/compare.ts';
import { recordedTool } from '../../core/replay/recordedTools.ts';
import {
  type RecordedAnswer,
  type RecordedPart,
  type RecordedTurn,
  replayedDecision,
} from '../../core/replay/recording.ts';
import type { ReplayScript } from '../../core/replay/script.ts';
import { parseLine } from '../../core/rollout/parseLine.ts';
import { rolloutPath } from '../../core/rollout/recorder.ts';
import type { Session } from '../../core/session/session.ts';
import type { Event, EventMsgOf, TurnSettings } from '../../protocol/event.ts';
import type { Op } from '../../protocol/op.ts';
import { isToolCall, type ResponseItem } from '../../protocol/responseItem.ts';
import { EventWaits } from './eventWaits.ts';
import { LearnedSurroundings } from './learnedSurroundings.ts';
import { type ReplayWorld, replayPorts } from './ports.ts';
import { type ReplayServer, startReplayServer } from './server.ts';
import { StopPoint } from './stopPoint.ts';
import { startOf, dialectOf, homeIn, wireOf } from './threadOf.ts';

export type ReplayOutcome =
  | { readonly type: 'same'; readonly requests: number; readonly turns: number }
  | {
      readonly type: 'different';
      /** One sentence. */
      readonly message: string;
      /** The difference of the requests as a unified diff; empty if the difference is not in a request. */
      readonly diff: string;
    };

export interface ReplayOptions {
  /** The wire of the replay; by default the one on which the responses were recorded. */
  readonly wire?: WireApi | undefined;
  /** Milliseconds without an event after which the replay counts as stuck. */
  readonly patienceMs?: number;
}

/** Replays a thread. Stops at the first difference, because later ones may be its consequences. */
export async function runReplay(script: ReplayScript, options: ReplayOptions = {}): Promise<ReplayOutcome> {
  const run = new ReplayRun(script, options);
  try {
    return await run.result();
  } finally {
    await run.close();
  }
}

class Different extends Error {
  readonly diff: string;
  constructor(message: string, diff = '') {
    super(message);
    this.diff = diff;
  }
}

const RESPONSE_ITEM = /^\{"timestamp":"[^"]*","type":"response_item"/gm;
const PATIENCE_MS = 20_000;

class ReplayRun {
  readonly #script: ReplayScript;
  readonly #wire: WireApi;
  readonly #dialect: Dialect;
  readonly #expected: ExpectedRequests;
  readonly #world: ReplayWorld;
  readonly #home: string;
  readonly #surroundings: LearnedSurroundings;
  readonly #stopPoint: StopPoint;
  readonly #waits: EventWaits;
  /** The number of requests that have arrived. */
  #arrived = 0;
  #lastBody: Readonly<Record<string, unknown>> | undefined;
  #part: RecordedPart;
  #turn: RecordedTurn | undefined;
  /** Approvals that were requested in this part, by call id. */
  readonly #asked = new Map<string, number>();
  #session: Session | undefined;
  #server: ReplayServer | undefined;
  #submissions = 0;
  /** Suspends the session; set while a turn runs that its recorded process did not end. */
  #cut: () => void = () => {};

  constructor(script: ReplayScript, { wire, patienceMs = PATIENCE_MS }: ReplayOptions) {
    const [first] = script.parts;
    if (first === undefined) throw new Error('A script has a part.');
    const items = script.lines.flatMap((line) => itemIn(line) ?? []);
    this.#script = script;
    this.#part = first;
    this.#wire = wire ?? wireOf(items);
    this.#dialect = dialectOf(script, items);
    this.#expected = new ExpectedRequests(script, { wire: this.#wire, dialect: this.#dialect });
    this.#home = homeIn(script, first);
    this.#world = {
      now: first.at,
      shell: '/bin/sh',
      timeZone: 'UTC',
      platform: first.started.box === 'seatbelt' ? 'darwin' : 'linux',
      files: new Map(),
      folders: new Set(),
      stored: new Map(),
      onAppend: (text) => this.#stopPoint.addItems(countItems(text)),
    };
    this.#surroundings = new LearnedSurroundings(this.#world);
    this.#stopPoint = new StopPoint((type) => {
      if (type === 'interrupt') this.#submit({ type: 'interrupt' });
      else this.#cut();
    });
    this.#waits = new EventWaits(
      patienceMs,
      () => new Different(`The thread does not go on after request ${this.#arrived}.`),
    );
  }

  async result(): Promise<ReplayOutcome> {
    const { parts, exchanges } = this.#script;
    try {
      const server = await startReplayServer((body) => this.#answer(body));
      this.#server = server;
      for (const [index, part] of parts.entries()) await this.#runPart(part, index, server);
      const left = exchanges.length - this.#arrived;
      if (left > 0) {
        throw new Different(`The recorded response ${this.#arrived + 1} of ${exchanges.length} was not asked for.`);
      }
      const turns = parts.reduce((sum, part) => sum + part.turns.length, 0);
      return { type: 'same', requests: this.#arrived, turns };
    } catch (error) {
      if (error instanceof Different) return { type: 'different', message: error.message, diff: error.diff };
      throw error;
    }
  }

  async close(): Promise<void> {
    await this.#server?.close();
    await this.#session?.suspend();
  }

  async #runPart(part: RecordedPart, index: number, server: ReplayServer): Promise<void> {
    this.#part = part;
    this.#asked.clear();
    this.#world.now = part.at;
    this.#lastBody = undefined;
    const session = await this.#open(part, index, server);
    this.#session = session;
    session.onEvent((event) => this.#onEvent(event));
    const [firstTurn] = part.turns;
    const continues = firstTurn?.input === 'recovered' ? this.#ending(firstTurn) : undefined;
    session.start();
    if (part.tools.length > 0) {
      // A registration under the name of a built-in tool has no effect.
      const tools = [...new Set(part.tools)].map((name) => ({ name, description: '', inputSchema: {} }));
      this.#submit({ type: 'register_tools', tools });
    }
    let settings: TurnSettings | undefined;
    for (const turn of part.turns) {
      if (turn.input === 'recovered') {
        await continues;
        continue;
      }
      const ended = this.#ending(turn);
      if (turn.memory) this.#submit({ type: 'remember', keys: turn.memory.keys, rules: turn.memory.rules });
      this.#world.folders.add(turn.settings.cwd);
      if (JSON.stringify(settings) !== JSON.stringify(turn.settings)) this.#submit(overrideOf(turn.settings));
      settings = turn.settings;
      this.#submit(turn.input === null ? { type: 'retry' } : { type: 'user_turn', input: [...turn.input] });
      await ended;
    }
    if (part.turns.at(-1)?.stop?.type !== 'cut') await session.dispose();
    this.#session = undefined;
  }

  async #open(part: RecordedPart, index: number, server: ReplayServer): Promise<Session> {
    const { meta, lines } = this.#script;
    const ports = replayPorts(this.#world, meta.id, this.#home, new URL(server.baseUrl).origin);
    const agents = new AgentService(ports, { version: meta.tiller_version, originator: meta.originator });
    this.#surroundings.learn(
      lines.slice(0, part.line).flatMap((line) => itemIn(line) ?? []),
      part.started.cwd,
    );
    const models = new HttpModels(ports, meta.tiller_version).of({
      id: meta.provider,
      baseUrl: server.baseUrl,
      wireApi: this.#wire,
      dialect: this.#dialect,
      auth: 'none',
    });
    const start = startOf(this.#script, part, {
      turn: () => this.#turn,
      models,
      listedSkills: async () => this.#surroundings.skills,
      replaceTool: (tool) =>
        recordedTool(tool, {
          call: (callId) => this.#part.calls.get(callId),
          problem: (message) => this.#waits.fail(new Different(message)),
          stopsHere: () => this.#stopPoint.reach(),
        }),
    });
    const inherited = lines.slice(0, part.line).join('\n');
    const isNew = index === 0 && !/"type":"(?:response_item|turn_context)"/.test(inherited);
    if (isNew) {
      this.#world.now = meta.timestamp;
      return agents.start(...start);
    }
    if (index === 0) {
      this.#world.stored.set(rolloutPath(meta.id, new Date(meta.timestamp)), `${inherited}\n`);
      this.#stopPoint.addItems(countItems(`${inherited}\n`));
    }
    const resumed = await agents.resume({ id: meta.id }, ...start);
    if (resumed.type !== 'resumed') {
      throw new Different(
        `The thread cannot be resumed: ${resumed.type === 'refused' ? resumed.message : resumed.type}.`,
      );
    }
    return resumed.session;
  }

  /** Resolves when the turn has ended in the recorded way. */
  async #ending(turn: RecordedTurn): Promise<void> {
    this.#turn = turn;
    this.#stopPoint.begin(turn.stop);
    this.#world.now = turn.at;
    this.#surroundings.learn([...turn.context, ...turn.messages], turn.settings.cwd);
    const isEnd = ({ msg }: Event) => msg.type === 'turn_completed' || msg.type === 'turn_aborted';
    if (turn.stop?.type !== 'cut') return this.#waits.next(isEnd);
    await this.#waits.orFailed(
      new Promise<void>((resolve) => {
        // Called at once when the point is reached, so that nothing more is written.
        this.#cut = () => resolve(this.#session?.suspend());
      }),
    );
  }

  // ---------------------------------------------------------------- what the session does

  async #answer(body: Readonly<Record<string, unknown>>): Promise<RecordedAnswer | undefined> {
    const { exchanges } = this.#script;
    const exchange = exchanges[this.#arrived];
    const number = ++this.#arrived;
    const name = `request ${number} of ${exchanges.length}`;
    if (exchange === undefined) {
      this.#waits.fail(new Different(`Request ${number} was not recorded: the rollout has ${exchanges.length}.`));
      return undefined;
    }
    if (exchange.turnId !== this.#turn?.turnId) {
      this.#waits.fail(
        new Different(`Request ${number} belongs to the turn ${this.#turn?.turnId}, not to ${exchange.turnId}.`),
      );
      return undefined;
    }
    const difference = compareRequests(this.#expected.body(exchange), body, name);
    if (difference !== undefined) {
      const where = difference.where.join(', ');
      this.#waits.fail(new Different(`Request ${number} of ${exchanges.length} differs in ${where}.`, difference.diff));
      return undefined;
    }
    if (this.#lastBody?.['model'] === body['model'] && toolsDiffer(this.#lastBody ?? {}, body)) {
      this.#waits.fail(new Different(`The tools have changed from request ${number - 1} to ${number}.`));
      return undefined;
    }
    this.#lastBody = body;
    for (const steer of exchange.steers) {
      const queued = this.#waits.next(({ msg }) => msg.type === 'input_queued');
      this.#submit({ type: 'steer', input: [...steer] });
      await queued;
    }
    const { answer } = exchange;
    const isLast = exchanges[this.#arrived]?.turnId !== exchange.turnId;
    const isCut = isLast && this.#turn?.stop?.type === 'cut' && !answersCalls(answer);
    if (isCut || (answer.type === 'items' && answer.end === 'waits')) this.#stopPoint.reach();
    return answer;
  }

  #onEvent(event: Event): void {
    this.#waits.note(event);
    const { msg } = event;
    if (msg.type === 'approval_requested') this.#decide(msg);
    this.#stopPoint.note(msg);
  }

  #decide({ approvalId, callId }: EventMsgOf<'approval_requested'>): void {
    const index = this.#asked.get(callId) ?? 0;
    this.#asked.set(callId, index + 1);
    const approval = this.#part.calls.get(callId)?.approvals[index];
    if (approval === undefined) {
      this.#waits.fail(new Different(`The call ${callId} asks for an approval that was not recorded.`));
      return;
    }
    const { resolved } = approval;
    if (resolved === undefined || resolved.by === 'turn_ended') this.#stopPoint.reach();
    else if (resolved.by !== 'non_interactive') {
      const decision = replayedDecision(resolved.decision);
      this.#submit({ type: 'approval', approvalIds: [approvalId], decision });
    }
  }

  // ---------------------------------------------------------------- waiting

  #submit(op: Op): void {
    this.#session?.submit({ id: `replay-${++this.#submissions}`, op });
  }
}

function answersCalls(answer: RecordedAnswer): boolean {
  return answer.type === 'items' && answer.items.some(isToolCall);
}

function overrideOf({
  model,
  provider,
  effort,
  summary,
  cwd,
  approvalPolicy,
  sandboxPolicy,
  planMode,
}: TurnSettings): Op {
  const named = provider === undefined ? {} : { provider };
  const box = sandboxPolicy;
  const policy = approvalPolicy;
  const isPlanMode = planMode === true;
  return { type: 'override_turn_context', model, ...named, effort, summary, cwd, policy, box, planMode: isPlanMode };
}

function itemIn(line: string): ResponseItem | undefined {
  const entry = parseLine(line);
  return entry?.type === 'response_item' ? entry.payload : undefined;
}

function countItems(text: string): number {
  return [...text.matchAll(RESPONSE_ITEM)].length;
}
