import type { RuleLayer } from '../../src/protocol/policy.ts';
import { Button } from '../components/Buttons.tsx';
import { t } from '../l10n.ts';
import { ApprovedThings } from './ApprovedThings.tsx';
import { Problems } from './Problems.tsx';
import { Proposals } from './Proposals.tsx';
import { RuleForm } from './RuleForm.tsx';
import { RuleTable } from './RuleTable.tsx';
import { form, importRules, openForm, showAudit, state } from './store.ts';
import { TryCommand } from './TryCommand.tsx';

/** The rules by source, with the number of times that each has decided. */
export function RulesPage() {
  const { value } = state;
  if (value === null) return null;
  const layers: readonly { layer: RuleLayer; title: string; empty: string }[] = [
    { layer: 'user', title: t('Everywhere'), empty: t('No rules for all folders.') },
    {
      layer: 'workspace',
      title: value.workspaceName === null ? t('In this folder') : t('In {0}', value.workspaceName),
      empty: t('No rules for this folder.'),
    },
    { layer: 'thread', title: t('In this thread'), empty: t('No rules for this thread.') },
    {
      layer: 'workspace_file',
      title: t('From workspace files'),
      empty: value.trusted
        ? t('No rules in workspace files.')
        : t('Rules of the workspace are not read until you trust it.'),
    },
  ];
  return (
    <main class="page" data-testid="rules-page">
      <header class="page-head">
        <h1>{t('Rules and Approvals')}</h1>
        <span class="page-actions">
          <Button
            testid="rules-add"
            icon="add"
            expanded={form.value !== null}
            onClick={() => openForm({ type: 'new' })}
          >
            {t('Add Rule')}
          </Button>
          <Button testid="rules-import" icon="cloud-download" kind="quiet" onClick={importRules}>
            {t('Import…')}
          </Button>
          <Button testid="rules-audit" icon="history" kind="quiet" onClick={showAudit}>
            {t('Audit Log')}
          </Button>
        </span>
      </header>
      <Problems problems={value.overview.problems} />
      <Proposals proposals={value.overview.proposals} />
      <TryCommand />
      <RuleForm />
      {layers.map(({ layer, title, empty }) => (
        <RuleTable
          key={layer}
          title={title}
          empty={empty}
          rules={value.overview.rules.filter((entry) => entry.layer === layer)}
        />
      ))}
      <ApprovedThings approvals={value.overview.approvals} />
    </main>
  );
}
