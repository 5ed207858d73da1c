import type { NoSideCopy } from '../../src/protocol/item.ts';
import type { AgentRow } from '../../src/protocol/wire.ts';
import { post } from '../bridge.ts';
import { plural, t } from '../l10n.ts';
import { agentRows } from '../store.ts';
import { tokens as tokensText } from '../text/format.ts';
import { AGENT_STATES, agentStateName } from '../components/agents.ts';
import { AgentName } from '../components/AgentName.tsx';
import { BringHome } from '../components/BringHome.tsx';
import { Act } from '../components/Buttons.tsx';
import { Icon } from '../components/Icon.tsx';
import { Step } from '../components/Step.tsx';

/** Maximum number of indentation steps: the panel is narrow. */
const MAX_INDENT = 2;

/**
 * Lists the sub-agents that work or can continue, and those whose changes are not brought home. Tasks that have ended
 * and agents that were closed are in the transcript.
 */
export function Agents() {
  const rows = agentRows.value.filter(isOpen);
  const working = rows.filter(isWorking).length;
  const toBringHome = rows.filter((agent) => !isWorking(agent) && (agent.changedInCopy ?? 0) > 0).length;
  if (rows.length === 0) return null;
  return (
    <details class="processes" data-testid="agents">
      <summary class="processes-row">
        <Icon name="hubot" />
        <span class="processes-title">
          {working === 0
            ? plural(rows.length, '{0} agent', '{0} agents')
            : plural(working, '{0} agent running', '{0} agents running')}
          {toBringHome > 0 && ` · ${t('{0} to bring home', toBringHome)}`}
        </span>
        <span class="processes-first">{rows.find(isWorking)?.line}</span>
        <Icon name="chevron-right" className="step-chevron" />
      </summary>
      <ul class="processes-list agents-list" aria-label={t('Agents')}>
        {rows.map((agent) => (
          <Agent key={agent.agentId} agent={agent} />
        ))}
      </ul>
    </details>
  );
}

function isOpen({ isTask, state, changedInCopy = 0 }: AgentRow): boolean {
  return changedInCopy > 0 || (state !== 'shutdown' && !(isTask === true && state === 'completed'));
}

function isWorking({ state }: AgentRow): boolean {
  return AGENT_STATES[state] === 'running';
}

function Agent({ agent }: { agent: AgentRow }) {
  const { agentId, role, color, state, line, description = '', depth, isLive, approvals, questions } = agent;
  const waits = approvals.length + questions.length > 0;
  const name = description === '' ? role : `${role}: ${description}`;
  const copy = placeInWords(agent);
  return (
    <li
      class="step-line"
      data-depth={Math.min(depth, MAX_INDENT)}
      data-has-copy={copy === undefined ? undefined : true}
    >
      <Step
        testid="agent"
        icon="check"
        state={waits ? 'waiting' : AGENT_STATES[state]}
        title={name}
        label={
          <>
            {/* It comes before the text that is cut: after it, it would make the page wider. */}
            <span class="sr">
              {waits ? t('Needs you') : agentStateName(state)} {copy}
            </span>
            <AgentName role={role} color={color} />
            {copy !== undefined && (
              <span class="agent-copy" title={copy}>
                <Icon name={agent.inSideCopy === true ? 'repo-forked' : 'warning'} />
              </span>
            )}{' '}
            {line === '' ? description : line}
          </>
        }
        meta={agent.tokens !== undefined && t('{0} tokens', tokensText(agent.tokens))}
      />
      <span class="step-acts">
        <BringHome agentId={agentId} name={name} />
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

/**
 * Describes the side copy in which the agent works, or why it has none although it should; `undefined` for all other
 * agents.
 */
function placeInWords({ inSideCopy, noSideCopy, changedInCopy = 0 }: AgentRow): string | undefined {
  if (noSideCopy !== undefined) return noCopyInWords(noSideCopy);
  if (inSideCopy !== true) return undefined;
  const place = t('In a side copy');
  return changedInCopy === 0 ? place : `${place}: ${plural(changedInCopy, '{0} file changed', '{0} files changed')}`;
}

function noCopyInWords(cause: NoSideCopy): string {
  switch (cause) {
    case 'other_folder':
      return t('Beside other agents without a side copy: the folder of this thread is not open in this window');
    case 'untrusted':
      return t('Beside other agents without a side copy: the workspace is not trusted');
    case 'not_made':
      return t('Beside other agents without a side copy: none could be made');
  }
}
