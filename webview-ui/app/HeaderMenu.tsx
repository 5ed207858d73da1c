import { type PanelCommand, runCommand } from '../actions.ts';
import { t } from '../l10n.ts';
import { threadId } from '../store.ts';
import { openFind } from '../view.ts';
import { MenuItem, moveInMenu, Popup } from '../components/Popup.tsx';

interface Entry {
  readonly testid: string;
  readonly icon: string;
  readonly label: string;
  readonly act: () => void;
}

/** True if this page is in an editor tab: the host sets the attribute. */
const IS_IN_EDITOR = document.body.dataset['place'] === 'editor';

/** The menu behind the button "…" in the header. */
export function HeaderMenu() {
  const groups: readonly (readonly Entry[])[] = [
    ...(threadId.value === null ? [] : [threadEntries()]),
    [
      ...(IS_IN_EDITOR ? [] : [command('open-preview', t('Open Chat in Editor'), 'openInEditor')]),
      command('multiple-windows', t('Open Chat in New Window'), 'openInWindow'),
    ],
    [
      command('git-branch', t('Start in Side Copy'), 'startInSideCopy'),
      command('files', t('Side Copies'), 'sideCopies'),
      command('server-process', t('Background Processes'), 'backgroundProcesses'),
    ],
    [
      command('law', t('Rules and Approvals'), 'showRules'),
      command('history', t('Audit Log'), 'showAudit'),
      command('key', t('Set API Key…'), 'setApiKey'),
      command('settings-gear', t('Settings'), 'openSettings'),
    ],
    [
      command('mortar-board', t('Open Walkthrough'), 'openWalkthrough'),
      command('output', t('Show Log'), 'showLog'),
      command('bug', t('Report Issue'), 'reportIssue'),
    ],
  ];
  return (
    <Popup testid="more-actions-menu" label={t('More Actions')} opener="more-actions" className="pop pop-head">
      <ul role="menu" aria-label={t('More Actions')} onKeyDown={moveInMenu}>
        {groups.flatMap((entries, index) => [
          ...(index === 0 ? [] : [<li key={index} class="pop-rule" role="separator" />]),
          ...entries.map((entry) => <MenuItem key={entry.label} {...entry} />),
        ])}
      </ul>
    </Popup>
  );
}

/** Returns the entries for the shown thread. */
function threadEntries(): readonly Entry[] {
  return [
    { testid: 'more-actions-find', icon: 'search', label: t('Find in Thread'), act: openFind },
    command('edit', t('Rename Thread'), 'renameThread'),
    command('repo-forked', t('Fork Thread'), 'forkThread'),
    command('desktop-download', t('Export Thread…'), 'exportThread'),
    command('book', t('Open Thread as Text'), 'openThreadText'),
    command('trash', t('Delete Thread'), 'deleteThread'),
  ];
}

function command(icon: string, label: string, name: PanelCommand): Entry {
  return { testid: 'more-actions-item', icon, label, act: () => runCommand(name) };
}
