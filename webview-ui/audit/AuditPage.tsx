import type { AuditLine } from '../../src/protocol/auditWire.ts';
import { visibleText } from '../../src/protocol/text/escapeInvisible.ts';
import { Button, Link } from '../components/Buttons.tsx';
import { PageTable } from '../components/PageTable.tsx';
import { reasonInFull } from '../text/reasons.ts';
import { t } from '../l10n.ts';
import { filter, hasMore, lines, post, shown } from './store.ts';
import {
  agentLabel,
  cwdLabel,
  decidedBy,
  endLabel,
  outcomeLabel,
  sandboxLabel,
  threadLabel,
  timeLabel,
} from './labels.ts';
import { countLabel } from './search.ts';

/** The table of decisions: the subject, source and outcome of each. */
export function AuditPage() {
  if (lines.value === null) return null;
  const found = shown.value;
  return (
    <main class="page page-wide" data-testid="audit-page">
      <header class="page-head">
        <h1>{t('Audit Log')}</h1>
        <span class="page-actions">
          <Button testid="audit-rules" icon="law" kind="quiet" onClick={() => post({ type: 'show_rules' })}>
            {t('Rules')}
          </Button>
          <Button testid="audit-open-log" icon="go-to-file" kind="quiet" onClick={() => post({ type: 'open_log' })}>
            {t('Open Log File')}
          </Button>
        </span>
      </header>
      <div class="page-part">
        <input
          class="input"
          data-testid="audit-filter"
          aria-label={t('Show only entries that contain')}
          placeholder={t('Filter: a command, a thread, who decided, denied, exit 1 …')}
          value={filter.value}
          onInput={({ currentTarget }) => (filter.value = currentTarget.value)}
        />
        <p class="page-dim" role="status" data-testid="audit-count">
          {countLabel(found.length, filter.value.trim() !== '', hasMore.value)}
        </p>
      </div>
      {found.length > 0 && (
        <PageTable
          testid="audit-table"
          columns={[t('When'), t('Thread'), t('What'), t('Decided by'), t('Sandbox'), t('Result')]}
          rows={found.map((line, index) => <AuditRow key={`${line.at} ${line.threadId} ${index}`} line={line} />)}
        />
      )}
      {hasMore.value && (
        <p>
          <Button testid="audit-more" onClick={() => post({ type: 'more' })}>
            {t('Load Earlier')}
          </Button>
        </p>
      )}
    </main>
  );
}

function AuditRow({ line }: { line: AuditLine }) {
  const { at, threadId, threadTitle, what, reason, word, by, reviewer } = line;
  const [agent, cwd] = [agentLabel(line), cwdLabel(line)];
  const who = decidedBy(line);
  return (
    <tr role="row" data-testid="audit-row" data-outcome={line.outcome}>
      <td role="cell" class="audit-when" title={new Date(at).toLocaleString()}>
        {timeLabel(line)}
      </td>
      <td role="cell" class="audit-thread">
        {threadTitle === null ? (
          <span class="page-dim">{threadLabel(line)}</span>
        ) : (
          <Link testid="audit-thread" onClick={() => post({ type: 'open_thread', threadId })}>
            <span class="page-cut">{threadLabel(line)}</span>
          </Link>
        )}
        {agent !== '' && <span class="page-dim page-sub">{agent}</span>}
      </td>
      <td role="cell" class="audit-what">
        <code>{what}</code>
        {cwd !== '' && <span class="page-dim page-sub">{cwd}</span>}
      </td>
      <td role="cell" class="audit-by" title={reasonInFull(reason)}>
        {outcomeLabel(line)}{' '}
        {by === 'rule' ? (
          <Link testid="audit-rule" onClick={() => post({ type: 'show_rules' })}>
            {who}
          </Link>
        ) : (
          <span class="page-dim">{t('({0})', who)}</span>
        )}
        {word !== null && <span class="page-dim page-sub">{t('“{0}”', word)}</span>}
        {reviewer && <span class="page-dim page-sub">{t('“{0}”', visibleText(reviewer.text))}</span>}
      </td>
      <td role="cell" class="audit-box">
        {sandboxLabel(line)}
      </td>
      <td role="cell" class="audit-end">
        {endLabel(line)}
      </td>
    </tr>
  );
}
