import { visibleText } from '../../src/protocol/text/escapeInvisible.ts';
import { post } from '../bridge.ts';
import { t } from '../l10n.ts';
import { parentThread, threadAgent } from '../store.ts';
import { Link } from '../components/Buttons.tsx';
import { Icon } from '../components/Icon.tsx';

/**
 * The banner above the thread of a sub-agent: leads back to the thread that started it. Above a thread that works as an
 * agent: shows the agent's name.
 */
export function AgentBanner() {
  const threadId = parentThread.value;
  const agent = threadAgent.value;
  if (threadId === null && agent === null) return null;
  return (
    <section class="banner is-info" aria-label={t('Agent')} data-testid="agent-banner">
      <Icon name="hubot" />
      {threadId === null ? (
        <p>{t('This thread works as the agent {0}.', visibleText(agent ?? ''))}</p>
      ) : (
        <p>
          {t('This is an agent of another thread. Your messages here go to the agent.')}{' '}
          <Link testid="agent-back" onClick={() => post({ type: 'open_thread', threadId })}>
            {t('Back to its thread')}
          </Link>
        </p>
      )}
    </section>
  );
}
