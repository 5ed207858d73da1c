import type { TurnSettings } from '../../protocol/event.ts';
import { allowsNetwork, type ApprovalPolicy, type SandboxPolicy } from '../../protocol/policy.ts';
import { type MessageItem, textOf } from '../../protocol/responseItem.ts';
import type { SandboxLimits } from '../ports.ts';
import { assertNever } from '../util/assertNever.ts';
import { escapeMarkup } from './markup.ts';

/**
 * A developer message with the permissions and how to ask for more (topics: codex-behaviour.md §7). `temporary`: where
 * sandboxed commands of the thread write temporary files. `allowedHosts`: what they may reach without network.
 */
export function permissionsMessage(
  settings: TurnSettings,
  temporary: SandboxLimits['temporary'],
  allowedHosts: readonly string[],
): MessageItem {
  const lines = [
    `Sandbox: ${sandboxText(settings)}`,
    ...hostsText(settings, allowedHosts),
    ...temporaryText(temporary),
    settings.planMode === true ? PLAN_MODE : `Approvals: ${approvalSentences(settings).join(' ')}`,
  ];
  const text = ['<permissions>', ...lines, '</permissions>'].join('\n');
  return { type: 'message', role: 'developer', content: [{ type: 'input_text', text }] };
}

/** True for a message that this file has made, also in the history of an earlier process. */
export function isPermissionsMessage(message: MessageItem): boolean {
  return message.role === 'developer' && textOf(message.content).startsWith('<permissions>');
}

const PLAN_MODE =
  'Approvals: plan mode, in which commands that are known to only read run, and all others and every patch are refused. Do not use `sandbox_permissions`.';

/** The confinement of commands: Tiller's sandbox; none, because none works; or none, because none is required. */
type Limits = 'sandboxed' | 'no-sandbox' | 'unrestricted';

function limitsOf({ sandboxPolicy, box }: TurnSettings): Limits {
  if (sandboxPolicy.type === 'danger-full-access' || sandboxPolicy.type === 'external-sandbox') return 'unrestricted';
  return box === 'none' ? 'no-sandbox' : 'sandboxed';
}

function sandboxText(settings: TurnSettings): string {
  const policy = settings.sandboxPolicy;
  const isMissing = limitsOf(settings) === 'no-sandbox';
  switch (policy.type) {
    case 'read-only':
      return isMissing
        ? 'read-only, but no sandbox is available on this machine.'
        : `read-only. Commands may read files, not write them, except temporary ones. ${networkText(policy)}`;
    case 'workspace-write':
      return isMissing
        ? 'workspace-write, but no sandbox is available on this machine. Write only in the working directory and the writable roots.'
        : `workspace-write. Commands may read everywhere and write in the working directory and the writable roots, except .git and tool settings such as .vscode. ${networkText(policy)}`;
    case 'danger-full-access':
      return 'none. Commands and patches have all rights of the user, everywhere and on the network; take care.';
    case 'external-sandbox':
      return `commands and patches run inside a sandbox that is managed from outside; what it forbids fails. ${networkText(policy)}`;
    default:
      return assertNever(policy);
  }
}

function networkText(policy: SandboxPolicy): string {
  return allowsNetwork(policy) ? 'Network access is on.' : 'Network access is off.';
}

/** The model finds out about further hosts by its commands. */
const MAX_HOSTS = 50;

function hostsText(settings: TurnSettings, allowed: readonly string[]): readonly string[] {
  const { sandboxPolicy } = settings;
  if (allowed.length === 0 || allowsNetwork(sandboxPolicy) || limitsOf(settings) !== 'sandboxed') return [];
  const hosts = [...new Set(allowed)].slice(0, MAX_HOSTS).join(', ');
  return [`Hosts: by HTTP and HTTPS, through the proxy that their environment names, commands may reach ${hosts}.`];
}

