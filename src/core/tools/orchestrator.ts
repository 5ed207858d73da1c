import type { ItemStatus, TurnItem } from '../../protocol/item.ts';
import type { ToolCall, ToolContext, ToolHandler, ToolOutput } from './handler.ts';
import { type AskedAhead, type PermissionDeps, seekPermission } from './permission.ts';
import type { ToolRegistry } from './registry.ts';

export interface OrchestratorDeps extends PermissionDeps {
  readonly registry: ToolRegistry;
}

/**
 * Approval, then sandbox, then the attempt. Never rejects except with the signal's reason: whatever goes wrong with a
 * tool is an answer to the model. `shown` is the item that has already been started as a preview of this call; `asked`,
 * the question about it that was asked before its turn.
 */
export async function runToolCall(
  call: ToolCall,
  deps: OrchestratorDeps,
  context: ToolContext,
  shown?: TurnItem,
  asked?: AskedAhead,
): Promise<ToolOutput> {
  const handler = deps.registry.handler(call.name);
  const items = new OpenItem(context, asked?.item ?? shown);
  if (!handler) {
    items.close('failed');
    return failure(unknownTool(call.name, deps.registry.offeredNames));
  }
  try {
    context.signal.throwIfAborted();
    const parsed = handler.parse(call.payload, call.name);
    if (parsed.type === 'parsed') return await decideAndRun(handler, parsed.args, deps, context, items, asked);
    items.close('failed');
    return failure(parsed.message);
  } catch (error) {
    items.close(context.signal.aborted ? 'aborted' : 'failed');
    context.signal.throwIfAborted();
    return failure(`${call.name} failed: ${error instanceof Error ? error.message : String(error)}`);
  } finally {
    asked?.withdraw();
  }
}

/** The item a call is shown by: what was started is always ended. */
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

  /** Ends it as it stands; nothing if it has ended or never began. */
  close(status: ItemStatus): void {
    if (this.#item) this.complete({ ...this.#item, status });
  }
}

async function decideAndRun(
  handler: ToolHandler,
  args: unknown,
  deps: OrchestratorDeps,
  context: ToolContext,
  items: OpenItem,
  asked: AskedAhead | undefined,
): Promise<ToolOutput> {
  const prepared = await handler.prepare(args, context);
  if (prepared.type === 'failure') {
    items.close('failed');
    return failure(prepared.output);
  }
  if (prepared.item) items.start(prepared.item);
  const permission = await seekPermission(prepared, deps, context, asked);
  if (permission.type === 'refused') {
    items.close('declined');
    return failure(permission.output);
  }
  context.signal.throwIfAborted();
  const { escalated } = permission;
  const box = escalated ? 'none' : context.settings.box;
  const result = await handler.run(prepared.plan, { box, escalated }, context);
  if (result.item) items.complete(result.item);
  context.signal.throwIfAborted();
  return { output: result.output, success: result.success };
}

function unknownTool(name: string, offered: readonly string[]): string {
  return `Unsupported call: there is no tool ${name}. The tools are: ${offered.join(', ')}.`;
}

function failure(output: string): ToolOutput {
  return { output, success: false };
}
