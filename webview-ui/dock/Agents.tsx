import type { AgentRow } from '../../src/protocol/wire.ts';
import { post } from '../bridge.ts';
import { plural, t } from '../l10n.ts';
import { agentRows } from '../store.ts';
import { tokens as tokensText } from '../text/format.ts';
import { AGENT_STATES, agentStateName } from '../components/agents.ts';
import { AgentName } from '../components/AgentName.tsx';
import { Act } from '../components/Buttons.tsx';
import { Icon } from '../components/Icon.tsx';
import { Step } from '../components/Step.tsx';

/** Steps of indentation: the panel is narrow. */
const MAX_INDENT = 2;

/** The sub-agents that work or can go on; ended tasks and closed agents are in the transcript. */
export function Agents() {
  const rows = agentRows.value.filter(isOpen);
  const working = rows.filter(isWorking).length;
  if (rows.length === 0) return null;
  return (
    <details class="processes" data-testid="agents">
      <summary class="processes-row">
        <Icon name="hubot" />
        <span class="processes-title">
          {working === 0
            ? plural(rows.length, '{0} agent', '{0} agents')
            : plural(working, '{0} agent at work', '{0} agents at work')}
        </span>
        <span class="processes-first">{rows.find(isWorking)?.line}</span>
        <Icon name="chevron-right" className="step-chevron" />
      </summary>
      <ul class="processes-list" aria-label={t('Agents')}>
        {rows.map((agent) => (
          <Agent key={agent.agentId} agent={agent} />
        ))}
      </ul>
    </details>
  );
}

function isOpen({ isTask, state }: AgentRow): boolean {
  return state !== 'shutdown' && !(isTask === true && state === 'completed');
}

function isWorking({ state }: AgentRow): boolean {
  return AGENT_STATES[state] === 'running';
}

function Agent({ agent }: { agent: AgentRow }) {
  const { agentId, role, color, state, line, description = '', depth, isLive, approvals, questions } = agent;
  const waits = approvals.length + questions.length > 0;
  const name = description === '' ? role : `${role}: ${description}`;
  return (
    <li class="step-line" data-depth={Math.min(depth, MAX_INDENT)}>
      <Step
        testid="agent"
        icon="check"
        state={waits ? 'waiting' : AGENT_STATES[state]}
        title={name}
        label={
          <>
            <AgentName role={role} color={color} /> {line === '' ? description : line}
            {agent.inSideCopy === true && <span class="fr-dir"> · {t('side copy')}</span>}
            <span class="sr">{waits ? t('Needs you') : agentStateName(state)}</span>
          </>
        }
        meta={agent.tokens !== undefined && t('{0} tokens', tokensText(agent.tokens))}
      />
      <span class="step-acts">
        <Act
          testid="agent-open"
          label={t('Open the agent {0}', name)}
          onClick={() => post({ type: 'open_thread', threadId: agentId })}
        >
          {t('Open')}
        </Act>
        {isLive && isWorking(agent) && (
          <Act
            testid="agent-stop"
            label={t('Stop the agent {0}', name)}
            onClick={() => post({ type: 'stop_agent', threadId: agentId })}
          >
            {t('Stop')}
          </Act>
        )}
      </span>
    </li>
  );
}
