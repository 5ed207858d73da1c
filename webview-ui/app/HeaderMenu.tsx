import { type PanelCommand, runCommand } from '../actions.ts';
import { t } from '../l10n.ts';
import { openFind, openPopup } from '../view.ts';
import { Icon } from '../components/Icon.tsx';
import { moveInMenu, Popup } from '../components/Popup.tsx';

interface Entry {
  readonly testid: string;
  readonly icon: string;
  readonly label: string;
  readonly run: () => void;
}

export function HeaderMenu() {
  const entries: readonly Entry[] = [
    command('git-branch', t('Start in Side Copy'), 'startInSideCopy'),
    command('repo-forked', t('Side Copies'), 'sideCopies'),
    command('key', t('Enter an API key'), 'setApiKey'),
    command('law', t('Rules and approvals'), 'showRules'),
    command('settings-gear', t('Settings'), 'openSettings'),
    command('book', t('Walkthrough'), 'openWalkthrough'),
    command('output', t('Show log'), 'showLog'),
    command('book', t('Open Thread as Text'), 'openThreadText'),
    { testid: 'more-actions-find', icon: 'search', label: t('Find in Thread'), run: openFind },
  ];
  return (
    <Popup testid="more-actions-menu" label={t('More actions')} opener="more-actions" className="pop pop-head">
      <ul role="menu" aria-label={t('More actions')} onKeyDown={moveInMenu}>
        {entries.map(({ testid, icon, label, run }) => (
          <li key={label} role="none">
            <button
              type="button"
              class="pop-item"
              role="menuitem"
              data-testid={testid}
              onClick={() => {
                openPopup.value = null;
                run();
              }}
            >
              <Icon name={icon} />
              <span class="pop-label">{label}</span>
            </button>
          </li>
        ))}
      </ul>
    </Popup>
  );
}

function command(icon: string, label: string, name: PanelCommand): Entry {
  return { testid: 'more-actions-item', icon, label, run: () => runCommand(name) };
}
