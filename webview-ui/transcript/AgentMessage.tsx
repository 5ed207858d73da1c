import type { TurnItemOf } from '../../src/protocol/item.ts';
import { GrowingMarkdown } from '../components/Markdown.tsx';
import { pure } from '../components/pure.tsx';

export const AgentMessage = pure(function AgentMessage({ item }: { item: TurnItemOf<'agent_message'> }) {
  return (
    <div class={item.status === 'in_progress' ? 'prose is-growing' : 'prose'} data-testid="agent-message">
      <GrowingMarkdown text={item.text} complete={item.status !== 'in_progress'} />
    </div>
  );
});
