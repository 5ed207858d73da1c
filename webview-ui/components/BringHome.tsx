import { post } from '../bridge.ts';
import { t } from '../l10n.ts';
import { agentRows } from '../store.ts';
import { Act } from './Buttons.tsx';
import { AGENT_STATES } from './agents.ts';

/**
 * Offers to bring home the changes of a sub-agent that works in a side copy. Shown when the agent has ended and its
 * copy still has changes.
 */
export function BringHome({ agentId, name }: { agentId: string; name: string }) {
  const agent = agentRows.value.find((row) => row.agentId === agentId);
  if (agent?.inSideCopy !== true || agent.changedInCopy === 0 || AGENT_STATES[agent.state] === 'running') return null;
  return (
    <Act
      testid="agent-bring-home"
      label={t('Bring home what the agent {0} has changed', name)}
      onClick={() => post({ type: 'bring_home', threadId: agentId })}
    >
      {t('Bring Home')}
    </Act>
  );
}
