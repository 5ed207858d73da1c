import * as z from 'zod';
import type { ToolContentItem, TurnItemOf } from '../../../protocol/item.ts';
import { toolApprovalKey } from '../../policy/approvalKeys.ts';
import { decideExtensionTool } from '../../policy/decideExtensionTool.ts';
import type { ToolIdentity } from '../../trust/trust.ts';
import { abortable, deadline } from '../../util/abort.ts';
import { sha256 } from '../../util/canonical.ts';
import { messageOf } from '../../util/fileErrors.ts';
import { checkArguments } from '../checkArguments.ts';
import type { ToolContext, ToolHandler } from '../handler.ts';
import { cutResult } from '../mcp/toolResult.ts';
import { parseArguments } from '../parseArguments.ts';
import { sanitizeInputSchema } from '../sanitizeSchema.ts';
import {
  readableDefinition,
  rememberApproval,
  shortDescription,
  type ToolApprovalDeps,
  toolCard,
} from '../toolApproval.ts';
import { safeContent } from '../toolContent.ts';
import type { RegisteredTool } from './registry.ts';

const anyArguments = z.record(z.string(), z.unknown());
type Arguments = z.infer<typeof anyArguments>;
type Plan = { readonly args: Arguments; readonly item: TurnItemOf<'dynamic_tool_call'> };

/** A tool of another extension. It may do anything, so it runs alone, and the user is asked unless it was allowed. */
export function externalTool(registered: RegisteredTool, deps: ToolApprovalDeps): ToolHandler<Arguments, Plan> {
  const { owner, ownerName, name, description, inputSchema } = registered.tool;
  const definition = { name, description, inputSchema };
  const identity: ToolIdentity = {
    server: owner,
    tool: name,
    hash: sha256(definition),
    definition: readableDefinition(definition),
  };
  return {
    names: [name],
    isMutating: () => true,
    spec: {
      type: 'function',
      name,
      description: shortDescription(description),
      strict: false,
      parameters: sanitizeInputSchema(inputSchema),
    },
    parse(payload) {
      const parsed = parseArguments(anyArguments, payload);
      return parsed.type === 'parsed' ? checkArguments(inputSchema, parsed.args) : parsed;
    },
    async prepare(args, context) {
      const { isAllowed, before } = await deps.trust.about(identity, deps.workspaceOf(context.settings.cwd));
      const { planMode } = context.settings;
      const facts = { extension: ownerName, tool: name, isAllowed, hasChanged: before !== undefined, planMode };
      const item: Plan['item'] = {
        id: context.itemId,
        type: 'dynamic_tool_call',
        status: 'in_progress',
        callId: context.callId,
        tool: name,
        source: ownerName,
        arguments: args,
        contentItems: [],
        success: null,
      };
      return {
        type: 'ready',
        plan: { args, item },
        item,
        requirement: decideExtensionTool(facts, context.settings.approvalPolicy),
        card: toolCard({ source: ownerName, name, description }, identity, args, before),
        approvalKeys: [toolApprovalKey(owner, name, owner, identity.hash)],
        binding: JSON.stringify([owner, identity.hash, args]),
      };
    },
    async run({ args, item }, attempt, context) {
      await rememberApproval(identity, attempt, context, deps);
      const ended = await call(registered, args, context);
      const { items, output } = ended.result;
      const status = ended.success ? 'completed' : 'failed';
      return { output, success: ended.success, item: { ...item, status, contentItems: items, success: ended.success } };
    },
  };
}

/** Rejects only with the reason of the turn's signal: what else goes wrong is a text for the model. */
async function call(
  { tool, withdrawn }: RegisteredTool,
  args: Arguments,
  { clock, signal, settings, keys }: ToolContext,
): Promise<{ readonly success: boolean; readonly result: ReturnType<typeof cutResult> }> {
  const late = new Error(`It did not answer within ${tool.timeoutMs / 1000} s.`);
  const limit = deadline(clock, tool.timeoutMs, late, AbortSignal.any([signal, withdrawn]));
  try {
    limit.signal.throwIfAborted();
    // An extension may throw at once, too.
    const invoked = Promise.resolve().then(() => tool.invoke(args, { cwd: settings.cwd, signal: limit.signal }));
    return { success: true, result: resultOf(await abortable(invoked, limit.signal)) };
  } catch (error) {
    signal.throwIfAborted();
    const text = keys.hide(`${tool.name} failed: ${messageOf(error)}`);
    return { success: false, result: cutResult({ text, images: [] }, undefined) };
  } finally {
    limit.end();
  }
}

function resultOf(parts: readonly ToolContentItem[]): ReturnType<typeof cutResult> {
  const safe = safeContent(parts);
  const text = safe.flatMap((part) => (part.type === 'input_text' ? [part.text] : [])).join('\n');
  const images = safe.flatMap((part) => (part.type === 'input_image' ? [part.imageUrl] : []));
  return cutResult({ text, images }, undefined);
}
