import type { RememberedApproval } from '../../src/protocol/rules.ts';
import { IconButton } from '../components/Buttons.tsx';
import { t } from '../l10n.ts';
import { UsesOf } from './RuleTable.tsx';
import { TablePart } from './TablePart.tsx';
import { edit, inWorkspace, shownFolder } from './store.ts';

/** Lists the approvals that hold for the rest of the thread, each for exactly one command, file, tool or host. */
export function ApprovedThings({ approvals }: { approvals: readonly RememberedApproval[] }) {
  return (
    <TablePart
      title={t('Approved for this thread')}
      testid="approvals-table"
      columns={[t('What'), t('Used')]}
      rows={approvals.map(({ key, kind, text, cwd, uses }) => (
        <tr key={key} role="row" data-testid="remembered-approval">
          <td role="cell">
            <code>{kind === 'patch' ? inWorkspace(text) : text}</code>
            <span class="page-dim page-sub">{aboutOf(kind, cwd)}</span>
          </td>
          <td role="cell">
            <UsesOf uses={uses} />
          </td>
          <td role="cell" class="page-cell-actions">
            <IconButton
              testid="approval-forget"
              icon="trash"
              label={t('Forget the approval of {0}', text)}
              onClick={() => edit({ type: 'forget', key })}
            />
          </td>
        </tr>
      ))}
    />
  );
}

function aboutOf(kind: RememberedApproval['kind'], cwd: string | null): string {
  switch (kind) {
    case 'command': {
      const folder = cwd === null ? null : shownFolder(cwd);
      return folder === null ? '' : t('in {0}', folder);
    }
    case 'patch':
      return t('changes to this file');
    case 'tool':
      return t('tool of an MCP server');
    case 'fetch':
      return t('pages of this host');
  }
}
