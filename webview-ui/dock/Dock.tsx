import { useEffect, useRef } from 'preact/hooks';
import { t } from '../l10n.ts';
import { decision, denying, makingRule, quietIn } from '../view.ts';
import { answersTogether, type Waiting } from '../store.ts';
import { Agents } from './Agents.tsx';
import { ApprovalList } from '../decisions/ApprovalList.tsx';
import { CommandApproval } from '../decisions/CommandApproval.tsx';
import { FetchApproval } from '../decisions/FetchApproval.tsx';
import { Comments } from './Comments.tsx';
import { Composer } from '../composer/Composer.tsx';
import { ChoiceCard } from '../decisions/ChoiceCard.tsx';
import { ElicitationCard } from '../decisions/ElicitationCard.tsx';
import { InterruptedCard } from '../decisions/InterruptedCard.tsx';
import { PatchApproval } from '../decisions/PatchApproval.tsx';
import { Processes } from './Processes.tsx';
import { ProposedPlan } from './ProposedPlan.tsx';
import { QuestionCard } from '../decisions/QuestionCard.tsx';
import { Review } from './Review.tsx';
import { SideCopy } from './SideCopy.tsx';
import { Queue } from './Queue.tsx';

/**
 * A window that is loading, or a notification, takes the focus from the panel for a moment. A user who is away for longer
 * works elsewhere.
 */
const AWAY_MS = 3_000;

/** Pending requests, review, background processes, queue and composer. It never scrolls out of sight. */
export function Dock() {
  const element = useRef<HTMLElement>(null);
  const shown = decision.value;
  const isList = answersTogether.value;
  const shownId = isList ? 'list' : (shown?.id ?? null);
  const isFirst = useRef(true);
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined;
    const changed = performance.now();
    const move = () => {
      const isAway = !document.hasFocus();
      moveFocus(element.current, shownId !== null, isFirst.current);
      isFirst.current = false;
      if (shownId === null) return;
      // After sending a message the user gets the card, too, debounced.
      const wait = quietIn();
      if (wait > 0) timer = setTimeout(move, wait);
      else if (isAway) window.addEventListener('focus', comeBack);
    };
    // In the event itself: when the user comes back by a click, what is clicked gets the focus after this.
    const comeBack = () => {
      window.removeEventListener('focus', comeBack);
      if (performance.now() - changed < AWAY_MS) move();
    };
    move();
    return () => {
      clearTimeout(timer);
      window.removeEventListener('focus', comeBack);
    };
  }, [shownId, denying.value, makingRule.value]);
  return (
    <section class="dock" aria-label={t('Your turn')} data-testid="dock" ref={element}>
      <div class="col">
        {isList && <ApprovalList />}
        {!isList && shown && <Card key={shown.id} waiting={shown} />}
        <ProposedPlan />
        <Review />
        <Comments />
        <SideCopy />
        <Agents />
        <Processes />
        <Queue />
        <Composer />
      </div>
    </section>
  );
}

function Card({ waiting }: { waiting: Waiting }) {
  if (waiting.type === 'approval') {
    const { request } = waiting;
    if (request.kind === 'patch') return <PatchApproval request={request} />;
    if (request.url !== undefined) return <FetchApproval request={request} url={request.url} />;
    return <CommandApproval request={request} />;
  }
  if (waiting.type === 'interrupted') return <InterruptedCard patch={waiting.patch} />;
  const { request } = waiting;
  switch (request.source) {
    case 'mcp':
      return <ElicitationCard request={request} />;
    case 'model':
      return <QuestionCard request={request} />;
    case 'tiller':
      return <ChoiceCard request={request} />;
  }
}

/**
 * A new card takes the focus only when no element has it, not from a user who types, reads or works in another window.
 * A removed card loses its focused button; then the composer gets the focus.
 */
function moveFocus(dock: HTMLElement | null, hasCard: boolean, isFirst: boolean): void {
  if (dock === null || !document.hasFocus()) return;
  const { activeElement } = document;
  const isLost = activeElement === null || activeElement === document.body;
  const isIdle = activeElement instanceof HTMLTextAreaElement && activeElement.value === '' && quietIn() === 0;
  // Only an answer with a shortcut of its own: an answer that discards something must not get the next Enter.
  if (hasCard && (isLost || isIdle)) dock.querySelector<HTMLElement>('.decide .btn[aria-keyshortcuts]')?.focus();
  else if (!hasCard && isLost && !isFirst) dock.querySelector('textarea')?.focus();
}
