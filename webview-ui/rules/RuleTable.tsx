import type { RuleEntry, Uses } from '../../src/protocol/rules.ts';
import { visibleText } from '../../src/protocol/text/escapeInvisible.ts';
import { IconButton } from '../components/Buttons.tsx';
import { plural, t } from '../l10n.ts';
import { ago } from '../text/ago.ts';
import { formatPattern } from '../text/pattern.ts';
import { DecisionWord } from './DecisionWord.tsx';
import { TablePart } from './TablePart.tsx';
import { edit, now, openFile, openForm } from './store.ts';

/** The rules of one layer. */
export function RuleTable({ title, rules }: { title: string; rules: readonly RuleEntry[] }) {
  return (
    <TablePart
      title={title}
      testid="rules-table"
      columns={[t('Decision'), t('Commands that start with'), t('Used')]}
      rows={rules.map((entry) => <RuleLine key={entry.id} entry={entry} />)}
    />
  );
}

function RuleLine({ entry }: { entry: RuleEntry }) {
  const { rule, uses, id, file } = entry;
  const pattern = visibleText(formatPattern(rule.pattern));
  const isOwn = entry.layer !== 'workspace_file';
  return (
    <tr role="row" data-testid="rule">
      <td role="cell">
        <DecisionWord decision={rule.decision} />
        {rule.bypassSandbox && <span class="page-dim page-sub">{t('outside the sandbox')}</span>}
        {rule.readsSecrets && <span class="page-dim page-sub">{t('opens files with secrets')}</span>}
      </td>
      <td role="cell">
        <code>{pattern}</code>
        {rule.justification !== undefined && <span class="page-dim page-sub">{visibleText(rule.justification)}</span>}
      </td>
      <td role="cell">
        <UsesOf uses={uses} />
      </td>
      <td role="cell" class="page-cell-actions">
        {isOwn && (
          <IconButton
            testid="rule-edit"
            icon="edit"
            label={t('Edit the rule for {0}', pattern)}
            onClick={() => openForm({ type: 'change', entry })}
          />
        )}
        {file !== null && (
          <IconButton
            testid="rule-open-file"
            icon="go-to-file"
            label={t('Open the file of the rule for {0}', pattern)}
            onClick={() => openFile(file)}
          />
        )}
        {(isOwn || rule.decision === 'allow') && (
          <IconButton
            testid="rule-remove"
            icon="trash"
            label={t('Remove the rule for {0}', pattern)}
            onClick={() => edit({ type: 'remove', id })}
          />
        )}
      </td>
    </tr>
  );
}

/** The number of decisions of a rule, and the time of the last one. */
export function UsesOf({ uses: { count, lastUsedAt } }: { uses: Uses }) {
  if (lastUsedAt === null) return <span class="page-dim">{t('never')}</span>;
  return (
    <>
      {plural(count, 'once', '{0} times')}
      <span class="page-dim page-sub" title={new Date(lastUsedAt).toLocaleString()}>
        {ago(lastUsedAt, now.value)}
      </span>
    </>
  );
}
