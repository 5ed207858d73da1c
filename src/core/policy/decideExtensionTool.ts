import type { ApprovalPolicy } from '../../protocol/policy.ts';
import { refusedInPlanMode } from './planMode.ts';
import type { ApprovalRequirement } from './requirement.ts';

export interface ExtensionToolFacts {
  readonly extension: string;
  readonly tool: string;
  /** The user has allowed the tool, as the extension describes it now. */
  readonly isAllowed: boolean;
  /** The user has approved the tool under another description. */
  readonly hasChanged: boolean;
  /** The user wants only a plan. */
  readonly planMode?: boolean | undefined;
}

/**
 * Decides if a call of a tool of another extension needs approval. The extension runs it outside of every sandbox, so
 * it needs approval under full access, too; no annotation of the tool changes that.
 */
export function decideExtensionTool(facts: ExtensionToolFacts, approvalPolicy: ApprovalPolicy): ApprovalRequirement {
  const { extension, tool, isAllowed, hasChanged } = facts;
  if (facts.planMode === true) return refusedInPlanMode('Tools of other extensions do not run');
  if (isAllowed) return skip('tool-allowed', 'You have allowed this tool, as its extension describes it now.');
  if (approvalPolicy === 'never') return skip('never', 'The approval policy asks for nothing.');
  const text = hasChanged
    ? `The description of ${tool} by ${extension} has changed since you approved it.`
    : `${tool} is run by ${extension}, outside of the sandbox.`;
  const id = hasChanged ? 'tool-changed' : 'extension-tool';
  return { type: 'needs_approval', reason: { source: 'policy', id, text }, parts: [] };
}

function skip(id: string, text: string): ApprovalRequirement {
  return { type: 'skip', bypassSandbox: false, reason: { source: 'policy', id, text } };
}
