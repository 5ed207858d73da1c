import { pick, runCommand } from '../actions.ts';
import { t } from '../l10n.ts';
import { title } from '../store.ts';
import { openPopup } from '../view.ts';
import { IconButton } from './Buttons.tsx';
import { HeaderMenu } from './HeaderMenu.tsx';
import { Icon } from './Icon.tsx';

/** The thread's name leads to the others. */
export function Header() {
  const name = title.value ?? t('New thread');
  const isOpen = openPopup.value === 'menu';
  return (
    <header class="head">
      <h1 class="head-h">
        <button
          type="button"
          class="head-title"
          data-testid="thread-title"
          aria-haspopup="dialog"
          title={name}
          onClick={() => pick('thread')}
        >
          <span class="head-text">{name}</span>
          <Icon name="chevron-down" />
        </button>
      </h1>
      <span class="head-actions">
        <IconButton testid="new-thread" icon="add" label={t('New thread')} onClick={() => runCommand('newThread')} />
        <button
          type="button"
          class="ibtn"
          data-testid="more-actions"
          title={t('More actions')}
          aria-label={t('More actions')}
          aria-haspopup="menu"
          aria-expanded={isOpen}
          onClick={() => (openPopup.value = isOpen ? null : 'menu')}
        >
          <Icon name="ellipsis" />
        </button>
        {isOpen && <HeaderMenu />}
      </span>
    </header>
  );
}
