import type { ApprovalRequest } from '../../src/protocol/event.ts';
import { visibleText } from '../../src/protocol/text/escapeInvisible.ts';
import { decide } from '../actions.ts';
import { plural, say, t } from '../l10n.ts';
import { reasonInFull } from '../text/reasons.ts';
import { Fact } from '../components/Facts.tsx';
import { denyOf, escapeOf, ruleRow, widerAnswers } from './CommandApproval.tsx';
import { DecisionCard } from './DecisionCard.tsx';
import { decisionTitle, fetchedHost } from './titles.ts';

/** The id of the element with the address. */
const ADDRESS = 'asked-address';

/** The card to approve a request to a web page: shows its address and the data that is sent. */
export function FetchApproval({ request, url }: { request: ApprovalRequest; url: string }) {
  const { approvalId, reason, alsoItems = [] } = request;
  return (
    <DecisionCard
      id={approvalId}
      testid="approval-fetch"
      title={decisionTitle({ type: 'approval', id: approvalId, request })}
      icon="globe"
      subjectId={ADDRESS}
      answers={[
        {
          testid: 'decision-approve',
          label: t('Fetch Once'),
          shortcut: 'Enter',
          act: () => decide(approvalId, 'approved'),
        },
      ]}
      deny={denyOf(request)}
      escape={escapeOf(request)}
      wider={widerAnswers(request)}
      instead={ruleRow(request)}
    >
      <pre class="band" tabIndex={0} role="group" aria-label={t('Address')} data-testid="approval-fetch-url">
        <code id={ADDRESS}>{visibleText(url)}</code>
      </pre>
      <dl class="facts">
        <Fact name={t('Request')}>
          {say('GET, without cookies and keys; {0} gets this address', <code>{fetchedHost(url)}</code>)}
        </Fact>
        <Fact name={t('Response')}>{t('Its text goes to the model, marked as content of the web')}</Fact>
        <Fact name={t('Why you’re asked')}>{reasonInFull(reason)}</Fact>
        {alsoItems.length > 0 && (
          <Fact name={t('Applies to')}>
            {plural(alsoItems.length, 'this and {0} identical call', 'this and {0} identical calls')}
          </Fact>
        )}
      </dl>
    </DecisionCard>
  );
}
