import { runCommand } from '../actions.ts';
import { plural, t } from '../l10n.ts';
import { title } from '../store.ts';
import { closeList, elsewhere, isListOpen, openList } from '../threads/store.ts';
import { openPopup, togglePopup } from '../view.ts';
import { IconButton } from '../components/Buttons.tsx';
import { HeaderMenu } from './HeaderMenu.tsx';
import { Icon } from '../components/Icon.tsx';
import { MenuButton } from '../components/MenuButton.tsx';

/** The header of the panel. A click on the thread's title opens the list of threads. */
export function Header() {
  const name = title.value ?? t('New Thread');
  const isOpen = openPopup.value === 'menu';
  return (
    <header class="head">
      <h1 class="head-h">
        <button
          type="button"
          class="head-title"
          data-testid="thread-title"
          aria-haspopup="dialog"
          aria-expanded={isListOpen.value}
          title={name}
          onClick={() => (isListOpen.value ? closeList() : openList())}
        >
          <span class="head-text">{name}</span>
          <Icon name="chevron-down" />
        </button>
      </h1>
      <OtherThreads />
      <span class="head-actions">
        <IconButton testid="new-thread" icon="add" label={t('New Thread')} onClick={() => runCommand('newThread')} />
        <MenuButton
          testid="more-actions"
          icon="ellipsis"
          label={t('More Actions')}
          isOpen={isOpen}
          onClick={() => togglePopup('menu')}
        />
        {isOpen && <HeaderMenu />}
      </span>
    </header>
  );
}

/** The numbers of other threads that wait for the user or run. */
function OtherThreads() {
  const { waiting } = elsewhere.value;
  if (waiting === 0) return null;
  const label = plural(waiting, '{0} other thread needs you', '{0} other threads need you');
  return (
    <button
      type="button"
      class="badge"
      data-testid="threads-waiting"
      title={label}
      aria-label={label}
      onClick={() => runCommand('showWaitingThread')}
    >
      {waiting}
    </button>
  );
}
