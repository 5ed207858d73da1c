import type { ComponentChildren } from 'preact';
import { leavesSandbox } from '../../src/protocol/approval.ts';
import type { ApprovalRequest } from '../../src/protocol/event.ts';
import type { SandboxMechanism } from '../../src/protocol/policy.ts';
import { ruleSubject } from '../../src/protocol/text/ruleLabels.ts';
import { visibleText } from '../../src/protocol/text/escapeInvisible.ts';
import { decide } from '../actions.ts';
import { decisionTitle } from './titles.ts';
import { reasonInFull, reasonName } from '../text/reasons.ts';
import { plural, say, t } from '../l10n.ts';
import { settings } from '../store.ts';
import { makingRule } from '../view.ts';
import { type Answer, DecisionCard } from './DecisionCard.tsx';
import { Elsewhere } from './Elsewhere.tsx';
import { Icon } from '../components/Icon.tsx';
import { RuleRow } from './RuleRow.tsx';

/** The id of the element with the command. */
const COMMAND = 'asked-command';

type Part = NonNullable<ApprovalRequest['parts']>[number];

/** Approval of a command, a tool or a run outside the sandbox: what it is, why it is asked, where it would run. */
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
  } = request;
  return (
    <DecisionCard
      id={approvalId}
      testid="approval-command"
      title={decisionTitle({ type: 'approval', id: approvalId, request })}
      icon={leavesSandbox(request) ? 'warning' : undefined}
      isRisky={leavesSandbox(request)}
      subjectId={COMMAND}
      answers={approvalsOffered(request)}
      deny={denyOf(request)}
      stop={stopOf(request)}
      wider={widerAnswers(request)}
      instead={ruleRow(request)}
    >
      {command !== '' && (
        <pre class="band" tabIndex={0} role="group" aria-label={t('Command')} data-testid="approval-command-text">
          <code id={COMMAND}>{visibleText(command)}</code>
        </pre>
      )}
      <Elsewhere request={request} />
      <dl class="facts">
        {unsaved.length > 0 && (
          <Fact name={t('Not saved')}>
            <span data-testid="approval-unsaved">{unsaved.map((file) => fileIn(file, cwd)).join(', ')}</span>
          </Fact>
        )}
        {justification && <Fact name={t('Purpose')}>{t('“{0}”', visibleText(justification))}</Fact>}
        <Fact name={t('Asked because')}>
          {visibleText(reason.text)} <span class="reason-name">{t('({0})', reasonName(reason))}</span>
        </Fact>
        {alsoItems.length > 0 && (
          <Fact name={t('Asked for')}>
            {plural(alsoItems.length, 'this and {0} call of the same', 'this and {0} calls of the same')}
          </Fact>
        )}
        {cwd !== undefined && <Fact name={t('Runs in')}>{runsIn(cwd, box, leavesSandbox(request))}</Fact>}
        {request.tty && <Fact name={t('Terminal')}>{t('Tiller may type into it while it runs')}</Fact>}
        {parts.length > 1 && (
          <Fact name={t('Parts')}>
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

/** When a patch left files unsaved, the command would read their old text, so saving them is offered. */
function approvalsOffered({ approvalId, choices }: ApprovalRequest): Answer[] {
  const approve = { testid: 'decision-approve', act: () => decide(approvalId, 'approved') };
  if (!choices.includes('approved_saving')) return [{ ...approve, label: t('Approve once'), shortcut: 'Enter' }];
  return [
    {
      testid: 'decision-approve-saving',
      label: t('Save these and run'),
      shortcut: 'Enter',
      act: () => decide(approvalId, 'approved_saving'),
    },
    { ...approve, label: t('Run anyway'), shortcut: 'R' },
  ];
}

function Fact({ name, children }: { name: string; children: ComponentChildren }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd>{children}</dd>
    </div>
  );
}

/** The path relative to the command's working directory, if it is inside. */
function fileIn(file: string, cwd = ''): string {
  return cwd !== '' && file.startsWith(`${cwd}/`) ? file.slice(cwd.length + 1) : file;
}

function runsIn(cwd: string, box: SandboxMechanism | undefined, leavesSandbox: boolean): ComponentChildren {
  const place = <code>{visibleText(cwd)}</code>;
  if (leavesSandbox) return say('{0}, outside the sandbox', place);
  const policy = settings.value?.sandboxPolicy;
  if (box === 'none' && policy?.type === 'danger-full-access') return say('{0}, no sandbox: full access', place);
  if (box === 'none') return say('{0}, no sandbox on this machine', place);
  if (box === undefined) return place;
  const hasNetwork = policy !== undefined && 'networkAccess' in policy && policy.networkAccess;
  return hasNetwork ? say('{0}, in the sandbox', place) : say('{0}, in the sandbox: no network', place);
}

/** Each sub-command with its own verdict; those that need approval are marked. */
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
  if (verdict === 'allow') return reason.source === 'rule' ? t('always allowed') : t('harmless');
  if (reason.id === 'dangerous') return t('dangerous');
  if (reason.id === 'network') return t('needs network');
  return reason.source === 'sandbox' ? t('leaves the sandbox') : t('needs you');
}

export function denyOf({ approvalId, choices }: ApprovalRequest): ((word: string) => void) | undefined {
  if (!choices.includes('denied')) return undefined;
  return (word) => decide(approvalId, { denied: word === '' ? {} : { message: word } });
}

export function stopOf({ approvalId, choices }: ApprovalRequest): Answer | undefined {
  if (!choices.includes('abort')) return undefined;
  return { testid: 'decision-stop', label: t('Stop'), shortcut: 'Esc', act: () => decide(approvalId, 'abort') };
}

function ruleRow(request: ApprovalRequest): ComponentChildren {
  const { approvalId, proposedRule } = request;
  if (makingRule.value !== approvalId || proposedRule === undefined) return null;
  return <RuleRow request={request} proposed={proposedRule} onBack={() => (makingRule.value = null)} />;
}

export function widerAnswers({ approvalId, choices, proposedRule: rule }: ApprovalRequest): Answer[] {
  const answers: Answer[] = [];
  if (choices.includes('approved_for_thread')) {
    answers.push({
      testid: 'decision-approve-thread',
      label: t('Approve for this thread'),
      shortcut: 'T',
      act: () => decide(approvalId, 'approved_for_thread'),
    });
  }
  if (choices.includes('approved_rule') && rule !== undefined) {
    answers.push({
      testid: 'decision-approve-always',
      label: say('Always for {0}', <code>{ruleSubject(rule)}</code>),
      shortcut: 'A',
      act: () => (makingRule.value = approvalId),
    });
  }
  return answers;
}
