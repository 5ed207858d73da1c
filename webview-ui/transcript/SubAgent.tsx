import { firstLine } from '../../src/protocol/text/truncate.ts';
import type { TurnItemOf } from '../../src/protocol/item.ts';
import { Markdown } from '../components/Markdown.tsx';
import { AGENT_STATES } from '../components/agents.ts';
import { AgentName } from '../components/AgentName.tsx';
import { BringHome } from '../components/BringHome.tsx';
import { Act } from '../components/Buttons.tsx';
import { Step, type StepState } from '../components/Step.tsx';
import { post } from '../bridge.ts';
import { say, t } from '../l10n.ts';
import { agentOf } from '../store.ts';

type Item = TurnItemOf<'sub_agent'>;

/** A call that concerns a sub-agent. If it started the agent, it goes on to show the agent's work. */
export function SubAgent({ item }: { item: Item }) {
  const message = messageOf(item);
  const { agentId, role } = item;
  return (
    <div class="step-line">
      <Step
        testid="sub-agent"
        icon={iconOf(item)}
        state={stateOf(item)}
        label={<Label item={item} message={message} />}
        body={message.includes('\n') ? () => <Markdown text={message} /> : undefined}
      />
      {startsAgent(item) && agentId !== '' && (
        <span class="step-acts">
          <BringHome agentId={agentId} name={role} />
          <Act
            testid="agent-open"
            label={t('Open the agent {0}', role)}
            onClick={() => post({ type: 'open_thread', threadId: agentId })}
          >
            {t('Open')}
          </Act>
        </span>
      )}
    </div>
  );
}

function iconOf({ action }: Item): string {
  if (action === 'message') return 'comment';
  if (action === 'wait') return 'watch';
  if (action === 'resume') return 'debug-restart';
  return action === 'close' ? 'close' : 'check';
}

function startsAgent({ action }: Item): boolean {
  return action === undefined || action === 'task' || action === 'spawn';
}

function messageOf(item: Item): string {
  const own = item.lastMessage ?? '';
  if (!startsAgent(item) || item.status === 'failed') return own;
  return agentOf(item.agentId)?.lastMessage ?? own;
}

function stateOf(item: Item): StepState {
  if (item.status === 'failed') return 'failed';
  if (!startsAgent(item))
    return item.status === 'in_progress' ? 'running' : item.status === 'aborted' ? 'denied' : 'done';
  const state = AGENT_STATES[agentOf(item.agentId)?.state ?? item.agentState];
  return item.status === 'aborted' && state === 'running' ? 'denied' : state;
}

function Label({ item, message }: { item: Item; message: string }) {
  const role = <AgentName role={item.role} color={agentOf(item.agentId)?.color} />;
  const line = firstLine(message);
  switch (item.action) {
    case 'message':
      return item.role === '' ? <>{line}</> : say('Message to {0}: {1}', role, line);
    case 'wait':
      return say(item.status === 'in_progress' ? 'Waiting for {0}' : 'Waited for {0}', role);
    case 'resume':
      return say('Opened {0} again', role);
    case 'close':
      return say('Closed {0}', role);
    case undefined:
    case 'task':
    case 'spawn':
      return (
        <>
          {role} {line === '' ? item.description : line}
        </>
      );
  }
}
