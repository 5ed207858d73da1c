/** Names and descriptions of remembered approvals. */
import { createHash } from 'node:crypto';
import type { RememberedApproval } from '../../protocol/rules.ts';
import { readApprovalKey } from '../policy/approvalKeys.ts';
import { joinShellWords } from '../policy/shellWords.ts';
import { assertNever } from '../util/assertNever.ts';

/** The name under which uses of the approval are counted. */
export function approvalName(threadId: string, key: string): string {
  return `approval:${threadId}:${createHash('sha256').update(key).digest('hex').slice(0, 32)}`;
}

/** Returns `undefined` for a key of another version. */
export function describeApproval(key: string): Pick<RememberedApproval, 'kind' | 'text' | 'cwd'> | undefined {
  const approval = readApprovalKey(key);
  switch (approval?.kind) {
    case 'command':
      return { kind: 'command', text: joinShellWords(approval.argv), cwd: approval.cwd };
    case 'patch':
      return { kind: 'patch', text: approval.path, cwd: null };
    case 'tool':
      return { kind: 'tool', text: `${approval.server}/${approval.tool}`, cwd: null };
    case 'fetch':
      return { kind: 'fetch', text: approval.origin, cwd: null };
    case undefined:
      return undefined;
    default:
      return assertNever(approval);
  }
}
