import type { ComponentChildren } from 'preact';
import { useEffect } from 'preact/hooks';
import { isDestructive, leavesSandbox } from '../../src/protocol/approval.ts';
import type { ApprovalRequest } from '../../src/protocol/event.ts';
import type { RuleScope, SandboxMechanism } from '../../src/protocol/policy.ts';
import type { RuleSuggestion } from '../../src/protocol/rules.ts';
import { ruleSubject } from '../../src/protocol/text/ruleLabels.ts';
import { insideOf } from '../../src/protocol/text/relativizePaths.ts';
import { visibleText } from '../../src/protocol/text/escapeInvisible.ts';
import { decide } from '../actions.ts';
import { post } from '../bridge.ts';
import { decisionTitle } from './titles.ts';
import { pathFrom } from '../text/filePaths.ts';
import { reasonInFull } from '../text/reasons.ts';
import { plural, say, t } from '../l10n.ts';
import { cwd as root, ruleSuggestion, settings } from '../store.ts';
import { makingRule } from '../view.ts';
import { type Answer, DecisionCard } from './DecisionCard.tsx';
import { Link } from '../components/Buttons.tsx';
import { Fact } from '../components/Facts.tsx';
import { Elsewhere } from './Elsewhere.tsx';
import { Icon, Spinner } from '../components/Icon.tsx';
import { RuleRow } from './RuleRow.tsx';
import { ToolFacts } from './ToolFacts.tsx';

/** The id of the element with the command. */
const COMMAND = 'asked-command';

type Part = NonNullable<ApprovalRequest['parts']>[number];

/**
 * The card to approve a command, a call of a tool, or a run outside the sandbox: shows its subject, the reason of the
 * request and the folder.
 */
export function CommandApproval({ request }: { request: ApprovalRequest }) {
  const {
    approvalId,
    command = '',
    justification,
    parts = [],
    reason,
    cwd,
    box,
    alsoItems = [],
    unsaved = [],
    hosts = [],
  } = request;
  const isRisky = leavesSandbox(request) || isDestructive(request);
  return (
    <DecisionCard
      id={approvalId}
      testid="approval-command"
      title={decisionTitle({ type: 'approval', id: approvalId, request })}
      icon={isRisky ? 'warning' : undefined}
      isRisky={isRisky}
      noDefault={isDestructive(request)}
      subjectId={COMMAND}
      answers={[firstAnswer(request)]}
      deny={denyOf(request)}
      escape={escapeOf(request)}
      wider={widerAnswers(request)}
      instead={ruleRow(request)}
    >
      {command !== '' && (
        <pre class="band" tabIndex={0} role="group" aria-label={t('Command')} data-testid="approval-command-text">
          <code id={COMMAND}>{visibleText(command)}</code>
        </pre>
      )}
      <InReview reviewer={request.reviewer} />
      <Elsewhere request={request} />
      <Offer request={request} />
      <dl class="facts">
        <ToolFacts tool={request.tool} />
        {hosts.length > 0 && (
          <Fact name={t('Hosts')}>
            <span data-testid="approval-hosts">
              {hosts.map((host) => (
                <code key={host} class="rule-still">
                  {visibleText(host)}
                </code>
              ))}
            </span>
          </Fact>
        )}
        {unsaved.length > 0 && (
          <Fact name={t('Unsaved')}>
            <span data-testid="approval-unsaved">{unsaved.map((file) => pathFrom(cwd ?? '', file)).join(', ')}</span>
          </Fact>
        )}
        {justification && <Fact name={t('Model’s reason')}>{t('“{0}”', visibleText(justification))}</Fact>}
        <ReviewFact reviewer={request.reviewer} />
        <Fact name={t('Why you’re asked')}>{insideOf(root.value, reasonInFull(reason))}</Fact>
        {alsoItems.length > 0 && (
          <Fact name={t('Applies to')}>
            {plural(alsoItems.length, 'this and {0} identical call', 'this and {0} identical calls')}
          </Fact>
        )}
        {cwd !== undefined && <Fact name={t('Directory')}>{runsIn(cwd, box, request)}</Fact>}
        {request.tty && <Fact name={t('Terminal')}>{t('Tiller may type into it while it runs')}</Fact>}
        {parts.length > 1 && (
          <Fact name={t('Commands')}>
            <ul class="parts">
              {parts.map((part, index) => (
                <PartLine key={index} part={part} />
              ))}
            </ul>
          </Fact>
        )}
      </dl>
    </DecisionCard>
  );
}

