import type { ToolContentItem } from '../../../protocol/item.ts';
import { toolApprovalKey } from '../../policy/approvalKeys.ts';
import { decideExtensionTool } from '../../policy/decideExtensionTool.ts';
import type { ToolIdentity } from '../../trust/trust.ts';
import { abortable, deadline } from '../../util/abort.ts';
import { sha256 } from '../../util/canonical.ts';
import { messageOf } from '../../util/fileErrors.ts';
import { closedFileNamed, withClosedFile } from '../filesNamed.ts';
import { type ForeignArguments, foreignTool, type ForeignPlan, startedItem } from '../foreignTool.ts';
import type { ToolContext, ToolHandler } from '../handler.ts';
import { cutResult } from '../mcp/toolResult.ts';
import {
  readableDefinition,
  rememberApproval,
  shortDescription,
  type ToolApprovalDeps,
  toolCard,
} from '../toolApproval.ts';
import { safeContent } from '../toolContent.ts';
import type { RegisteredTool } from './registry.ts';

/** A tool of another extension. Each call needs approval unless the tool was allowed. */
export function externalTool(
  registered: RegisteredTool,
  deps: ToolApprovalDeps,
): ToolHandler<ForeignArguments, ForeignPlan> {
  const { owner, ownerName, name, description, inputSchema } = registered.tool;
  const definition = { name, description, inputSchema };
  const identity: ToolIdentity = {
    server: owner,
    tool: name,
    hash: sha256(definition),
    definition: readableDefinition(definition),
  };
  return {
    ...foreignTool({ ...definition, description: shortDescription(description) }),
    source: ownerName,
    async prepare(args, context) {
      const { isAllowed, before } = await deps.trust.about(identity, deps.workspaceOf(context.settings.cwd));
      const { planMode, approvalPolicy } = context.settings;
      const facts = { extension: ownerName, tool: name, isAllowed, hasChanged: before !== undefined, planMode };
      const closed = await closedFileNamed(args, 'may_write', context);
      const item = startedItem(context, name, args, ownerName);
      return {
        type: 'ready',
        plan: { args, item },
        item,
        requirement: withClosedFile(decideExtensionTool(facts, approvalPolicy), closed, approvalPolicy),
        card: toolCard({ source: ownerName, name, description }, identity, args, before),
        approvalKeys: closed === undefined ? [toolApprovalKey(owner, name, owner, identity.hash)] : [],
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

/** Rejects only with the reason of the turn's signal: any other error is a text for the model. */
async function call(
  { tool, withdrawn }: RegisteredTool,
  args: ForeignArguments,
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
