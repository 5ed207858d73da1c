import type { TurnItemOf } from '../../src/protocol/item.ts';
import { splitPlan, withoutOpenMark } from '../../src/protocol/text/proposedPlan.ts';
import { GrowingMarkdown } from '../components/Markdown.tsx';
import { WebLink } from '../components/WebLink.tsx';
import { Step } from '../components/Step.tsx';
import { plural } from '../l10n.ts';
import { pure } from '../components/pure.tsx';
import { PlanCard } from './PlanCard.tsx';

export const AgentMessage = pure(function AgentMessage({ item }: { item: TurnItemOf<'agent_message'> }) {
  const isGrowing = item.status === 'in_progress';
  const { before, plan, after, isWhole } = splitPlan(isGrowing ? withoutOpenMark(item.text) : item.text);
  return (
    <>
      <div class={isGrowing ? 'prose is-growing' : 'prose'} data-testid="agent-message">
        {(before !== '' || plan === null) && <GrowingMarkdown text={before} complete={!isGrowing || plan !== null} />}
        {plan !== null && <PlanCard itemId={item.id} text={plan} isGrowing={isGrowing && !isWhole} />}
        {after !== '' && <GrowingMarkdown text={after} complete={!isGrowing} />}
      </div>
      {item.citations !== undefined && <Sources citations={item.citations} />}
    </>
  );
});

/** Lists the pages that the server names as sources, below the answer. */
function Sources({ citations }: { citations: NonNullable<TurnItemOf<'agent_message'>['citations']> }) {
  return (
    <div class="steps">
      <Step
        testid="sources"
        icon="references"
        label={plural(citations.length, '1 source', '{0} sources', citations.length)}
        body={() => (
          <ol>
            {citations.map(({ url, title }) => (
              <li key={url}>
                <WebLink url={url} title={title} testid="source-link" />
              </li>
            ))}
          </ol>
        )}
      />
    </div>
  );
}
