/** Emits a thread as the host would: one event after the other, with realistic times. */
import type { ApprovalRequest, Event, EventMsg, TurnSettings } from '../../../src/protocol/event.ts';
import type { FileChangeSummary, TurnItem, TurnItemOf, UserInput } from '../../../src/protocol/item.ts';
import type { PanelSettings } from '../../../src/protocol/wire.ts';

export const SETTINGS: PanelSettings = {
  model: 'gpt-5-codex',
  provider: 'openai',
  modelOfMode: { plan: { model: 'gpt-5.2', effort: 'xhigh' } },
  mode: 'agent',
  efforts: ['low', 'medium', 'high', 'xhigh'],
  providers: {},
  areEffortsGuessed: false,
  effort: 'high',
  approvalPolicy: 'on-request',
  sandboxPolicy: {
    type: 'workspace-write',
    writableRoots: [],
    networkAccess: false,
    excludeTmpdirEnvVar: false,
    excludeSlashTmp: false,
  },
  box: 'bubblewrap',
  quarantined: ['moved'],
  review: 'before',
  reviewer: 'user',
  fontSize: null,
  fontFamily: 'Inter, system-ui, sans-serif',
  showRawReasoning: false,
  takesImages: true,
  attachSelection: true,
  sendKey: 'enter',
  trusted: true,
  hasWorkspace: true,
  demo: false,
  workspaceName: 'acme-web',
};

export const TURN: TurnSettings = {
  model: 'gpt-5-codex',
  provider: 'openai',
  effort: 'high',
  summary: 'auto',
  cwd: '/home/mira/acme-web',
  approvalPolicy: 'on-request',
  sandboxPolicy: SETTINGS.sandboxPolicy,
  box: 'bubblewrap',
};

type Finished = 'completed' | 'failed' | 'declined' | 'aborted';

export class Script {
  readonly events: Event[] = [];
  #turn: string | null = null;
  #turns = 0;
  #items = 0;
  #at = Date.now() - 60_000;

  readonly threadId: string;
  #settings = TURN;

  constructor(threadId = 'thread-1') {
    this.threadId = threadId;
    this.emit({ type: 'turn_context_changed', settings: TURN });
  }

  /** The next turns are in plan mode. */
  inPlanMode(): this {
    this.#settings = { ...TURN, planMode: true };
    return this;
  }

  wait(seconds: number): this {
    this.#at += seconds * 1_000;
    return this;
  }

  emit(msg: EventMsg, turnId: string | null = this.#turn): this {
    const at = new Date(this.#at).toISOString();
    this.events.push({
      v: 1,
      seq: this.events.length + 1,
      at,
      threadId: this.threadId,
      turnId,
      submissionId: null,
      msg,
    });
    return this;
  }

  turn(text: string, ...more: readonly UserInput[]): this {
    return this.begins().item({ type: 'user_message', content: [{ type: 'text', text }, ...more] });
  }

  /** A turn without a message. */
  begins(): this {
    this.#turn = `t${++this.#turns}`;
    return this.emit({ type: 'turn_started', settings: this.#settings, contextWindow: 272_000 });
  }

  complete(): this {
    this.emit({ type: 'turn_completed', lastMessage: null });
    this.#turn = null;
    return this;
  }

  abort(reason: 'interrupted' | 'failed'): this {
    this.emit({ type: 'turn_aborted', reason });
    this.#turn = null;
    return this;
  }

  /** Begins an item; the id is the last given. */
  begin(item: WithoutId<TurnItem>): this {
    return this.emit({ type: 'item_started', item: { ...item, id: this.#id(), status: 'in_progress' } as TurnItem });
  }

  item(item: WithoutId<TurnItem>, status: Finished = 'completed', seconds = 0): this {
    const id = this.#id();
    this.emit({ type: 'item_started', item: { ...item, id, status: 'in_progress' } as TurnItem }).wait(seconds);
    return this.emit({ type: 'item_completed', item: { ...item, id, status } as TurnItem });
  }

  get lastItem(): string {
    return `i${this.#items}`;
  }

  #id(): string {
    return `i${++this.#items}`;
  }

  says(text: string): this {
    return this.item({ type: 'agent_message', text });
  }

  streams(text: string): this {
    this.begin({ type: 'agent_message', text: '' });
    return this.emit({ type: 'item_delta', itemId: this.lastItem, kind: 'text', text });
  }

  thinks(text: string, seconds = 6): this {
    return this.item({ type: 'reasoning', summary: [text] }, 'completed', seconds);
  }

  ran(command: string, output = '', exitCode: number | null = 0, seconds = 0.2): this {
    const status = exitCode === 0 ? 'completed' : 'failed';
    return this.item({ ...commandItem(command), output, exitCode, durationMs: seconds * 1_000 }, status);
  }

  asks(request: Omit<ApprovalRequest, 'approvalId' | 'itemId' | 'callId'>): this {
    const id = this.lastItem;
    return this.emit({ type: 'approval_requested', approvalId: `a-${id}`, itemId: id, callId: `c-${id}`, ...request });
  }

  plan(done: number): this {
    const steps = PLAN.map((step, index) => ({
      step,
      status: index < done ? ('completed' as const) : index === done ? ('in_progress' as const) : ('pending' as const),
    }));
    return this.emit({ type: 'plan_updated', steps });
  }

  context(percent: number): this {
    const total = Math.round(percent * 2_720);
    const last = { input: total - 2_000, cachedInput: Math.round(total * 0.7), output: 2_000, reasoning: 800, total };
    return this.emit({
      type: 'token_count',
      last,
      total: {
        input: last.input * 3,
        cachedInput: last.cachedInput * 3,
        output: last.output * 3,
        reasoning: last.reasoning * 3,
        total: total * 3,
      },
      contextWindow: 272_000,
      estimated: false,
      parts: {
        instructions: Math.round(total * 0.03),
        tools: Math.round(total * 0.06),
        projectDocs: Math.round(total * 0.02),
        files: Math.round(total * 0.2),
        outputs: Math.round(total * 0.5),
        conversation: total - Math.round(total * 0.81),
      },
      compactsAt: 232_560,
      cost: { last: 0.0142, total: 0.31 },
      rateLimits: {
        requests: { limit: 60, remaining: 59, resetsInMs: 1000 },
        tokens: { limit: 150_000, remaining: 121_400, resetsInMs: 12_000 },
      },
    });
  }
}

type WithoutId<Item> = Item extends TurnItem ? Omit<Item, 'id' | 'status'> : never;

const PLAN = [
  'Find every caller of delayFor',
  'Move the limit into shouldRetry',
  'Use it in get and post',
  'Add a test for the cap',
  'Run the whole suite',
];

export function commandItem(command: string): WithoutId<TurnItemOf<'command_execution'>> {
  return {
    type: 'command_execution',
    callId: `c-${command}`,
    command,
    argv: command.split(' '),
    cwd: TURN.cwd,
    box: 'bubblewrap',
    exitCode: null,
    durationMs: 0,
    output: '',
  };
}

export function patchItem(changes: FileChangeSummary[], diff: string): WithoutId<TurnItemOf<'file_change'>> {
  return { type: 'file_change', callId: 'c-patch', changes, diff };
}
