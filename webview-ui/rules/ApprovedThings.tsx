import type { RememberedApproval } from '../../src/protocol/rules.ts';
import { IconButton } from '../components/Buttons.tsx';
import { t } from '../l10n.ts';
import { UsesOf } from './RuleTable.tsx';
import { edit } from './store.ts';

/** What was approved for the thread: exactly this, and nothing like it. */
export function ApprovedThings({ approvals }: { approvals: readonly RememberedApproval[] }) {
  const title = t('Approved for this thread');
  return (
    <section class="page-part" aria-label={title}>
      <h2>{title}</h2>
      {approvals.length === 0 ? (
        <p class="page-dim">{t('Nothing was approved for the whole thread.')}</p>
      ) : (
        <table class="page-table" data-testid="approvals-table">
          <thead>
            <tr>
              <th scope="col">{t('What')}</th>
              <th scope="col">{t('Used')}</th>
              <th scope="col">
                <span class="sr">{t('Actions')}</span>
              </th>
            </tr>
          </thead>
          <tbody>
            {approvals.map(({ key, kind, text, cwd, uses }) => (
              <tr key={key} data-testid="remembered-approval">
                <td>
                  <code>{text}</code>
                  <span class="page-dim page-sub">
                    {kind === 'patch' ? t('changes to this file') : cwd !== null && t('in {0}', cwd)}
                  </span>
                </td>
                <td>
                  <UsesOf uses={uses} />
                </td>
                <td class="page-cell-actions">
                  <IconButton
                    testid="approval-forget"
                    icon="trash"
                    label={t('Ask again about {0}', text)}
                    onClick={() => edit({ type: 'forget', key })}
                  />
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
    </section>
  );
}
