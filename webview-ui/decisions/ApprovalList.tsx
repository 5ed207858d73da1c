import { useSignal } from '@preact/signals';
import { useRef } from 'preact/hooks';
import { isDestructive, needsCare } from '../../src/protocol/approval.ts';
import type { ApprovalRequest } from '../../src/protocol/event.ts';
import { insideOf } from '../../src/protocol/text/relativizePaths.ts';
import { visibleText } from '../../src/protocol/text/escapeInvisible.ts';
import { decide } from '../actions.ts';
import { reasonInFull } from '../text/reasons.ts';
import { plural, t } from '../l10n.ts';
import { approvals, cwd } from '../store.ts';
import { showTogether } from '../view.ts';
import { DecisionCard } from './DecisionCard.tsx';
import { LineCount } from '../components/Facts.tsx';
import { sumOf } from '../components/FileRows.tsx';
import { Icon } from '../components/Icon.tsx';

/** The value of `denying` while the user writes one message for the denial of several requests. */
const TOGETHER = 'together';

/**
 * Lists all pending approvals, to be answered together. A request that leaves the sandbox or can destroy work is not
 * selected by default, because users read a list less closely than a single request. A request that arrives while the
 * list is shown is not selected either: the user may be about to press Enter.
 */
export function ApprovalList() {
  const toggled = useSignal<ReadonlySet<string>>(new Set());
  const requests = approvals.value;
  const atOpening = useRef(new Set(requests.map(({ approvalId }) => approvalId))).current;
  const isProposed = (request: ApprovalRequest) => atOpening.has(request.approvalId) && !needsCare(request);
  const isTicked = (request: ApprovalRequest) =>
    canBeAnswered(request) && toggled.value.has(request.approvalId) !== isProposed(request);
  const ticked = requests.filter(isTicked).map(({ approvalId }) => approvalId);
  const toggle = (id: string) => {
    const next = new Set(toggled.value);
    if (!next.delete(id)) next.add(id);
    toggled.value = next;
  };
  const hasAny = ticked.length > 0;
  const destroys = requests.some((request) => isDestructive(request) && isTicked(request));
  return (
    <DecisionCard
      id={TOGETHER}
      testid="approval-list"
      title={plural(requests.length, '{0} request needs approval', '{0} requests need approval')}
      isRisky={requests.some((request) => needsCare(request) && isTicked(request))}
      hasPlace={false}
      noDefault={destroys}
      answers={[
        {
          testid: 'decision-approve-all',
          label: t('Approve {0} of {1}', ticked.length, requests.length),
          ...(destroys ? {} : { shortcut: 'Enter' }),
          disabled: !hasAny,
          act: () => decide(ticked, 'approved'),
        },
        {
          testid: 'decision-one-by-one',
          label: t('One by One'),
          shortcut: 'L',
          act: () => showTogether(false),
        },
      ]}
      deny={hasAny ? (word) => decide(ticked, { denied: word === '' ? {} : { message: word } }) : undefined}
      denyLabel={t('Deny {0}…', ticked.length)}
      escape={() => decide(requests[0]?.approvalId ?? [], 'abort')}
    >
      <ul class="batch" aria-label={t('Requests')}>
        {requests.map((request) => (
          <li key={request.approvalId}>
            <label class="batch-row" data-need={needsCare(request) ? 'yes' : 'no'}>
              <input
                type="checkbox"
                data-testid="approval-list-tick"
                checked={isTicked(request)}
                disabled={!canBeAnswered(request)}
                onChange={() => toggle(request.approvalId)}
              />
              <span class="batch-text">
                {request.agent && <span class="batch-why">{visibleText(request.agent.role)}</span>}
                <Subject request={request} />
                <span class="batch-why">
                  {needsCare(request) && <Icon name="warning" />}
                  {insideOf(cwd.value, reasonInFull(request.reason))}
                </span>
              </span>
            </label>
          </li>
        ))}
      </ul>
    </DecisionCard>
  );
}

/**
 * Returns true if the list can answer the request. A request with more choices than approving has to be answered on its
 * own card.
 */
function canBeAnswered({ choices }: ApprovalRequest): boolean {
  return choices.includes('approved') && !choices.includes('approved_saving');
}

/** The complete command or patch: the user must see every part that is approved. */
function Subject({ request }: { request: ApprovalRequest }) {
  const { kind, command = '', changes = [], url } = request;
  if (url !== undefined) return <code>{visibleText(`GET ${url}`)}</code>;
  if (kind !== 'patch') return <code>{visibleText(command)}</code>;
  const paths = changes.map(({ path, movedTo }) => (movedTo === undefined ? path : t('{0} to {1}', path, movedTo)));
  return (
    <span>
      {t('Change {0}', paths.join(', '))} <LineCount {...sumOf(changes)} />
    </span>
  );
}
