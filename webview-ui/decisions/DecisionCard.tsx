import type { ComponentChildren } from 'preact';
import { t } from '../l10n.ts';
import { approvals, waiting, wantsList } from '../store.ts';
import { decisionIndex, denying, showDecision } from '../view.ts';
import { Button, IconButton } from '../components/Buttons.tsx';
import { DenyRow } from './DenyRow.tsx';
import { Icon } from '../components/Icon.tsx';

/** One answer. `shortcut` works only while the card has the focus. */
export interface Answer {
  readonly testid: string;
  readonly label: ComponentChildren;
  readonly shortcut?: string;
  readonly icon?: string;
  readonly disabled?: boolean;
  readonly act: () => void;
}

export interface DecisionCardProps {
  id: string;
  testid: string;
  title: string;
  icon?: string | undefined;
  isRisky?: boolean;
  aside?: ComponentChildren;
  /** Whether its place among the pending requests is shown, with links to the others; the default is true. */
  hasPlace?: boolean;
  children: ComponentChildren;
  /** The id of the subject, read out with the first answer. */
  subjectId?: string;
  /** The first one is the filled button. */
  answers: readonly Answer[];
  /** Opens a field for the message of the denial, in place of the answers. */
  deny?: ((word: string) => void) | undefined;
  denyLabel?: string;
  /** Shown in place of the answers, when set. */
  instead?: ComponentChildren;
  stop?: Answer | undefined;
  /** Approvals that go further than this request; less prominent on purpose. */
  wider?: readonly Answer[];
}

/** The evidence scrolls inside the card; the buttons are always visible. */
export function DecisionCard(props: DecisionCardProps) {
  const { id, testid, title, icon, isRisky = false, aside, hasPlace = true } = props;
  const { children, subjectId, answers, deny, denyLabel = t('Deny…'), instead, stop, wider = [] } = props;
  const isDenying = deny !== undefined && denying.value === id;
  const openDenial: Answer = {
    testid: 'decision-deny',
    label: denyLabel,
    shortcut: 'D',
    act: () => (denying.value = id),
  };
  const all = [
    ...answers,
    ...(deny ? [openDenial] : []),
    ...wider,
    ...(stop ? [stop] : []),
    ...(hasPlace && approvals.value.length > 1 ? [SHOW_LIST] : []),
  ];
  return (
    <section
      class={isRisky ? 'decide is-risk' : 'decide'}
      aria-label={title}
      data-testid={testid}
      onKeyDown={(event) => !isDenying && !instead && answerKey(event, all)}
    >
      <div class="decide-head">
        {icon && (
          <span class="step-icon">
            <Icon name={icon} />
          </span>
        )}
        <h3 class="decide-title">{title}</h3>
        {aside}
        {hasPlace && <Place />}
      </div>
      <div class="decide-body">{children}</div>
      <div class="decide-foot">
        {isDenying && <DenyRow onDeny={deny} onBack={() => (denying.value = null)} />}
        {!isDenying &&
          (instead || (
            <>
              <div class="decide-buttons">
                {answers.map((answer, index) => (
                  <AnswerButton
                    key={answer.testid}
                    answer={answer}
                    kind={index === 0 ? 'primary' : 'secondary'}
                    describedBy={index === 0 ? subjectId : undefined}
                  />
                ))}
                {deny && <AnswerButton answer={openDenial} kind="secondary" />}
                {stop && <AnswerButton answer={stop} kind="quiet" />}
              </div>
              {wider.length > 0 && (
                <div class="decide-remember">
                  {wider.map((answer) => (
                    <AnswerButton key={answer.testid} answer={answer} kind="quiet" />
                  ))}
                </div>
              )}
            </>
          ))}
      </div>
    </section>
  );
}

function AnswerButton(props: {
  answer: Answer;
  kind: 'primary' | 'secondary' | 'quiet';
  describedBy?: string | undefined;
}) {
  const { answer, kind, describedBy } = props;
  return (
    <Button
      testid={answer.testid}
      kind={kind}
      shortcut={answer.shortcut}
      icon={answer.icon}
      disabled={answer.disabled}
      describedBy={describedBy}
      onClick={answer.act}
    >
      {answer.label}
    </Button>
  );
}

const SHOW_LIST = { shortcut: 'L', act: () => (wantsList.value = true) };

/** "1 of 3", with links to the others. */
function Place() {
  const count = waiting.value.length;
  if (count < 2) return null;
  return (
    <>
      <span class="decide-nth" data-testid="decision-place">
        {t('{0} of {1}', decisionIndex.value + 1, count)}
      </span>
      <IconButton
        testid="decision-previous"
        icon="chevron-left"
        label={t('Previous request')}
        onClick={() => showDecision(-1)}
      />
      <IconButton
        testid="decision-next"
        icon="chevron-right"
        label={t('Next request')}
        onClick={() => showDecision(1)}
      />
      {approvals.value.length > 1 && (
        <IconButton
          testid="decision-together"
          icon="checklist"
          label={t('Answer {0} together (L)', approvals.value.length)}
          onClick={SHOW_LIST.act}
        />
      )}
    </>
  );
}

/** Letters work anywhere in the card except in a field. Enter belongs to a focused control. */
function answerKey(event: KeyboardEvent, answers: readonly Pick<Answer, 'shortcut' | 'disabled' | 'act'>[]): void {
  const target = event.target instanceof Element ? event.target : null;
  // A held key answers once: it must not answer the next card, too.
  if (event.repeat && !isField(target)) return event.preventDefault();
  if (event.ctrlKey || event.metaKey || event.altKey || event.isComposing) return;
  if (isField(target) && event.key !== 'Escape') return;
  if (event.key === 'Enter' && target?.matches('button, summary, a')) return;
  const key = event.key === 'Escape' ? 'Esc' : event.key;
  const answer = answers.find(({ shortcut }) => shortcut?.toLowerCase() === key.toLowerCase());
  if (answer === undefined || answer.disabled) return;
  event.preventDefault();
  event.stopPropagation();
  answer.act();
}

function isField(target: Element | null): boolean {
  return target?.matches('input:not([type=radio]):not([type=checkbox]), select, textarea') ?? false;
}
