import type { TurnItemOf } from '../../src/protocol/item.ts';
import { splitPlan } from '../../src/protocol/text/proposedPlan.ts';
import { GrowingMarkdown } from '../components/Markdown.tsx';
import { pure } from '../components/pure.tsx';
import { PlanCard } from './PlanCard.tsx';

export const AgentMessage = pure(function AgentMessage({ item }: { item: TurnItemOf<'agent_message'> }) {
  const isGrowing = item.status === 'in_progress';
  const { before, plan, after, isWhole } = splitPlan(item.text);
  return (
    <div class={isGrowing ? 'prose is-growing' : 'prose'} data-testid="agent-message">
      {(before !== '' || plan === null) && <GrowingMarkdown text={before} complete={!isGrowing || plan !== null} />}
      {plan !== null && <PlanCard itemId={item.id} text={plan} isGrowing={isGrowing && !isWhole} />}
      {after !== '' && <GrowingMarkdown text={after} complete={!isGrowing} />}
    </div>
  );
});
