import type { ItemStatus, TurnItem } from '../../protocol/item.ts';
import { actOf, type Auditor, endOf } from './auditor.ts';
import type {
  Attempt,
  Parsed,
  Preparation,
  ReadyPreparation,
  ToolCall,
  ToolContext,
  ToolHandler,
  ToolOutput,
  ToolResult,
} from './handler.ts';
import {
  type AskedAhead,
  type DecisionRecord,
  type PermissionDeps,
  seekPermission,
  type SettledPermission,
} from './permission.ts';
import { abortable } from '../util/abort.ts';
import type { CallPlace } from '../util/callOrder.ts';
import { traitsOf } from '../../protocol/itemTraits.ts';
import { reviewIn } from '../../protocol/policy.ts';
import { type GivenReview, withGivenReview } from './proposalChoices.ts';
import { askAgain, offerAgain } from './retryCall.ts';
import type { ToolRegistry } from './registry.ts';
import { rawArgumentsOf } from './router.ts';
import { messageOf } from '../util/fileErrors.ts';

export interface OrchestratorDeps extends PermissionDeps {
  readonly registry: Pick<ToolRegistry, 'handler' | 'offeredNames'>;
  readonly audit: Auditor;
}

/** A call that was prepared to find out whether it may run beside others. */
export interface PreparedCall {
  readonly isMutating: boolean;
  /** Absent for a call that will be refused without being prepared. */
  readonly prepared?: Preparation<unknown>;
}

/** Never rejects: an error here occurs again, and is reported, when the call runs. */
export async function prepareCall(
  call: ToolCall,
  { registry }: Pick<OrchestratorDeps, 'registry'>,
  context: ToolContext,
): Promise<PreparedCall> {
  const handler = registry.handler(call.name);
  if (!handler || context.signal.aborted) return { isMutating: false };
  try {
    const parsed = parseCall(handler, call);
    if (parsed.type === 'invalid') return { isMutating: false };
    const prepared = await handler.prepare(parsed.args, context);
    if (prepared.type === 'failure') return { isMutating: false, prepared };
    return { isMutating: handler.isMutating(parsed.args, prepared.plan), prepared };
  } catch {
    return { isMutating: true };
  }
}

/** A call before it runs. */
export interface CallStart {
  /** Its place in the order in which the calls of the response are shown and asked about. */
  readonly place: CallPlace;
  /** The item that was already started as a preview of this call. */
  readonly shown?: TurnItem | undefined;
  /** The approval that was requested before its turn. */
  readonly asked?: AskedAhead | undefined;
  /** Prepared just now: no call that could change it has run since. */
  readonly prepared?: Preparation<unknown> | undefined;
}

/**
 * Runs one call: approval, sandbox, attempt. Rejects only with the signal's reason: any other failure of a tool is an
 * output for the model. Leaves the place of the call in any case.
 */
export async function runToolCall(
  call: ToolCall,
  deps: OrchestratorDeps,
  context: ToolContext,
  start: CallStart,
): Promise<ToolOutput> {
  try {
    return await runPlaced(call, deps, context, start);
  } finally {
    start.place.leave();
  }
}

async function runPlaced(
  call: ToolCall,
  deps: OrchestratorDeps,
  context: ToolContext,
  { place, shown, asked, prepared }: CallStart,
): Promise<ToolOutput> {
  const handler = deps.registry.handler(call.name);
  const items = new OpenItem(context, asked?.item ?? shown);
  if (!handler) {
    const output = unknownTool(call.name, deps.registry.offeredNames);
    items.refuseUnknown(call, output);
    return failure(output);
  }
  try {
    context.signal.throwIfAborted();
    const parsed = parseCall(handler, call);
    if (parsed.type === 'parsed') {
      const answer = await decideAndRun(handler, parsed.args, deps, context, items, { place, asked, prepared });
      return withIgnored(answer, parsed.ignored);
    }
    items.close('failed', parsed.message);
    return failure(parsed.message);
  } catch (error) {
    if (context.signal.aborted) items.close('aborted');
    else items.close('failed', messageOf(error));
    context.signal.throwIfAborted();
    return failure(`${call.name} failed: ${messageOf(error)}`);
  } finally {
    asked?.withdraw();
  }
}