/** While a model reviews the request: the buttons answer it at once. */
function InReview({ reviewer }: Pick<ApprovalRequest, 'reviewer'>) {
  if (reviewer?.state !== 'reviewing') return null;
  return (
    <p class="decide-lead" role="status" data-testid="approval-reviewing">
      <Spinner />
      <span>{say('{0} is reviewing this… You can answer first.', <code>{visibleText(reviewer.model)}</code>)}</span>
    </p>
  );
}

/** The reason of the model for leaving the request to the user. */
function ReviewFact({ reviewer }: Pick<ApprovalRequest, 'reviewer'>) {
  if (reviewer === undefined || reviewer.state === 'reviewing') return null;
  const text = visibleText(reviewer.text ?? '');
  return (
    <Fact name={t('Reviewer')}>
      <span data-testid="approval-review">
        <code>{visibleText(reviewer.model)}</code>: {reviewer.state === 'asks' ? t('“{0}”', text) : text}
      </span>
    </Fact>
  );
}

/**
 * Returns the first answer. If a patch has left files unsaved, a command would read their old text, so the answer saves
 * them first.
 */
function firstAnswer(request: ApprovalRequest): Answer {
  const { approvalId, choices } = request;
  // A command that can destroy work has no shortcut: it must not be approved by habit.
  const key = isDestructive(request) ? {} : { shortcut: 'Enter' };
  if (!choices.includes('approved_saving')) {
    const act = () => decide(approvalId, 'approved');
    return { testid: 'decision-approve', label: t('Approve Once'), ...key, act };
  }
  const act = () => decide(approvalId, 'approved_saving');
  return { testid: 'decision-approve-saving', label: t('Save and Run'), ...key, act };
}

/** Returns the rule that the host suggests for this request, if it has sent one. */
function suggestionOf({ approvalId, choices }: ApprovalRequest): RuleSuggestion | undefined {
  const { value } = ruleSuggestion;
  return choices.includes('approved_rule') && value?.approvalId === approvalId ? value.suggestion : undefined;
}

/** Offers to make a rule once the user has approved the same command several times. */
function Offer({ request }: { request: ApprovalRequest }) {
  const { approvalId, choices, kind } = request;
  const canHaveRule = kind === 'command' && choices.includes('approved_rule') && !isDestructive(request);
  useEffect(() => {
    if (canHaveRule) post({ type: 'suggest_rule', approvalId });
  }, [approvalId, canHaveRule]);
  const suggestion = suggestionOf(request);
  if (suggestion === undefined || !canHaveRule) return null;
  return (
    <p class="decide-lead" data-testid="rule-offer">
      <Icon name="lightbulb" />
      <span>
        {plural(suggestion.approvals, 'You approved this {0} time.', 'You approved this {0} times.')}{' '}
        <Link testid="rule-offer-show" onClick={() => (makingRule.value = approvalId)}>
          {say('Always Allow {0}', <code>{ruleSubject(suggestion.rule)}</code>)}
        </Link>
      </span>
    </p>
  );
}

function runsIn(cwd: string, box: SandboxMechanism | undefined, request: ApprovalRequest): ComponentChildren {
  const place = placeOf(cwd);
  if (request.hosts !== undefined) return say('{0}, in the sandbox: these hosts only', place);
  if (leavesSandbox(request)) return say('{0}, outside the sandbox', place);
  const policy = settings.value?.sandboxPolicy;
  if (box === 'none' && policy?.type === 'danger-full-access') return say('{0}, no sandbox: full access', place);
  if (box === 'none') return say('{0}, no sandbox on this machine', place);
  if (box === undefined) return place;
  const hasNetwork = policy !== undefined && 'networkAccess' in policy && policy.networkAccess;
  return hasNetwork ? say('{0}, in the sandbox', place) : say('{0}, in the sandbox: no network', place);
}

/** Describes the working directory relative to the workspace; the whole path if it is elsewhere. */
function placeOf(cwd: string): ComponentChildren {
  if (cwd === root.value) return t('workspace');
  return <code>{visibleText(pathFrom(root.value ?? '', cwd))}</code>;
}

/** One sub-command with its verdict. Those that need approval are marked. */
function PartLine({ part }: { part: Part }) {
  const needsApproval = part.verdict !== 'allow';
  return (
    <li data-need={needsApproval ? 'yes' : 'no'}>
      <Icon name={part.verdict === 'allow' ? 'check' : part.verdict === 'prompt' ? 'question' : 'circle-slash'} />
      <code>{visibleText(part.command)}</code>
      <span class="part-why" title={reasonInFull(part.reason)}>
        {verdictWord(part)}
      </span>
    </li>
  );
}

