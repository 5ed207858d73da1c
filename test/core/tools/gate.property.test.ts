/**
 * The gate under every order of requests, answers, second answers, late answers, interrupts and repeated requests: a
 * call runs only after the user, or a rule of the user, has approved exactly that call.
 */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { commandApprovalKey, patchApprovalKeys, patchBinding } from '../../../src/core/policy/approvalKeys.ts';
import { explainCommand } from '../../../src/core/policy/decideCommand.ts';
import type { FileChange } from '../../../src/core/ports.ts';
import { rulesOfThread } from '../../../src/core/rules/rulesStore.ts';
import { type EmitForTurn, PendingRequests } from '../../../src/core/session/pendingRequests.ts';
import { type Approver, type Permission, type ReadyCall, seekPermission } from '../../../src/core/tools/permission.ts';
import {
  type ApprovalDecision,
  type SandboxMechanism,
  type Rule,
  type SandboxPermissions,
  sandboxPolicyInputSchema,
} from '../../../src/protocol/policy.ts';
import { decidedHere } from '../../support/decided.ts';
import { rounds } from '../../support/rounds.ts';

interface Wanted {
  readonly what: 'touch a' | 'touch  a' | 'touch b' | 'touch a; touch a' | 'patch';
  readonly cwd: string;
  readonly box: SandboxMechanism;
  readonly permissions: SandboxPermissions;
  readonly tty: boolean;
  readonly text: string;
}

type Step =
  | { readonly type: 'ask'; readonly wanted: Wanted }
  /** `which` counts all requests so far, so most answers are late, repeated or for another call. */
  | { readonly type: 'answer'; readonly which: readonly number[]; readonly decision: ApprovalDecision }
  | { readonly type: 'interrupt' }
  | { readonly type: 'forget' };

const wanted: fc.Arbitrary<Wanted> = fc.record({
  what: fc.constantFrom('touch a', 'touch  a', 'touch b', 'touch a; touch a', 'patch'),
  cwd: fc.constantFrom('/w', '/w/x'),
  box: fc.constantFrom('bubblewrap', 'none'),
  permissions: fc.constantFrom('use_default', 'require_escalated'),
  tty: fc.boolean(),
  text: fc.constantFrom('one\n', 'two\n'),
});
const RUNS = rounds(2_000, 100_000);
const TOUCH_A: Rule = { pattern: ['touch', 'a'], decision: 'allow' };
const decision = fc.constantFrom<ApprovalDecision>(
  'approved',
  'approved',
  'approved_for_thread',
  { denied: {} },
  { denied: { message: 'no' } },
  'abort',
  { approved_rule: { rule: TOUCH_A, scope: 'thread' } },
  { approved_rule: { rule: { ...TOUCH_A, bypassSandbox: true }, scope: 'thread' } },
  { approved_rule: { rule: { pattern: ['bash'], decision: 'allow' }, scope: 'thread' } },
);
const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 5, arbitrary: wanted.map((one): Step => ({ type: 'ask', wanted: one })) },
  {
    weight: 5,
    arbitrary: fc
      .tuple(fc.array(fc.nat(6), { minLength: 1, maxLength: 3 }), decision)
      .map(([which, said]): Step => ({ type: 'answer', which, decision: said })),
  },
  { weight: 1, arbitrary: fc.constant<Step>({ type: 'interrupt' }) },
  { weight: 1, arbitrary: fc.constant<Step>({ type: 'forget' }) },
);

/** Waits until all pending promises have settled. */
async function settle(): Promise<void> {
  for (let turn = 0; turn < 25; turn++) await Promise.resolve();
}

interface Call {
  readonly wanted: Wanted;
  readonly binding: string;
  /** The requests that it waited for. */
  readonly questions: Set<string>;
  permission: Permission | 'stopped' | undefined;
}

/** One thread with its gate, and a separate record of the user’s answers. */
class Thread {
  readonly requests: PendingRequests;
  readonly calls: Call[] = [];
  readonly violations: string[] = [];
  readonly #asked: string[] = [];
  /** Requests whose turn has ended, or that have their answer. */
  readonly #over = new Set<string>();
  readonly #approved = new Set<string>();
  readonly #remembered = new Set<string>();
  #rules: readonly Rule[] = [];
  #turn = new AbortController();

  constructor() {
    let id = 0;
    const ids = { uuid: () => '', next: (prefix: string) => `${prefix}-${id++}`, random: () => 0 };
    this.requests = new PendingRequests({ ids, interactive: true });
  }

  ask(one: Wanted): void {
    const ready = one.what === 'patch' ? patchCall(one) : commandCall(one, () => this.requests.memory.rules);
    const call: Call = { wanted: one, binding: ready.binding ?? '', questions: new Set(), permission: undefined };
    this.calls.push(call);
    const turn = this.#turn;
    const emit: EmitForTurn = (msg) => {
      if (msg.type === 'approval_requested') this.#asked.push(msg.approvalId);
      // A rule may resolve a pending request.
      if (msg.type === 'approval_resolved' && msg.by === 'rule') this.#over.add(msg.approvalId);
      if (msg.type === 'approval_requested' || msg.type === 'approval_joined') call.questions.add(msg.approvalId);
    };
    const approver: Approver = { ask: (question, signal) => this.requests.approve(question, { emit, signal }) };
    const deps = { approver, interrupt: () => turn.abort(new Error('stopped')), noteUse: () => {} };
    seekPermission(ready, deps, { callId: `call-${this.calls.length}`, signal: turn.signal }).then(
      (permission) => this.#settled(call, permission),
      () => this.#settled(call, 'stopped'),
    );
  }

