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

/** The host sets it for a page in an editor tab. */
const IS_IN_EDITOR = document.body.dataset['place'] === 'editor';

export function HeaderMenu() {
  const entries: readonly Entry[] = [
    command('git-branch', t('Start in Side Copy'), 'startInSideCopy'),
    command('repo-forked', t('Side Copies'), 'sideCopies'),
    command('key', t('Set API Key…'), 'setApiKey'),
    command('law', t('Rules and Approvals'), 'showRules'),
    command('settings-gear', t('Settings'), 'openSettings'),
    command('book', t('Open Walkthrough'), 'openWalkthrough'),
    command('output', t('Show Log'), 'showLog'),
    ...(IS_IN_EDITOR ? [] : [command('open-preview', t('Open Chat in Editor'), 'openInEditor')]),
    command('multiple-windows', t('Open Chat in New Window'), 'openInWindow'),
    command('book', t('Open Thread as Text'), 'openThreadText'),
    { testid: 'more-actions-find', icon: 'search', label: t('Find in Thread'), run: openFind },
  ];
  return (
    <Popup testid="more-actions-menu" label={t('More Actions')} opener="more-actions" className="pop pop-head">
      <ul role="menu" aria-label={t('More Actions')} onKeyDown={moveInMenu}>
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
