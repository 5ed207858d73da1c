import { type PanelCommand, runCommand } from '../actions.ts';
import { t } from '../l10n.ts';
import { openFind, openPopup } from '../view.ts';
import { Icon } from '../components/Icon.tsx';
import { moveInMenu, Popup } from '../components/Popup.tsx';

export function HeaderMenu() {
  const entries: readonly { command: PanelCommand; icon: string; label: string }[] = [
    { command: 'setApiKey', icon: 'key', label: t('Enter an API key') },
    { command: 'showRules', icon: 'law', label: t('Rules and approvals') },
    { command: 'openSettings', icon: 'settings-gear', label: t('Settings') },
    { command: 'openWalkthrough', icon: 'book', label: t('Walkthrough') },
    { command: 'showLog', icon: 'output', label: t('Show log') },
    { command: 'openThreadText', icon: 'book', label: t('Open Thread as Text') },
  ];
  return (
    <Popup testid="more-actions-menu" label={t('More actions')} opener="more-actions" className="pop pop-head">
      <ul role="menu" aria-label={t('More actions')} onKeyDown={moveInMenu}>
        {entries.map(({ command, icon, label }) => (
          <li key={command} role="none">
            <button
              type="button"
              class="pop-item"
              role="menuitem"
              data-testid="more-actions-item"
              onClick={() => {
                openPopup.value = null;
                runCommand(command);
              }}
            >
              <Icon name={icon} />
              <span class="pop-label">{label}</span>
            </button>
          </li>
        ))}
        <li role="none">
          <button
            type="button"
            class="pop-item"
            role="menuitem"
            data-testid="more-actions-find"
            onClick={() => {
              openPopup.value = null;
              openFind();
            }}
          >
            <Icon name="search" />
            <span class="pop-label">{t('Find in Thread')}</span>
          </button>
        </li>
      </ul>
    </Popup>
  );
}
