import type { RuleProposal } from '../../src/protocol/rules.ts';
import { visibleText } from '../../src/protocol/text/escapeInvisible.ts';
import { Button } from '../components/Buttons.tsx';
import { say, t } from '../l10n.ts';
import { formatPattern } from '../text/pattern.ts';
import { edit, inWorkspace, openFile } from './store.ts';

/**
 * Lists the rules of a workspace that need approval. Rules that only restrict apply at once; those that permit
 * something need approval here (docs/design.md decision 12).
 */
export function Proposals({ proposals }: { proposals: readonly RuleProposal[] }) {
  const open = proposals.filter(({ state }) => state === 'new');
  const refused = proposals.filter(({ state }) => state === 'refused');
  if (proposals.length === 0) return null;
  return (
    <section class="page-part" aria-labelledby="proposals">
      <h2 id="proposals">{t('Rules suggested by this workspace')}</h2>
      {open.length > 0 && (
        <ul class="page-list" aria-label={t('Suggested rules')}>
          {open.map((proposal) => (
            <Proposal key={proposal.hash} proposal={proposal} />
          ))}
        </ul>
      )}
      {refused.length > 0 && (
        <details data-testid="rules-refused">
          <summary>{t('Dismissed ({0})', refused.length)}</summary>
          <ul class="page-list" aria-label={t('Dismissed rules')}>
            {refused.map((proposal) => (
              <Proposal key={proposal.hash} proposal={proposal} />
            ))}
          </ul>
        </details>
      )}
    </section>
  );
}

function Proposal({ proposal: { hash, rule, file, state } }: { proposal: RuleProposal }) {
  const pattern = <code>{visibleText(formatPattern(rule.pattern))}</code>;
  return (
    <li class="page-item" data-testid="rules-proposal">
      <div class="page-item-text">
        <span>
          {rule.bypassSandbox
            ? say('Allow commands that start with {0}, outside the sandbox', pattern)
            : say('Allow commands that start with {0}', pattern)}
        </span>
        {rule.readsSecrets && <span>{t('It may open files with secrets, such as .env, in the sandbox.')}</span>}
        {rule.justification !== undefined && (
          <span class="page-dim">{t('“{0}”', visibleText(rule.justification))}</span>
        )}
        <button type="button" class="link page-file" data-testid="rules-open-file" onClick={() => openFile(file)}>
          {inWorkspace(file)}
        </button>
      </div>
      <span class="page-item-actions">
        <Button testid="rules-accept" onClick={() => edit({ type: 'settle_proposal', hash, accept: true })}>
          {t('Accept')}
        </Button>
        {state === 'new' && (
          <Button
            testid="rules-refuse"
            kind="quiet"
            onClick={() => edit({ type: 'settle_proposal', hash, accept: false })}
          >
            {t('Dismiss')}
          </Button>
        )}
      </span>
    </li>
  );
}
