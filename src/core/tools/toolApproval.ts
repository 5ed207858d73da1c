/** Approvals of tools of others, of MCP servers and of extensions: remembered by the hash of their definition. */
import { unifiedDiffOfTexts } from '../patch/unifiedDiff.ts';
import type { AllowScope, ToolIdentity, Trust } from '../trust/trust.ts';
import { canonical } from '../util/canonical.ts';
import { messageOf } from '../util/fileErrors.ts';
import type { ApprovalCard, Attempt, ToolContext } from './handler.ts';

export interface ToolApprovalDeps {
  readonly trust: Trust;
  /** The open folder that contains a working directory, or that directory. */
  readonly workspaceOf: (cwd: string) => string;
}

/** In characters: a longer description would fill every request. */
const MAX_DESCRIPTION = 8_000;

/** Cuts a description, which comes from others, to what a prompt and a card have room for. */
export function shortDescription(text: string): string {
  return text.length > MAX_DESCRIPTION ? `${text.slice(0, MAX_DESCRIPTION)}…` : text;
}

/** Returns the definition of a tool as JSON with one value in a line, to show later what has changed. */
export function readableDefinition(definition: unknown): string {
  return `${JSON.stringify(JSON.parse(canonical(definition)), null, 2)}\n`;
}

/** `source`: the owner of the tool, for the user. `before`: the approved definition, if it was another one. */
export function toolCard(
  tool: { readonly source: string; readonly name: string; readonly description: string },
  identity: ToolIdentity,
  args: unknown,
  before: string | undefined,
): ApprovalCard {
  const changes = before === undefined ? {} : { changes: unifiedDiffOfTexts(tool.name, before, identity.definition) };
  return {
    kind: 'tool',
    command: `${tool.name} ${JSON.stringify(args)}`,
    tool: {
      server: tool.source,
      name: tool.name,
      description: tool.description.slice(0, MAX_DESCRIPTION),
      ...changes,
    },
  };
}

/** A tool that the user has approved is known from then on: if it changes, the next request shows how. */
export async function rememberApproval(
  identity: ToolIdentity,
  { answer }: Attempt,
  { emit, settings }: Pick<ToolContext, 'emit' | 'settings'>,
  { trust, workspaceOf }: ToolApprovalDeps,
): Promise<void> {
  if (answer === null) return;
  const scope = scopeIn(answer);
  try {
    await trust.approved(identity, scope === undefined ? null : { scope, workspace: workspaceOf(settings.cwd) });
  } catch (error) {
    emit({ type: 'warning', message: `The approval of ${identity.tool} was not kept: ${messageOf(error)}` });
  }
}

function scopeIn(answer: NonNullable<Attempt['answer']>): AllowScope | undefined {
  return typeof answer === 'object' && 'approved_tool' in answer ? answer.approved_tool.scope : undefined;
}
