import type { ApprovalRequest } from '../../src/protocol/event.ts';
import { t } from '../l10n.ts';
import { Icon } from '../components/Icon.tsx';

/** Warns that other threads may be changing the same files. */
export function Elsewhere({ request: { elsewhere = [] } }: { request: ApprovalRequest }) {
  const [first] = elsewhere;
  if (first === undefined) return null;
  return (
    <p class="decide-lead" data-testid="approval-elsewhere">
      <Icon name="info" />{' '}
      {elsewhere.length === 1
        ? t('Another thread is running a command here: {0}', first.command)
        : t('Other threads are running {0} commands here.', elsewhere.length)}
    </p>
  );
}
