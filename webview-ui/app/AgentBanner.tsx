import { post } from '../bridge.ts';
import { t } from '../l10n.ts';
import { parentThread } from '../store.ts';
import { Link } from '../components/Buttons.tsx';
import { Icon } from '../components/Icon.tsx';

/** Over the thread of a sub-agent: the way back to the thread that started it. */
export function AgentBanner() {
  const threadId = parentThread.value;
  if (threadId === null) return null;
  return (
    <section class="banner is-info" aria-label={t('Agent')} data-testid="agent-banner">
      <Icon name="hubot" />
      <p>
        {t('This is an agent of another thread. Your messages here go to the agent.')}{' '}
        <Link testid="agent-back" onClick={() => post({ type: 'open_thread', threadId })}>
          {t('Back to its thread')}
        </Link>
      </p>
    </section>
  );
}
