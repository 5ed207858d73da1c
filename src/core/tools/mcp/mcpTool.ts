import * as z from 'zod';
import type { TurnItemOf } from '../../../protocol/item.ts';
import { newLogPath } from '../../exec/outputLogs.ts';
import { type McpCallResult, McpFault, type McpProgress, type McpTool } from '../../mcp/connection.ts';
import { toolHash } from '../../mcp/definitions.ts';
import type { McpServer } from '../../mcp/mcpServer.ts';
import type { ToolIdentity } from '../../trust/trust.ts';
import { toolApprovalKey } from '../../policy/approvalKeys.ts';
import { decideMcpTool } from '../../policy/decideMcpTool.ts';
import type { Log, Storage } from '../../ports.ts';
import { messageOf } from '../../util/fileErrors.ts';
import type { Attempt, Preparation, ToolContext, ToolHandler, ToolResult } from '../handler.ts';
import { parseArguments } from '../parseArguments.ts';
import { sanitizeInputSchema } from '../sanitizeSchema.ts';
import {
  readableDefinition,
  rememberApproval,
  shortDescription,
  type ToolApprovalDeps,
  toolCard,
} from '../toolApproval.ts';
import { closedFileNamed, withClosedFile } from '../filesNamed.ts';
import { CallTimer } from './callTimer.ts';
import { elicitIn } from './elicit.ts';
import { cutResult, isOversized, partsOf } from './toolResult.ts';

export interface McpToolDeps extends ToolApprovalDeps {
  readonly storage: Storage;
  readonly log: Log;
}

const anyArguments = z.record(z.string(), z.unknown());
type Arguments = z.infer<typeof anyArguments>;
type Item = TurnItemOf<'mcp_tool_call'>;

interface Plan {
  readonly args: Arguments;
  readonly item: Item;
  readonly tool: McpTool;
  readonly identity: ToolIdentity;
}

/** Progress that is shown of one call, in messages and characters. */
const MAX_PROGRESS = { messages: 200, length: 500 } as const;

/** One tool of an MCP server. `offered`: the tool as the model is offered it in this turn. */
export function mcpTool(
  names: readonly [string, ...string[]],
  server: McpServer,
  offered: McpTool,
  deps: McpToolDeps,
): ToolHandler<Arguments, Plan> {
  return {
    names,
    // Its effects cannot be known, so it runs alone (codex-behaviour.md §9).
    isMutating: () => true,
    spec: {
      type: 'function',
      name: names[0],
      description: descriptionOf(offered),
      strict: false,
      parameters: sanitizeInputSchema(offered.inputSchema),
    },
    parse: (payload) => parseArguments(anyArguments, payload),
    prepare: (args, context) => prepareCall(args, server, offered, deps, context),
    run: (plan, attempt, context) => call(plan, attempt, server, deps, context),
  };
}

/** Decides about the tool as the server has it now, which may have changed since it was offered. */
async function prepareCall(
  args: Arguments,
  server: McpServer,
  offered: McpTool,
  deps: McpToolDeps,
  context: ToolContext,
): Promise<Preparation<Plan>> {
  const tool = server.tool(offered.name) ?? offered;
  const { definition } = server;
  const identity = {
    server: definition.hash,
    tool: tool.name,
    hash: toolHash(tool),
    definition: readableDefinition(tool.raw),
  };
  const { isAllowed, before } = await deps.trust.about(identity, deps.workspaceOf(context.settings.cwd));
  const { annotations } = tool;
  const saysReadOnly = annotations?.readOnlyHint === true && annotations.destructiveHint !== true;
  const closed = await closedFileNamed(args, saysReadOnly ? 'reads' : 'may_write', context);
  const { planMode, approvalPolicy } = context.settings;
  const facts = {
    server: server.name,
    tool: tool.name,
    saysReadOnly,
    isAllowed,
    hasChanged: before !== undefined,
  };
  const item: Item = {
    id: context.itemId,
    type: 'mcp_tool_call',
    status: 'in_progress',
    callId: context.callId,
    server: server.name,
    tool: tool.name,
    arguments: args,
    durationMs: 0,
  };
  return {
    type: 'ready',
    plan: { args, item, tool, identity },
    item,
    requirement: withClosedFile(decideMcpTool({ ...facts, planMode }, approvalPolicy), closed, approvalPolicy),
    card: {
      ...toolCard(
        { source: server.name, name: tool.name, description: tool.description ?? '' },
        identity,
        args,
        before,
      ),
      ...(annotations?.destructiveHint === true ? { destructive: true } : {}),
    },
    approvalKeys: closed === undefined ? [toolApprovalKey(server.name, tool.name, definition.hash, identity.hash)] : [],
    binding: JSON.stringify([definition.hash, identity.hash, args]),
  };
}