  async answer(which: readonly number[], said: ApprovalDecision): Promise<void> {
    const ids = which.map((at) => this.#asked[at] ?? `nobody-${at}`);
    const rule = typeof said === 'object' && 'approved_rule' in said ? said.approved_rule.rule : undefined;
    const open = rule?.pattern[0] === 'bash' ? [] : ids.filter((id) => this.#asked.includes(id) && !this.#over.has(id));
    for (const id of open) {
      this.#over.add(id);
      if (said === 'approved' || said === 'approved_for_thread' || rule) this.#approved.add(id);
      const asking = this.calls.filter(({ questions }) => questions.has(id));
      if (said === 'approved_for_thread') for (const call of asking) this.#remembered.add(nameOf(call));
    }
    if (rule && open.length > 0) this.#rules = [...this.#rules, rule];
    if (said === 'abort' && open.length > 0) this.#allOver();
    await this.requests.answer({ type: 'approval', approvalIds: ids, decision: said }, 'op');
  }

  interrupt(): void {
    this.#allOver();
    this.#turn.abort(new Error('stopped'));
  }

  forget(): void {
    this.#remembered.clear();
    this.#rules = [];
    this.requests.memory.replace([], []);
  }

  newTurn(): void {
    if (this.#turn.signal.aborted) this.#turn = new AbortController();
  }

  #allOver(): void {
    for (const id of this.#asked) this.#over.add(id);
  }

  /** Returns true if an answer of the user covers the call: an approval, one for the thread, or a rule. */
  #isAllowed(call: Call, escalated: boolean): boolean {
    if ([...call.questions].some((id) => this.#approved.has(id)) || this.#remembered.has(nameOf(call))) return true;
    const { what, box, permissions } = call.wanted;
    if (what === 'patch' || what === 'touch b') return false;
    const wantsOut = permissions === 'require_escalated' && box !== 'none';
    return this.#rules.some(({ bypassSandbox }) => bypassSandbox === true || (!wantsOut && !escalated));
  }

  #settled(call: Call, permission: Permission | 'stopped'): void {
    call.permission = permission;
    if (permission === 'stopped' || permission.type !== 'granted') return;
    if (!this.#isAllowed(call, permission.escalated)) this.violations.push(JSON.stringify(call));
  }
}

/** A patch is remembered by its places, a command by all its fields. */
function nameOf({ wanted: { what, cwd }, binding }: Call): string {
  return what === 'patch' ? `patch in ${cwd}` : binding;
}

function commandCall({ what, cwd, box, permissions, tty }: Wanted, rules: () => readonly Rule[]): ReadyCall {
  const argv = ['bash', '-c', what];
  const sandboxPolicy = sandboxPolicyInputSchema.parse('workspace-write');
  const key = commandApprovalKey({ argv, cwd, box, sandboxPolicy, sandboxPermissions: permissions, tty });
  const decide = () =>
    explainCommand({
      argv,
      // The model may ask to leave the sandbox only under on-request; without a sandbox all other calls need approval.
      approvalPolicy: permissions === 'require_escalated' || box === 'none' ? 'on-request' : 'untrusted',
      sandboxPolicy,
      box,
      sandboxPermissions: permissions,
      rules: rulesOfThread(rules()),
      platform: 'linux',
    });
  return {
    type: 'ready',
    plan: null,
    ...decide(),
    card: { kind: permissions === 'require_escalated' ? 'escalation' : 'command', command: what, cwd, box },
    approvalKeys: [key],
    binding: key,
    reconsider: async () => decide(),
  };
}

function patchCall({ cwd, text }: Wanted): ReadyCall {
  const change = decidedHere<FileChange>({ kind: 'add', path: `${cwd}/p`, text, before: null });
  return {
    type: 'ready',
    plan: null,
    requirement: { type: 'needs_approval', reason: { source: 'policy', id: 'untrusted', text: 'Asked.' }, parts: [] },
    card: { kind: 'patch' },
    approvalKeys: patchApprovalKeys([change.places.path]),
    binding: patchBinding([change]),
  };
}

test(`${RUNS} random sequences: every executed call was approved, for exactly that command, in the live turn`, async () => {
  let granted = 0;
  let waited = 0;
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 2, maxLength: 14 }), async (steps) => {
      const thread = new Thread();
      for (const one of steps) {
        const before = thread.calls.filter(({ permission }) => permission === undefined).length;
        if (one.type === 'ask') thread.ask(one.wanted);
        else if (one.type === 'answer') await thread.answer(one.which, one.decision);
        else thread[one.type]();
        await settle();
        thread.newTurn();
        expect(thread.violations).toEqual([]);
        // No call runs or is denied without an event.
        const after = thread.calls.filter(({ permission }) => permission === undefined).length;
        if (one.type === 'forget') expect(after).toBe(before);
      }
      for (const { permission } of thread.calls) {
        if (permission === undefined) waited++;
        else if (permission !== 'stopped' && permission.type === 'granted') granted++;
      }
    }),
    { numRuns: RUNS },
  );
  // The sequences covered the intended cases.
  expect(granted).toBeGreaterThan(RUNS / 10);
  expect(waited).toBeGreaterThan(RUNS / 10);
});