/** A call of a kind that the tool does not take is not parsed. */
function parseCall(handler: ToolHandler, { name, payload }: ToolCall): Parsed<unknown> {
  const { payloads = ['function'] } = handler;
  if (payloads.includes(payload.type)) return handler.parse(payload);
  const wanted = payloads.includes('function') ? 'JSON arguments, not free text' : 'free text, not JSON arguments';
  return { type: 'invalid', message: `Failed to parse the arguments: ${name} takes ${wanted}. Nothing was run.` };
}

/** In characters: the limit of an explanation for the user. The model gets all of it. */
const MAX_WHY = 2_000;

/** The item that shows a call. Every started item is ended. */
class OpenItem {
  readonly #context: ToolContext;
  #item: TurnItem | undefined;

  constructor(context: ToolContext, shown: TurnItem | undefined) {
    this.#context = context;
    this.#item = shown;
  }

  start(item: TurnItem): void {
    if (this.#item?.id !== item.id) this.#context.emit({ type: 'item_started', item });
    this.#item = item;
  }

  complete(item: TurnItem): void {
    this.#item = undefined;
    this.#context.emit({ type: 'item_completed', item });
  }

  /** Ends the item with its current content; does nothing if it has ended or was never started. */
  close(status: ItemStatus, why?: string): void {
    if (this.#item) this.complete({ ...this.#item, status, ...explained(this.#item, why, this.#context) });
  }

  /** Shows a call of an unknown tool, which has no item of its own, as a failed tool call. */
  refuseUnknown({ callId, name, payload }: ToolCall, output: string): void {
    if (this.#item) return this.close('failed', output);
    const item: TurnItem = {
      id: this.#context.itemId,
      type: 'dynamic_tool_call',
      status: 'in_progress',
      callId,
      tool: name,
      arguments: rawArgumentsOf(payload).slice(0, MAX_WHY),
      contentItems: [],
      success: null,
    };
    this.start(item);
    this.complete({ ...item, status: 'failed', contentItems: [{ type: 'input_text', text: output }], success: false });
  }

  /** Ends the item of a refused call. No explanation when the user denied it: the user knows why. */
  refuse({ record: { outcome, by, reason }, output }: Extract<SettledPermission, { type: 'refused' }>): void {
    const item = this.#item;
    if (!item) return;
    const why = outcome === 'forbidden' ? reason.text : by === 'user' ? undefined : output;
    const isByRule = item.type === 'command_execution' && outcome === 'forbidden' && reason.source === 'rule';
    const rule = isByRule ? { forbiddenBy: reason } : {};
    this.complete({ ...item, status: 'declined', ...explained(item, why, this.#context), ...rule });
  }
}

/** Redacts before cutting, because a cut key could no longer be recognized. */
function explained(
  item: TurnItem,
  why: string | undefined,
  { keys }: Pick<ToolContext, 'keys'>,
): { readonly why?: string } {
  return traitsOf(item).explained && why !== undefined ? { why: keys.hide(why).slice(0, MAX_WHY) } : {};
}

/** The maximum number of approval rounds for a call whose effect keeps changing after the approval. */
const MAX_ROUNDS = 5;

const KEEPS_CHANGING = 'What this would do keeps changing while it waits for approval. Nothing was done.';

async function decideAndRun(
  handler: ToolHandler,
  args: unknown,
  deps: OrchestratorDeps,
  context: ToolContext,
  items: OpenItem,
  { place, asked, prepared: early }: CallStart,
): Promise<ToolOutput> {
  let given: GivenReview | undefined;
  for (let round = 1; ; round++) {
    const first = round === 1 ? early : undefined;
    const prepared = withGivenReview(first ?? (await handler.prepare(args, context)), given);
    if (prepared.type === 'failure') {
      items.close('failed', prepared.output);
      return failure(prepared.output);
    }
    await abortable(place.reached, context.signal);
    if (prepared.item) items.start(prepared.item);
    const seeking = seekPermission(prepared, deps, context, round === 1 ? asked : undefined);
    // A necessary request is made by now.
    place.leave();
    const permission = await seeking;
    if (permission.type === 'outdated') {
      given = { review: permission.review, proposal: prepared.proposal, folders: prepared.folders };
      if (round < MAX_ROUNDS) continue;
      items.close('failed', KEEPS_CHANGING);
      return failure(KEEPS_CHANGING);
    }
    const journal = journalOf(prepared.item, deps.audit, context);
    if (permission.type === 'refused') {
      const escalated = prepared.card?.kind === 'escalation';
      journal.decided(permission.record, { box: context.settings.box, escalated });
      items.refuse(permission);
      return failure(permission.output);
    }
    context.signal.throwIfAborted();
    const { escalated, boundTo, answer } = permission;
    const box = escalated ? 'none' : context.settings.box;
    journal.decided(permission.record, { box, escalated });
    const result = await journal.ended(() => handler.run(prepared.plan, { box, escalated, boundTo, answer }, context));
    given = { review: reviewIn(answer), proposal: prepared.proposal, folders: prepared.folders };
    if (result.changedSince && round < MAX_ROUNDS) continue;
    if (result.item) items.complete(result.item);
    return runAgain(handler, prepared, result, deps, context, items);
  }
}

/**
 * Asks for and runs further attempts of a call that its sandbox has stopped, each like a call of its own, with its own
 * item and audit entries. A program may name the next host that it needs only when it has reached the first.
 */
async function runAgain(
  handler: ToolHandler,
  prepared: ReadyPreparation<unknown>,
  first: ToolResult,
  deps: OrchestratorDeps,
  context: ToolContext,
  items: OpenItem,
): Promise<ToolOutput> {
  let result = first;
  let hosts: readonly string[] = [];
  for (let round = 1; round <= MAX_ROUNDS; round++) {
    const again = await offerAgain(result, prepared, context, hosts);
    context.signal.throwIfAborted();
    if (again === undefined) break;
    const { item, plan } = again;
    const journal = journalOf(item, deps.audit, context);
    items.start(item);
    const permission = await askAgain(result, again, deps, context);
    journal.decided(permission.record, again.attempt);
    if (permission.type === 'refused') {
      items.refuse(permission);
      return failure(permission.output);
    }
    context.signal.throwIfAborted();
    const attempt: Attempt = { ...again.attempt, answer: null };
    result = await journal.ended(() => handler.run(plan, attempt, context));
    if (result.item) items.complete(result.item);
    context.signal.throwIfAborted();
    hosts = again.hosts;
  }
  return { output: result.output, success: result.success };
}

/** Writes the audit entries of one call; none for a call without side effects. */
function journalOf(item: TurnItem | undefined, audit: Auditor, context: ToolContext) {
  const act = actOf(item, context.settings.cwd);
  const call = { itemId: item?.id ?? context.itemId, callId: context.callId };
  return {
    decided(record: DecisionRecord, attempt: Pick<Attempt, 'box' | 'escalated'>): void {
      if (act) audit.decided({ ...call, act, ...record, ...attempt });
    },
    async ended(run: () => Promise<ToolResult>): Promise<ToolResult> {
      let ended: TurnItem | undefined;
      try {
        const result = await run();
        ended = result.item ?? item;
        return result;
      } finally {
        const left = ended ?? (item && { ...item, status: context.signal.aborted ? 'aborted' : 'failed' });
        if (act && left) audit.ended({ ...call, ...endOf(left) });
      }
    },
  };
}

/** Names the arguments that were left out, so that the model does not rely on them. */
function withIgnored(answer: ToolOutput, ignored: readonly string[] | undefined): ToolOutput {
  if (ignored === undefined) return answer;
  const [names, was] = ignored.length === 1 ? ['argument', 'it was'] : ['arguments', 'they were'];
  const note = `Note: this tool has no ${names} ${ignored.join(', ')}; ${was} ignored.`;
  const { output } = answer;
  return {
    ...answer,
    output: typeof output === 'string' ? `${output}\n${note}` : [...output, { type: 'input_text', text: note }],
  };
}

/** Names in the answer to a call of an unknown tool: servers may offer hundreds. */
const MOST_NAMES = 100;
/** Characters of an unknown name that are repeated; no offered one is longer. */
const MAX_NAME = 64;

function unknownTool(name: string, offered: readonly string[]): string {
  const called = name.slice(0, MAX_NAME);
  const word = called.split(/__|\./).at(-1) ?? '';
  const alike = offered.filter((other) => word !== '' && other.includes(word));
  const listed = offered.length > MOST_NAMES ? [...new Set([...alike, ...offered])].slice(0, MOST_NAMES) : offered;
  const more = offered.length > listed.length ? `, and ${offered.length - listed.length} more` : '';
  return `Unsupported call: there is no tool ${called}. The tools are: ${listed.join(', ')}${more}.`;
}

function failure(output: string): ToolOutput {
  return { output, success: false };
}
