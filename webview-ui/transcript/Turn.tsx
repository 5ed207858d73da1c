import { firstLine } from '../../src/protocol/text/truncate.ts';
import type { TurnItem } from '../../src/protocol/item.ts';
import { isCompactionAlone, reviewAlone, type TurnState } from '../../src/protocol/thread.ts';
import { t } from '../l10n.ts';
import { lastTurnId, threadWaits } from '../store.ts';
import { clock } from '../text/format.ts';
import { reviewTitle } from '../text/reviewTitle.ts';
import { firstWords, foldSummary, partsOfTurn, type TurnPart } from '../text/turnFold.ts';
import { now } from '../view.ts';
import { Item } from './Item.tsx';
import { ErrorNotice, RetryNotice } from './Notices.tsx';
import { pure } from '../components/pure.tsx';
import { Step } from '../components/Step.tsx';
import { TurnEnd } from './TurnEnd.tsx';
import { UserMessage } from './UserMessage.tsx';
import { Warnings } from './Warnings.tsx';

/** A turn: the user's message and all items that follow it. A turn that has ended is not rendered again. */
export const Turn = pure(function Turn({ turn }: { turn: TurnState }) {
  const [first] = turn.items;
  return (
    <article class="turn" aria-labelledby={`turn-${turn.id}`} data-testid="turn" data-status={turn.status.type}>
      <h2 class="sr" id={`turn-${turn.id}`}>
        {headingOf(turn)}
      </h2>
      {first?.type === 'user_message' && <UserMessage item={first} />}
      <h3 class="sr">{t('Tiller')}</h3>
      <div class="reply">
        {partsOfTurn(turn).map((part, index) => (
          <Part key={part.type === 'item' ? part.item.id : `${part.type}-${index}`} part={part} />
        ))}
        {turn.warnings.length > 0 && <Warnings warnings={turn.warnings} />}
        {turn.retry && <RetryNotice retry={turn.retry} settings={turn.settings} />}
        {turn.error && (
          <ErrorNotice
            error={turn.error}
            settings={turn.settings}
            isLive={lastTurnId.value === turn.id && turn.status.type !== 'running'}
          />
        )}
        {turn.status.type === 'running' ? <Working turn={turn} /> : <TurnEnd turn={turn} />}
      </div>
    </article>
  );
});

function headingOf(turn: TurnState): string {
  if (isCompactionAlone(turn)) return t('Compaction');
  const review = reviewAlone(turn);
  if (review !== undefined) return reviewTitle(review.target);
  return t('You: {0}', firstLine(firstWords(turn)) || t('Continue'));
}

function Items({ items }: { items: readonly TurnItem[] }) {
  return (
    <div class="steps">
      {items.map((item) => (
        <Item key={item.id} item={item} />
      ))}
    </div>
  );
}

function Part({ part }: { part: TurnPart }) {
  if (part.type === 'item') return <Item item={part.item} />;
  if (part.type === 'steps') return <Items items={part.items} />;
  const summary = foldSummary(part.items);
  return (
    <div class="steps">
      <Step
        testid="turn-fold"
        className="steps-group"
        icon="list-tree"
        label={summary}
        title={summary}
        body={() => <Items items={part.items} />}
      />
    </div>
  );
}

/** Returns true if the item itself shows progress. A message without text does not yet. */
function showsWork(item: TurnItem): boolean {
  if (item.status !== 'in_progress' || item.type === 'user_message') return false;
  return item.type !== 'agent_message' || item.text !== '';
}

/** The sign of progress between two items, when no other element on the screen shows that the turn is running. */
function Working({ turn }: { turn: TurnState }) {
  const isBusy = turn.items.some(showsWork);
  const isAsked = threadWaits.value.some(({ type }) => type === 'question');
  if (!isAsked && (isBusy || turn.retry !== null || threadWaits.value.length > 0)) return null;
  if (isAsked) {
    return (
      <div class="steps">
        <Step testid="waiting-for-answer" icon="bell-dot" state="waiting" label={t('Waiting for your answer')} />
      </div>
    );
  }
  return (
    <div class="steps">
      <Step
        testid="working"
        icon="loading"
        state="running"
        label={t('Working')}
        meta={clock(now.value - Date.parse(turn.startedAt))}
      />
    </div>
  );
}
