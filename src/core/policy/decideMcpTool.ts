import type { ApprovalPolicy } from '../../protocol/policy.ts';
import { refusedInPlanMode } from './planMode.ts';
import type { ApprovalRequirement } from './requirement.ts';

export interface McpToolFacts {
  readonly server: string;
  readonly tool: string;
  /** True if the server declares that the tool changes nothing. */
  readonly saysReadOnly: boolean;
  /** The user has allowed the tool, as its server describes it now. */
  readonly isAllowed: boolean;
  /** The user has approved the tool under another description. */
  readonly hasChanged: boolean;
  /** The user wants only a plan. */
  readonly planMode?: boolean | undefined;
}

/**
 * Decides if a call of a tool of an MCP server needs approval (codex-behaviour.md §9). A separate program runs it,
 * outside of the sandbox of commands, so it needs approval under full access, too. The annotations of the server are
 * used only by the policies that ask in case of doubt.
 */
export function decideMcpTool(facts: McpToolFacts, approvalPolicy: ApprovalPolicy): ApprovalRequirement {
  const { server, tool, saysReadOnly, isAllowed, hasChanged } = facts;
  if (facts.planMode === true && !saysReadOnly) {
    return refusedInPlanMode(`${server} does not say that ${tool} changes nothing, so it does not run`);
  }
  if (isAllowed) return skip('mcp-allowed', 'You have allowed this tool, as its server describes it now.');
  if (approvalPolicy === 'never') return skip('never', 'The approval policy asks for nothing.');
  if (saysReadOnly && approvalPolicy !== 'untrusted') {
    return {
      type: 'skip',
      bypassSandbox: false,
      reason: { source: 'hint', id: 'mcp-read-only', text: `${server} says that ${tool} changes nothing.` },
    };
  }
  const text = hasChanged
    ? `The description of ${tool} by ${server} has changed since you approved it.`
    : saysReadOnly
      ? `The approval policy asks for every tool of an MCP server.`
      : `${server} does not say that ${tool} changes nothing.`;
  const id = hasChanged ? 'mcp-changed' : 'mcp-tool';
  return { type: 'needs_approval', reason: { source: 'policy', id, text }, parts: [] };
}

function skip(id: string, text: string): ApprovalRequirement {
  return { type: 'skip', bypassSandbox: false, reason: { source: 'policy', id, text } };
}
