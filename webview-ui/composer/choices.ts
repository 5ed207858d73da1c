/** The values that the menus at the chips and the commands of the composer offer. */
import type { ReasoningEffort } from '../../src/protocol/op.ts';
import type {
  ApprovalPolicy,
  ApprovalReviewerSetting,
  ChatMode,
  ReviewSetting,
  SandboxMode,
} from '../../src/protocol/policy.ts';
import type { PanelSettings, WebviewMessage } from '../../src/protocol/wire.ts';
import { runCommand } from '../actions.ts';
import { post } from '../bridge.ts';
import { t } from '../l10n.ts';
import { effort, settings } from '../store.ts';

export interface Choice {
  readonly label: string;
  /** One line; may be empty. */
  readonly detail: string;
  /** True for the present value of the setting. */
  readonly isCurrent?: boolean;
  /** True if the choice sets no value but opens further choices. */
  readonly isAction?: boolean;
  /** True if the choice removes a protection; it is marked as risky. */
  readonly isRisky?: boolean;
  readonly run: () => void;
}

/** Asks the host to change a setting of the shown thread. The new settings arrive as an event. */
export function choose(what: Extract<WebviewMessage, { type: 'choose' }>['what']): void {
  post({ type: 'choose', what });
}

/** The name of a mode on its button and in the menu. */
export function modeLabel(mode: ChatMode): string {
  const labels: Record<ChatMode, string> = {
    chat: t('Chat'),
    agent: t('Agent'),
    plan: t('Plan'),
    'full-access': t('Full access'),
  };
  return labels[mode];
}

/** Returns the modes. Choosing one also restores the model that was last used in it. */
export function modeChoices(): readonly Choice[] {
  const modes: readonly (readonly [ChatMode, string])[] = [
    ['chat', t('Answers questions; makes no changes.')],
    ['agent', t('Edits files and runs commands; asks before going beyond the sandbox.')],
    ['plan', t('Only reads, and proposes a plan that you edit and run.')],
    ['full-access', t('Edits and runs everything without asking. Use with caution.')],
  ];
  return modes.map(([mode, about]) => {
    const last = settings.value?.modelOfMode[mode];
    const model = last && (last.effort === null ? last.model : t('{0}, {1}', last.model, effortLabel(last.effort)));
    return {
      label: modeLabel(mode),
      detail: model === undefined ? about : `${about} ${t('Model: {0}', model)}`,
      isCurrent: settings.value?.mode === mode,
      isRisky: mode === 'full-access',
      run: () => choose({ type: 'mode', mode }),
    };
  });
}

/** Returns the choice that starts a new thread in which an agent of a file works from the start. */
export function agentChoice(): Choice {
  return {
    label: t('New Thread with Agent…'),
    detail: t('Works with the instructions, tools and model of an agent file.'),
    isAction: true,
    run: () => runCommand('newThreadWithAgent'),
  };
}

/** The name of an approval policy on its button and in the menu. */
export function approvalLabel(policy: ApprovalPolicy): string {
  const labels: Record<ApprovalPolicy, string> = {
    untrusted: t('Always ask'),
    'on-request': t('Ask on request'),
    'on-failure': t('Ask on failure'),
    never: t('Never ask'),
  };
  return labels[policy];
}

/** The rows of the menu for approvals. */
export function approvalChoices(): readonly Choice[] {
  const policies: readonly (readonly [ApprovalPolicy, string])[] = [
    ['untrusted', t('Asks before every command that is not known to be read-only.')],
    ['on-request', t('Asks when the model wants more than the sandbox allows.')],
    ['on-failure', t('Asks when a command fails in the sandbox.')],
    ['never', t('Never asks; what needs approval is refused.')],
  ];
  return policies.map(([policy, detail]) => ({
    label: approvalLabel(policy),
    detail,
    isCurrent: settings.value?.approvalPolicy === policy,
    run: () => choose({ type: 'approvals', policy }),
  }));
}

/**
 * Returns the values of the setting `tiller.review`; empty under an approval policy that decides about all patches
 * itself.
 */
export function reviewChoices(): readonly Choice[] {
  const policy = settings.value?.approvalPolicy;
  if (policy !== 'on-request' && policy !== 'on-failure') return [];
  const reviews: readonly (readonly [ReviewSetting, label: string, detail: string])[] = [
    ['before', t('Review first'), t('Asks before a patch is applied.')],
    ['after', t('Apply at once'), t('Applies patches in the workspace; you keep or undo each change afterwards.')],
  ];
  return reviews.map(([review, label, detail]) => ({
    label,
    detail,
    isCurrent: settings.value?.review === review,
    run: () => choose({ type: 'review', review }),
  }));
}

/**
 * The setting `tiller.approvals.reviewer`. Empty where nothing is asked that a model may answer: under another policy, and
 * without a sandbox.
 */
export function reviewerChoices(): readonly Choice[] {
  const { value } = settings;
  if (value === null || value.approvalPolicy !== 'untrusted' || !isConfined(value)) return [];
  const reviewers: readonly (readonly [ApprovalReviewerSetting, label: string, detail: string])[] = [
    ['user', t('Ask me'), t('You are asked about every command.')],
    [
      'model',
      t('A model reviews'),
      t('A model may allow commands that stay in the sandbox; you are asked about all else.'),
    ],
  ];
  return reviewers.map(([reviewer, label, detail]) => ({
    label,
    detail,
    isCurrent: value.reviewer === reviewer,
    run: () => choose({ type: 'reviewer', reviewer }),
  }));
}

/** The sandbox of Tiller confines commands, without network. */
function isConfined({ sandboxPolicy, box }: PanelSettings): boolean {
  const { type } = sandboxPolicy;
  if (box === 'none' || (type !== 'read-only' && type !== 'workspace-write')) return false;
  return !sandboxPolicy.networkAccess;
}

/** The rows of the menu for the sandbox. */
export function sandboxChoices(): readonly Choice[] {
  const modes: readonly (readonly [SandboxMode, label: string, detail: string])[] = [
    ['read-only', t('Read-only'), t('Commands can read files, but not change them.')],
    ['workspace-write', t('Workspace'), t('Commands can write in the workspace; no network.')],
    ['danger-full-access', t('No sandbox'), t('Commands run with all your permissions.')],
  ];
  return modes.map(([mode, label, detail]) => ({
    label,
    detail,
    isCurrent: settings.value?.sandboxPolicy.type === mode,
    isRisky: mode === 'danger-full-access',
    run: () => choose({ type: 'sandbox', mode }),
  }));
}

/** The name of a reasoning effort on its button and in the menu. */
export function effortLabel(effort: ReasoningEffort): string {
  const labels: Record<ReasoningEffort, string> = {
    none: t('None'),
    minimal: t('Minimal'),
    low: t('Low'),
    medium: t('Medium'),
    high: t('High'),
    xhigh: t('Extra high'),
  };
  return labels[effort];
}

/** Returns the effort of the next turn; `null` for the model's default, and for a model that takes no effort. */
export function currentEffort({ efforts, effort: chosen }: PanelSettings): ReasoningEffort | null {
  return efforts === null ? null : (effort.value ?? chosen);
}

/** Returns the efforts of the model; empty if it takes none. */
export function effortChoices(): readonly Choice[] {
  const { value } = settings;
  if (value === null || value.efforts === null || value.model === null) return [];
  const current = currentEffort(value);
  return [null, ...value.efforts].map((effort) => ({
    label: effort === null ? t('Default') : effortLabel(effort),
    detail: '',
    isCurrent: current === effort,
    run: () => choose({ type: 'effort', effort }),
  }));
}
