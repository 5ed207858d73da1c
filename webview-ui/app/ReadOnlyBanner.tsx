import { actOnError, fork } from '../actions.ts';
import { post } from '../bridge.ts';
import { t } from '../l10n.ts';
import { access } from '../store.ts';
import { Link } from '../components/Buttons.tsx';
import { Icon } from '../components/Icon.tsx';

/** Shows why a thread is read-only in this window, and what the user can do about it. */
export function ReadOnlyBanner() {
  const { value } = access;
  if (value.type === 'own') return null;
  return (
    <section class="banner is-info" aria-label={t('Read-only')} data-testid="read-only-banner">
      <Icon name="lock" />
      {value.reason === 'newer_format' ? (
        <p>{t('This thread was written by a newer version of Tiller. It is read-only here.')}</p>
      ) : value.reason === 'no_model' ? (
        <p>
          {t('There is no model to continue this thread with.')}{' '}
          <Link testid="read-only-choose-model" onClick={() => actOnError('select_model')}>
            {t('Select Model')}
          </Link>
        </p>
      ) : (
        <p>
          {value.taken
            ? t('Another window has taken this thread over. It is read-only here.')
            : t('This thread is open in another window. It is read-only here.')}{' '}
          <Link testid="read-only-fork" onClick={() => fork(null)}>
            {t('Fork')}
          </Link>
          {' · '}
          <Link testid="read-only-take-over" onClick={() => post({ type: 'take_over' })}>
            {value.taken ? t('Take Back') : t('Take Over')}
          </Link>
        </p>
      )}
    </section>
  );
}
