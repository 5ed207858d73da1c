import { actOnError, fork } from '../actions.ts';
import { post } from '../bridge.ts';
import { t } from '../l10n.ts';
import { access } from '../store.ts';
import { Link } from '../components/Buttons.tsx';
import { Icon } from '../components/Icon.tsx';

/** Why a thread is read-only here, and what the user can do about it. */
export function ReadOnlyBanner() {
  const { value } = access;
  if (value.type === 'own') return null;
  return (
    <section class="banner" aria-label={t('Read-only')} data-testid="read-only-banner">
      <Icon name="lock" />
      {value.reason === 'newer_format' ? (
        <p>{t('A newer Tiller has written this thread. It can be read here, and continued there.')}</p>
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
            ? t('Another window has taken this thread over. You see what it does, read only.')
            : t('This thread is open in another window. You see what it does, read only.')}{' '}
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