function temporaryText({ folder, seenAt, isTmpdir }: SandboxLimits['temporary']): readonly string[] {
  if (seenAt.length === 0) return [];
  const names = [...(isTmpdir ? ['$TMPDIR'] : []), ...seenAt.filter((at) => at !== folder)];
  const [first = '', second] = names;
  const other = second === undefined ? '' : ` To commands in the sandbox and to patches ${second} is the same folder.`;
  const outside = names.includes('/tmp')
    ? " Commands outside the sandbox see the machine's /tmp: give them that path."
    : '';
  return [`Temporary files: ${first} is ${escapeMarkup(folder)}, private to this thread.${other}${outside}`];
}

const ASKED_BEFORE_ALL = 'the user is asked before every command that is not known to only read';
/** The dangerous row of the decision table: `rm -f`, `git reset` and similar commands (codex-behaviour.md §6.8). */
const DESTRUCTIVE = 'commands that destroy work, such as `rm -f`';
const RETRY = 'when the sandbox stops a command, the user is asked whether to run it outside.';
const NOT_ESCALATED = 'Do not use `sandbox_permissions`.';
const PREFIX_RULE =
  'With `prefix_rule`, the first words of a command you will need again, you offer the user a rule for all commands that start so; keep it narrow: a bare interpreter, shell, wrapper or `git` is refused.';

function approvalSentences(settings: TurnSettings): readonly string[] {
  const { approvalPolicy, sandboxPolicy } = settings;
  const limits = limitsOf(settings);
  const patches = sandboxPolicy.type === 'read-only' ? 'every patch' : 'patches outside the writable folders';
  switch (approvalPolicy) {
    case 'untrusted':
      return [
        `${ASKED_BEFORE_ALL}, and before every patch.`,
        ...(limits === 'sandboxed' ? [`Approved commands run in the sandbox; ${RETRY}`] : []),
        NOT_ESCALATED,
        PREFIX_RULE,
      ];
    case 'never':
      return ['the user is never asked.', ...withoutQuestions(limits, sandboxPolicy)];
    case 'on-failure':
    case 'on-request':
      return withQuestions(limits, patches, approvalPolicy, sandboxPolicy);
    default:
      return assertNever(approvalPolicy);
  }
}

function withQuestions(
  limits: Limits,
  patches: string,
  approvalPolicy: ApprovalPolicy,
  sandboxPolicy: SandboxPolicy,
): readonly string[] {
  switch (limits) {
    case 'sandboxed':
      return [
        `commands run in the sandbox; the user is asked before ${DESTRUCTIVE}, and before ${patches}.`,
        ...(approvalPolicy === 'on-request'
          ? [escalationText(sandboxPolicy), PREFIX_RULE]
          : [`${sentence(RETRY)} ${NOT_ESCALATED}`]),
      ];
    case 'no-sandbox':
      return [`${ASKED_BEFORE_ALL}, and before ${patches}.`, NOT_ESCALATED, PREFIX_RULE];
    case 'unrestricted':
      return [`commands run without a question; the user is asked before ${DESTRUCTIVE}.`, NOT_ESCALATED];
    default:
      return assertNever(limits);
  }
}

function escalationText(policy: SandboxPolicy): string {
  const network = allowsNetwork(policy) ? '' : 'use the network, ';
  return `If a command must go beyond the sandbox (write elsewhere, ${network}or because the sandbox stopped it), call it with \`sandbox_permissions: "require_escalated"\` and a one-sentence question to the user as \`justification\`. Ask only for what the task needs, one command at a time.`;
}

function withoutQuestions(limits: Limits, { type }: SandboxPolicy): readonly string[] {
  const patches = type === 'read-only' ? 'Patches are refused.' : 'Patches outside the writable folders are refused.';
  switch (limits) {
    case 'sandboxed':
      return [
        `Commands run in the sandbox, and what it does not allow fails; ${DESTRUCTIVE}, are refused. ${patches}`,
        'Work within that and do not ask for escalation.',
      ];
    case 'no-sandbox':
      return [
        `Only commands that are known to only read run; all others are refused. ${patches}`,
        'Work within that and do not ask for escalation.',
      ];
    case 'unrestricted':
      return [`Commands run, except ${DESTRUCTIVE}, which are refused.`, NOT_ESCALATED];
    default:
      return assertNever(limits);
  }
}

function sentence(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
