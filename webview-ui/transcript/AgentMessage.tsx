import type { TurnItemOf } from '../../src/protocol/item.ts';
import { GrowingMarkdown } from '../components/Markdown.tsx';
import { WebLink } from '../components/WebLink.tsx';
import { Step } from '../components/Step.tsx';
import { plural } from '../l10n.ts';
import { pure } from '../components/pure.tsx';

export const AgentMessage = pure(function AgentMessage({ item }: { item: TurnItemOf<'agent_message'> }) {
  return (
    <>
      <div class={item.status === 'in_progress' ? 'prose is-growing' : 'prose'} data-testid="agent-message">
        <GrowingMarkdown text={item.text} complete={item.status !== 'in_progress'} />
      </div>
      {item.citations !== undefined && <Sources citations={item.citations} />}
    </>
  );
});

/** The pages that the server names as sources, below the answer. */
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
