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

/** The page "Rules and Approvals": the rules by source, with the number of decisions of each. */
export function RulesPage() {
  const { value } = state;
  if (value === null) return null;
  const layers: readonly { layer: RuleLayer; title: string }[] = [
    { layer: 'user', title: t('Everywhere') },
    {
      layer: 'workspace',
      title: value.workspaceName === null ? t('In this folder') : t('In {0}', value.workspaceName),
    },
    { layer: 'thread', title: t('In this thread') },
    { layer: 'workspace_file', title: t('From workspace files') },
  ];
  const { rules, approvals } = value.overview;
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
      {rules.length + approvals.length === 0 && (
        <p class="page-dim" data-testid="rules-empty">
          {t('No rules yet. A rule allows commands that start with the same words, asks before them, or forbids them.')}
        </p>
      )}
      {layers.map(({ layer, title }) => (
        <RuleTable key={layer} title={title} rules={rules.filter((entry) => entry.layer === layer)} />
      ))}
      {!value.trusted && <p class="page-dim">{t('Rules of the workspace are not read until you trust it.')}</p>}
      <ApprovedThings approvals={approvals} />
    </main>
  );
}
