import { runCommand } from '../actions.ts';
import { t } from '../l10n.ts';
import { settings } from '../store.ts';
import { Link } from '../components/Buttons.tsx';
import { Icon } from '../components/Icon.tsx';

/** The banner in Restricted Mode: names the functions that work, and offers to trust the workspace. */
export function Banner() {
  if (settings.value === null || settings.value.trusted || !settings.value.hasWorkspace) return null;
  return (
    <section class="banner" aria-label={t('Restricted Mode')} data-testid="restricted-banner">
      <Icon name="workspace-untrusted" />
      <p>
        {t(
          'Restricted Mode: Tiller can chat, but can’t read or change files or run commands until you trust this folder.',
        )}{' '}
        <Link testid="manage-trust" onClick={() => runCommand('manageTrust')}>
          {t('Manage Trust')}
        </Link>
      </p>
    </section>
  );
}
