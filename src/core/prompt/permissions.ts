import type { TurnSettings } from '../../protocol/event.ts';
import type { ApprovalPolicy } from '../../protocol/policy.ts';
import { type MessageItem, textOf } from '../../protocol/responseItem.ts';
import { assertNever } from '../util/assertNever.ts';

/** What may be done here and how to ask for more, as a developer message (topics: codex-behaviour.md §7). */
export function permissionsMessage(settings: TurnSettings): MessageItem {
  const text = ['<permissions>', sandboxText(settings), approvalText(settings.approvalPolicy), '</permissions>'].join(
    '\n',
  );
  return { type: 'message', role: 'developer', content: [{ type: 'input_text', text }] };
}

export function isPermissionsMessage(message: MessageItem): boolean {
  return message.role === 'developer' && textOf(message.content).startsWith('<permissions>');
}

function sandboxText(settings: TurnSettings): string {
  const policy = settings.sandboxPolicy;
  const unboxed =
    settings.box === 'none' && (policy.type === 'read-only' || policy.type === 'workspace-write')
      ? ' No sandbox is available on this machine, so every command that is not known to be read-only must be approved.'
      : '';
  switch (policy.type) {
    case 'read-only':
      return `Sandbox: read-only. Commands may read files, not write them. ${networkText(policy.networkAccess)}${unboxed}`;
    case 'workspace-write':
      return `Sandbox: workspace-write. Commands may read everywhere and write in the working directory and the writable roots, except .git and tool settings such as .vscode. ${networkText(policy.networkAccess)}${unboxed}`;
    case 'danger-full-access':
      return 'Sandbox: none. Commands run with all rights of the user; take care.';
    case 'external-sandbox':
      return `Sandbox: commands run inside a sandbox that is managed from outside. ${networkText(policy.networkAccess)}`;
    default:
      return assertNever(policy);
  }
}

function networkText(enabled: boolean): string {
  return enabled ? 'Network access is on.' : 'Network access is off.';
}

/** Only where somebody can be asked. */
const PREFIX_RULE =
  'With `prefix_rule`, the first words of a command you will need again, you offer the user a rule for all commands that start so; keep it narrow: a bare interpreter, shell, wrapper or `git` is refused.';

function approvalText(policy: ApprovalPolicy): string {
  switch (policy) {
    case 'untrusted':
      return `Approvals: the user is asked before every command that is not known to be read-only, and before every patch. ${PREFIX_RULE}`;
    case 'on-failure':
      return 'Approvals: commands run in the sandbox; when it stops one, the user is asked whether to run it outside.';
    case 'on-request':
      return `Approvals: if a command must go beyond the sandbox (write elsewhere, use the network, or because the sandbox stopped it), call it with \`sandbox_permissions: "require_escalated"\` and a one-sentence question to the user as \`justification\`. Ask only for what the task needs, one command at a time. ${PREFIX_RULE}`;
    case 'never':
      return 'Approvals: nobody will be asked. What is not allowed fails; work within that and do not ask for escalation.';
    default:
      return assertNever(policy);
  }
}
