import { useRef } from 'preact/hooks';
import { t } from '../l10n.ts';
import { decision, denying, makingRule } from '../view.ts';
import { answersTogether, type Waiting } from '../store.ts';
import { Agents } from './Agents.tsx';
import { ApprovalList } from '../decisions/ApprovalList.tsx';
import { CommandApproval } from '../decisions/CommandApproval.tsx';
import { FetchApproval } from '../decisions/FetchApproval.tsx';
import { useCardFocus } from './cardFocus.ts';
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
 * The lower part of the panel, which does not scroll: pending requests, review, background processes, queue and
 * composer.
 */
export function Dock() {
  const element = useRef<HTMLElement>(null);
  const shown = decision.value;
  const isList = answersTogether.value;
  const shownId = isList ? 'list' : (shown?.id ?? null);
  useCardFocus(element, shownId, denying.value, makingRule.value);
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
