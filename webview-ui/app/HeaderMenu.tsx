import { runCommand } from '../actions.ts';
import { t } from '../l10n.ts';
import { openFind, openPopup } from '../view.ts';
import { Icon } from '../components/Icon.tsx';
import { moveInMenu, Popup } from '../components/Popup.tsx';

interface Entry {
  readonly icon: string;
  readonly label: string;
  readonly testid?: string;
  readonly run: () => void;
}

export function HeaderMenu() {
  const entries: readonly Entry[] = [
    { icon: 'key', label: t('Enter an API key'), run: () => runCommand('setApiKey') },
    { icon: 'law', label: t('Rules and approvals'), run: () => runCommand('showRules') },
    { icon: 'settings-gear', label: t('Settings'), run: () => runCommand('openSettings') },
    { icon: 'book', label: t('Walkthrough'), run: () => runCommand('openWalkthrough') },
    { icon: 'output', label: t('Show log'), run: () => runCommand('showLog') },
    { icon: 'book', label: t('Open Thread as Text'), run: () => runCommand('openThreadText') },
    { icon: 'search', label: t('Find in Thread'), testid: 'more-actions-find', run: openFind },
  ];
  return (
    <Popup testid="more-actions-menu" label={t('More actions')} opener="more-actions" className="pop pop-head">
      <ul role="menu" aria-label={t('More actions')} onKeyDown={moveInMenu}>
        {entries.map(({ icon, label, testid = 'more-actions-item', run }) => (
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