function verdictWord({ verdict, reason }: Part): string {
  if (verdict === 'forbidden') return t('forbidden');
  if (verdict === 'allow') return allowedBecause(reason);
  if (reason.id === 'dangerous') return t('dangerous');
  if (reason.id === 'network') return t('needs network');
  return reason.source === 'sandbox' ? t('leaves the sandbox') : t('needs approval');
}

function allowedBecause({ source, id }: Part['reason']): string {
  if (source === 'rule') return t('always allowed');
  return id === 'known-safe' ? t('read-only') : t('allowed');
}

/**
 * Returns the callback of "Deny"; its argument is the user's message to the model. Returns `undefined` if the request
 * cannot be denied.
 */
export function denyOf({ approvalId, choices }: ApprovalRequest): ((word: string) => void) | undefined {
  if (!choices.includes('denied')) return undefined;
  return (word) => decide(approvalId, { denied: word === '' ? {} : { message: word } });
}

/** Returns the callback of Esc, which stops the turn. There is no button for it on the card: the composer has one. */
export function escapeOf({ approvalId, choices }: ApprovalRequest): (() => void) | undefined {
  return choices.includes('abort') ? () => decide(approvalId, 'abort') : undefined;
}

/** Returns the form for a rule while the user makes one from this request. */
export function ruleRow(request: ApprovalRequest): ComponentChildren {
  const { approvalId, proposedRule } = request;
  if (makingRule.value !== approvalId || proposedRule === undefined) return null;
  const suggestion = suggestionOf(request);
  return (
    <RuleRow
      key={approvalId}
      request={request}
      proposed={suggestion?.rule ?? proposedRule}
      suggestion={suggestion}
      onBack={() => (makingRule.value = null)}
    />
  );
}

/**
 * Returns further ways to approve: those that cover more than this request, and the one that runs the command on the
 * old text of unsaved files.
 */
export function widerAnswers(request: ApprovalRequest): Answer[] {
  const { approvalId, choices, proposedRule } = request;
  const answers: Answer[] = [];
  if (choices.includes('approved_saving') && choices.includes('approved')) {
    answers.push({
      testid: 'decision-approve',
      label: t('Run Without Saving'),
      shortcut: 'R',
      act: () => decide(approvalId, 'approved'),
    });
  }
  if (choices.includes('approved_for_thread')) {
    answers.push({
      testid: 'decision-approve-thread',
      label: t('Approve for This Thread'),
      shortcut: 'T',
      act: () => decide(approvalId, 'approved_for_thread'),
    });
  }
  if (request.hosts !== undefined) return [...answers, ...hostAnswers(request)];
  const rule = suggestionOf(request)?.rule ?? proposedRule;
  if (choices.includes('approved_rule') && rule !== undefined) {
    answers.push({
      testid: 'decision-approve-always',
      label: say('Always Allow {0}', <code>{ruleSubject(rule)}</code>),
      shortcut: 'A',
      act: () => (makingRule.value = approvalId),
    });
  }
  if (choices.includes('approved_tool')) {
    answers.push(
      {
        testid: 'decision-approve-tool-workspace',
        label: t('Always in This Workspace'),
        shortcut: 'W',
        act: () => decide(approvalId, { approved_tool: { scope: 'workspace' } }),
      },
      {
        testid: 'decision-approve-tool-always',
        label: t('Always'),
        shortcut: 'A',
        act: () => decide(approvalId, { approved_tool: { scope: 'user' } }),
      },
    );
  }
  return answers;
}

/** The scopes in which hosts are allowed by a rule. */
function hostAnswers({ approvalId, choices, proposedRule: rule }: ApprovalRequest): Answer[] {
  if (!choices.includes('approved_rule') || rule === undefined) return [];
  const allow = (scope: RuleScope) => () => decide(approvalId, { approved_rule: { rule, scope } });
  return [
    {
      testid: 'decision-hosts-thread',
      label: t('Allow for This Thread'),
      shortcut: 'T',
      act: allow('thread'),
    },
    {
      testid: 'decision-hosts-workspace',
      label: t('Always in This Workspace'),
      shortcut: 'W',
      act: allow('workspace'),
    },
    { testid: 'decision-hosts-always', label: t('Always'), shortcut: 'A', act: allow('user') },
  ];
}