/** The title is for the user, so the model gets it only where there is no description. */
function descriptionOf({ title, description }: McpTool): string {
  return shortDescription(description ?? title ?? '');
}

/** Calls the tool if it is still the approved one: the server may have been restarted since. */
async function call(
  { args, item, tool, identity }: Plan,
  attempt: Attempt,
  server: McpServer,
  deps: McpToolDeps,
  context: ToolContext,
): Promise<ToolResult> {
  const { clock, signal } = context;
  const startedAt = clock.monotonic();
  const progress = new ProgressText(context);
  const { toolTimeoutMs } = server.definition.settings;
  const expiry = new AbortController();
  const timer = new CallTimer(clock, toolTimeoutMs, () =>
    expiry.abort(new McpFault('timeout', `It did not answer within ${toolTimeoutMs} ms (toolTimeoutMs).`)),
  );
  const elicit = elicitIn(server.name, context);
  const ended = () => ({
    ...item,
    ...progress.shown,
    durationMs: Math.round(clock.monotonic() - startedAt),
  });
  try {
    const stop = AbortSignal.any([signal, expiry.signal]);
    const result = await server.use(stop, async (connection) => {
      const now = server.tool(tool.name);
      if (now === undefined) throw new Error('The server has this tool no more.');
      if (toolHash(now) !== identity.hash) return 'changed';
      await rememberApproval(identity, attempt, context, deps);
      return server.during(
        (request, asked) => timer.pausedFor(() => elicit(request, asked)),
        () => connection.callTool(tool, args, { signal: stop, onProgress: (step) => progress.add(step) }),
      );
    });
    if (result === 'changed') {
      return { output: 'The server has changed this tool since it was approved.', success: false, changedSince: true };
    }
    return await answered(result, ended(), deps, context);
  } catch (error) {
    signal.throwIfAborted();
    const message = context.keys.hide(messageOf(error));
    return {
      output: `tool call error: ${message}`,
      success: false,
      item: { ...ended(), status: 'failed', error: message },
    };
  } finally {
    timer.stop();
  }
}

async function answered(
  result: McpCallResult,
  item: Item,
  deps: McpToolDeps,
  context: ToolContext,
): Promise<ToolResult> {
  const parts = partsOf(result);
  const logPath = isOversized(parts) ? await keep(parts.text, deps, context) : undefined;
  const { items, output } = cutResult(parts, logPath);
  const success = !result.isError;
  return {
    output,
    success,
    item: {
      ...item,
      status: success ? 'completed' : 'failed',
      result: items,
      ...(success ? {} : { error: items.map((part) => (part.type === 'input_text' ? part.text : '')).join('') }),
      ...(logPath === undefined ? {} : { logPath }),
    },
  };
}

/** Keeps the whole text beside the outputs of commands; returns its absolute path. A full disk costs only the file. */
async function keep(text: string, { storage, log }: McpToolDeps, { clock, thread, itemId, keys }: ToolContext) {
  const path = newLogPath(clock.now(), thread.id, itemId);
  try {
    await storage.writeText(path, keys.hide(text));
    return `${storage.home}/${path}`;
  } catch (error) {
    log.warn(`The result of a tool cannot be written to ${path}`, error);
    return undefined;
  }
}

/** The progress that a server reports, as lines of its item. */
class ProgressText {
  readonly #context: Pick<ToolContext, 'emit' | 'itemId' | 'keys'>;
  #text = '';
  #messages = 0;

  constructor(context: Pick<ToolContext, 'emit' | 'itemId' | 'keys'>) {
    this.#context = context;
  }

  add({ progress, total, message = '' }: McpProgress): void {
    if (this.#messages++ >= MAX_PROGRESS.messages) return;
    const { emit, itemId, keys } = this.#context;
    const share = total === undefined ? String(progress) : `${progress}/${total}`;
    const text = keys.hide(`${share} ${message}`.trim().slice(0, MAX_PROGRESS.length).replaceAll(/\s+/g, ' '));
    this.#text += `${text}\n`;
    emit({ type: 'item_delta', itemId, kind: 'output', text: `${text}\n` });
  }

  get shown(): { readonly progress?: string } {
    return this.#text === '' ? {} : { progress: this.#text };
  }
}
