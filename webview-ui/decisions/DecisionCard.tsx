import type { ComponentChildren } from 'preact';
import { t } from '../l10n.ts';
import { approvals, waiting } from '../store.ts';
import { decisionIndex, denying, keepDecision, openPopup, showDecision, showTogether, togglePopup } from '../view.ts';
import { Button, IconButton } from '../components/Buttons.tsx';
import { MenuButton } from '../components/MenuButton.tsx';
import { MenuItem, moveInMenu, Popup } from '../components/Popup.tsx';
import { DenyRow } from './DenyRow.tsx';
import { Icon } from '../components/Icon.tsx';

/** One answer to a request. Its `shortcut` works only while the card has the focus. */
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
  /** True (the default) if the card shows the request's position among the pending ones, with links to the others. */
  hasPlace?: boolean;
  children: ComponentChildren;
  /** The id of the element with the subject, which screen readers read out with the first answer. */
  subjectId?: string;
  /** The answers; the first one is the filled button. */
  answers: readonly Answer[];
  /** True for a call that can destroy work: no button is filled, and Enter gives no answer. */
  noDefault?: boolean;
  /** Called with the message of the denial. If set, a button opens a field for it, in place of the answers. */
  deny?: ((word: string) => void) | undefined;
  denyLabel?: string;
  /** If set, it is shown in place of the answers. */
  instead?: ComponentChildren;
  /** Ends the request in another way. It is a button at the end of the row. */
  stop?: Answer | undefined;
  /** Called at Esc; stops the turn. The button for it is in the composer. */
  escape?: (() => void) | undefined;
  /** Other ways to approve, in the menu of the first answer. */
  wider?: readonly Answer[];
}

/** The card of a pending request. Its content scrolls inside the card, so that the buttons are always visible. */
export function DecisionCard(props: DecisionCardProps) {
  const { id, testid, title, icon, isRisky = false, aside, hasPlace = true } = props;
  const { children, subjectId, answers, noDefault = false, deny, denyLabel = t('Deny…') } = props;
  const { instead, stop, escape, wider = [] } = props;
  const [first, ...others] = answers;
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
    ...(escape ? [{ shortcut: 'Esc', act: escape }] : []),
    ...(hasPlace && approvals.value.length > 1 ? [SHOW_LIST] : []),
  ];
  return (
    <section
      class={isRisky ? 'decide is-risk' : 'decide'}
      aria-label={title}
      data-testid={testid}
      onFocusIn={() => keepDecision(id)}
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
            <div class="decide-buttons">
              {first && (
                <span class="btn-split">
                  <AnswerButton answer={first} kind={noDefault ? 'secondary' : 'primary'} describedBy={subjectId} />
                  {wider.length > 0 && <AnswerMenu id={id} answers={wider} isPrimary={!noDefault} />}
                </span>
              )}
              {deny && <AnswerButton answer={openDenial} kind="secondary" />}
              {others.map((answer) => (
                <AnswerButton key={answer.testid} answer={answer} kind="quiet" />
              ))}
              {stop && <AnswerButton answer={stop} kind="quiet" />}
            </div>
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

/**
 * The chevron beside the first answer, and the menu that it opens. The shortcuts of the entries also work while the
 * menu is closed.
 */
function AnswerMenu({ id, answers, isPrimary }: { id: string; answers: readonly Answer[]; isPrimary: boolean }) {
  const popup = `answers ${id}` as const;
  const isOpen = openPopup.value === popup;
  const label = t('More Ways to Approve');
  return (
    <>
      <MenuButton
        testid="decision-more"
        icon="chevron-down"
        label={label}
        className={`btn btn-caret ${isPrimary ? 'btn-primary' : 'btn-secondary'}`}
        isOpen={isOpen}
        onClick={() => togglePopup(popup)}
      />
      {isOpen && (
        <Popup testid="decision-menu" label={label} opener="decision-more" className="pop pop-answers">
          <ul role="menu" aria-label={label} onKeyDown={moveInMenu}>
            {answers.map(({ testid, label, shortcut, act }) => (
              <MenuItem key={testid} testid={testid} label={label} shortcut={shortcut} act={act} />
            ))}
          </ul>
        </Popup>
      )}
    </>
  );
}

const SHOW_LIST = { shortcut: 'L', act: () => showTogether(true) };

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
        label={t('Previous Request')}
        onClick={() => showDecision(-1)}
      />
      <IconButton
        testid="decision-next"
        icon="chevron-right"
        label={t('Next Request')}
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

/**
 * Gives the answer whose shortcut was pressed. Letters work anywhere in the card except in a field. Enter belongs to
 * the focused control.
 */
function answerKey(event: KeyboardEvent, answers: readonly Pick<Answer, 'shortcut' | 'disabled' | 'act'>[]): void {
  const target = event.target instanceof Element ? event.target : null;
  // A key that is held down answers only one card: its repetitions must not answer the next one.
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
