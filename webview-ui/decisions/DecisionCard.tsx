import type { ComponentChildren } from 'preact';
import { t } from '../l10n.ts';
import { approvals, waiting, wantsList } from '../store.ts';
import { decisionIndex, denying, showDecision } from '../view.ts';
import { Button, IconButton } from '../components/Buttons.tsx';
import { DenyRow } from './DenyRow.tsx';
import { Icon } from '../components/Icon.tsx';

/** One way to answer. `shortcut` acts while the card has the focus, and only then. */
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
  /** Whether it stands among others and leads to them; so it does unless it says otherwise. */
  hasPlace?: boolean;
  children: ComponentChildren;
  /** The id of what is decided about, read out with the first answer. */
  subjectId?: string;
  /** The first one is the filled button. */
  answers: readonly Answer[];
  /** Opens the word of denial in place of the answers. */
  deny?: ((word: string) => void) | undefined;
  denyLabel?: string;
  /** Stands in place of the answers while it is there. */
  instead?: ComponentChildren;
  stop?: Answer | undefined;
  /** Yeses that reach further; quieter on purpose. */
  wider?: readonly Answer[];
}

/** Evidence scrolls inside; the buttons never do (NOTES, principle 2). */
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

/** "1 of 3", with the ways to the others. */
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

/** Letters act anywhere in the card but in a field. Enter belongs to what has the focus, if that is a control. */
function answerKey(event: KeyboardEvent, answers: readonly Pick<Answer, 'shortcut' | 'disabled' | 'act'>[]): void {
  const target = event.target instanceof Element ? event.target : null;
  // A held key answers once: the next card must not fall to the last one's Enter.
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
