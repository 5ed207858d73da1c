import type { Finding } from '../../src/protocol/codeReview.ts';
import type { TurnItemOf } from '../../src/protocol/item.ts';
import { rangeText } from '../../src/protocol/text/findings.ts';
import { submit } from '../actions.ts';
import { post } from '../bridge.ts';
import { Act } from '../components/Buttons.tsx';
import { breakable } from '../components/FileRows.tsx';
import { Markdown } from '../components/Markdown.tsx';
import { CALL_STATES, Step } from '../components/Step.tsx';
import { plural, t } from '../l10n.ts';
import { isOwn } from '../store.ts';
import { reviewTitle } from '../text/reviewTitle.ts';
import { followsEnd } from '../view.ts';

type Item = TurnItemOf<'code_review'>;

/** A review of changes with its findings. The user can act on each finding. */
export function CodeReview({ item }: { item: Item }) {
  const { agentId, findings, status, target, text, why = '' } = item;
  const title = reviewTitle(target);
  return (
    <section class="code-review" aria-label={title} data-testid="code-review" data-status={status}>
      <div class="step-line">
        <Step
          testid="code-review-line"
          icon="eye"
          state={CALL_STATES[status]}
          label={title}
          title={title}
          word={why}
          meta={status === 'completed' ? countOf(findings) : undefined}
        />
        {agentId !== '' && (
          <span class="step-acts">
            <Act
              testid="code-review-agent"
              label={t('Open the agent {0}', 'reviewer')}
              onClick={() => post({ type: 'open_thread', threadId: agentId })}
            >
              {t('Open')}
            </Act>
          </span>
        )}
      </div>
      {text !== '' && (
        <div class="code-review-text">
          <Markdown text={text} />
        </div>
      )}
      {findings.length > 0 && (
        <ul class="findings" aria-label={t('Findings')}>
          {findings.map((finding) => (
            <FindingRow key={finding.id} itemId={item.id} finding={finding} />
          ))}
        </ul>
      )}
    </section>
  );
}

function countOf(findings: readonly Finding[]): string {
  return findings.length === 0 ? t('no findings') : plural(findings.length, '{0} finding', '{0} findings');
}

function FindingRow({ itemId, finding }: { itemId: string; finding: Finding }) {
  const { title, body, priority, state } = finding;
  const head = (
    <>
      {priority !== undefined && (
        <span
          class="finding-level"
          title={t('Severity {0} (0 is the most severe, 3 the least)', priority)}
        >{`P${priority}`}</span>
      )}
      <span>{title}</span>
      {state === 'sent' && <span class="finding-state">{t('sent')}</span>}
      {state === 'dismissed' && <span class="finding-state">{t('dismissed')}</span>}
    </>
  );
  return (
    <li class="finding" data-testid="finding" data-state={state} data-priority={priority}>
      {body === '' ? (
        <p class="finding-title">{head}</p>
      ) : (
        <details open={state === 'open'}>
          <summary class="finding-title is-toggle" data-testid="finding-title">
            {head}
          </summary>
          <div class="finding-body">
            <Markdown text={body} />
          </div>
        </details>
      )}
      <div class="finding-acts">
        <Place finding={finding} />
        <FindingActions itemId={itemId} finding={finding} />
      </div>
    </li>
  );
}

/** The buttons of a finding. Only the window that owns the thread shows them. A dismissed finding can be restored. */
function FindingActions({ itemId, finding: { id, title, state } }: { itemId: string; finding: Finding }) {
  const mark = (to: Finding['state']) => submit({ type: 'mark_finding', itemId, findingId: id, state: to });
  const fix = () => {
    followsEnd.value = true;
    post({ type: 'fix_finding', itemId, findingId: id });
  };
  if (!isOwn.value) return null;
  if (state === 'dismissed') {
    return (
      <Act testid="finding-restore" label={t('Restore: {0}', title)} onClick={() => mark('open')}>
        {t('Restore')}
      </Act>
    );
  }
  return (
    <>
      <Act testid="finding-fix" label={t('Fix: {0}', title)} onClick={fix}>
        {t('Fix')}
      </Act>
      <Act
        testid="finding-quote"
        label={t('Add to Message: {0}', title)}
        onClick={() => post({ type: 'quote_finding', itemId, findingId: id })}
      >
        {t('Add to Message')}
      </Act>
      <Act testid="finding-dismiss" label={t('Dismiss: {0}', title)} onClick={() => mark('dismissed')}>
        {t('Dismiss')}
      </Act>
    </>
  );
}

/** A link to the lines of a finding; nothing if the finding names no file. */
function Place({ finding: { path, lines, quote } }: { finding: Finding }) {
  if (path === undefined) return null;
  const name = lines === undefined ? path : `${path}:${rangeText(lines)}`;
  return (
    <button
      type="button"
      class="finding-place"
      data-testid="finding-place"
      title={name}
      aria-label={t('Show {0}', name)}
      onClick={() => post({ type: 'open_file', path, ...(lines && { line: lines.first, ...(quote && { quote }) }) })}
    >
      {breakable(name)}
    </button>
  );
}
