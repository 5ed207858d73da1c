import { type Signal, useSignal } from '@preact/signals';
import { Fragment } from 'preact';
import { useRef } from 'preact/hooks';
import type { TurnAbortReason } from '../../src/protocol/event.ts';
import { isCompactionAlone, reviewAlone, type TurnState } from '../../src/protocol/thread.ts';
import { copyText, fork, submit } from '../actions.ts';
import { post } from '../bridge.ts';
import { plural, t } from '../l10n.ts';
import { isOwn, isRunning, lastTurnId } from '../store.ts';
import { notable, roughly } from '../text/format.ts';
import { receiptAsMarkdown, receiptOf, receiptSentences } from '../text/receipt.ts';
import { mayChangeByAgents, turnChanges } from '../text/turnFold.ts';
import { turnAsMarkdown } from '../text/turnMarkdown.ts';
import { usageLabel, usageSentence } from '../text/turnUsage.ts';
import { Act, IconButton } from '../components/Buttons.tsx';
import { LineCount } from '../components/Facts.tsx';
import { Icon } from '../components/Icon.tsx';
import { ReloadNotice } from './Notices.tsx';
import { messageOf, TryAgain } from './TryAgain.tsx';

/** Shows the facts of a turn that has ended, with its actions. */
export function TurnEnd({ turn }: { turn: TurnState }) {
  if (turn.status.type === 'running') return null;
  // The card of a compaction or a review already has all the information.
  if (isCompactionAlone(turn) || reviewAlone(turn)) return null;
  const time = Date.parse(turn.status.at) - Date.parse(turn.startedAt);
  // For a stopped turn, the line above shows the duration.
  const isStopped = turn.status.type === 'aborted' && turn.error === null;
  return <Ending turn={turn} time={time} isStopped={isStopped} />;
}

function Ending({ turn, time, isStopped }: { turn: TurnState; time: number; isStopped: boolean }) {
  const showsUsage = useSignal(false);
  return (
    <>
      {turn.status.type === 'aborted' && isStopped && (
        <Stopped reason={turn.status.reason} time={time} isLast={lastTurnId.value === turn.id} />
      )}
      <footer class="turn-end" data-testid="turn-end">
        <TurnFacts turn={turn} time={isStopped ? null : notable(time)} showsUsage={showsUsage} />
        <TurnActions turn={turn} />
      </footer>
      {showsUsage.value && <UsageDetails turn={turn} />}
      <TurnReceipt turn={turn} />
    </>
  );
}

interface TurnFactsProps {
  turn: TurnState;
  time: number | null;
  /** True while the details of the usage are shown. */
  showsUsage: Signal<boolean>;
}

function TurnFacts({ turn, time, showsUsage }: TurnFactsProps) {
  const { files, added, removed } = turnChanges(turn);
  const facts = [
    files > 0 && (
      <>
        <span>{plural(files, '{0} file', '{0} files')}</span>
        {added + removed > 0 && <LineCount added={added} removed={removed} />}
      </>
    ),
    turn.reverted && <span>{t('undone')}</span>,
    time !== null && <span>{roughly(time)}</span>,
    turn.usage !== null && (
      <button
        type="button"
        class="act turn-usage"
        data-testid="turn-usage"
        title={usageSentence(turn.usage)}
        aria-expanded={showsUsage.value}
        onClick={() => (showsUsage.value = !showsUsage.value)}
      >
        {usageLabel(turn.usage)}
      </button>
    ),
  ].filter((fact) => fact !== false);
  return (
    <p class="turn-facts">
      {facts.map((fact, index) => (
        <Fragment key={index}>
          {index > 0 && <span class="sep" />}
          {fact}
        </Fragment>
      ))}
    </p>
  );
}

function UsageDetails({ turn: { usage, items } }: { turn: TurnState }) {
  if (usage === null) return null;
  const sentence = usageSentence(usage);
  const hasAgents = items.some(({ type }) => type === 'sub_agent');
  return (
    <p class="turn-receipt" data-testid="turn-usage-details">
      {sentence} {hasAgents && t('The requests of its agents are not counted here.')}
      <IconButton testid="usage-copy" icon="copy" label={t('Copy Usage')} onClick={() => copyText(sentence)} />
    </p>
  );
}

function TurnReceipt({ turn }: { turn: TurnState }) {
  const receipt = receiptOf(turn);
  if (receipt === null) return null;
  return (
    <p class="turn-receipt" data-testid="turn-receipt">
      {receiptSentences(receipt).join(' ')}
      <IconButton
        testid="receipt-copy"
        icon="copy"
        label={t('Copy Receipt as Markdown')}
        onClick={() => copyText(receiptAsMarkdown(receipt))}
      />
    </p>
  );
}

function TurnActions({ turn }: { turn: TurnState }) {
  const opened = useSignal<string | null>(null);
  const opener = useRef<HTMLSpanElement>(null);
  return (
    <>
      <span class="turn-actions" ref={opener}>
        <ChangeActions turn={turn} />
        {isOwn.value && !isRunning.value && (
          <IconButton
            testid="turn-try-again"
            icon="refresh"
            label={t('Try Again…')}
            onClick={() => (opened.value = opened.value === null ? messageOf(turn.id) : null)}
          />
        )}
        <CopyActions turn={turn} />
      </span>
      {opened.value !== null && !isRunning.value && (
        <TryAgain
          itemId={opened.value}
          onClose={() => {
            opened.value = null;
            opener.current?.querySelector<HTMLElement>('[data-testid=turn-try-again]')?.focus();
          }}
        />
      )}
    </>
  );
}

function ChangeActions({ turn }: { turn: TurnState }) {
  const hasChanges = turnChanges(turn).files > 0 || mayChangeByAgents(turn);
  return (
    <>
      {hasChanges && (
        <Act testid="turn-review" onClick={() => post({ type: 'open_diff', itemId: turn.id })}>
          {t('Review')}
        </Act>
      )}
      {hasChanges && !turn.reverted && !isRunning.value && isOwn.value && (
        <Act testid="turn-undo" onClick={() => post({ type: 'revert', what: { type: 'undo', turnId: turn.id } })}>
          {t('Undo Turn')}
        </Act>
      )}
      {turn.reverted && !isRunning.value && isOwn.value && (
        <Act testid="turn-redo" onClick={() => post({ type: 'revert', what: { type: 'redo' } })}>
          {t('Redo')}
        </Act>
      )}
    </>
  );
}

function CopyActions({ turn }: { turn: TurnState }) {
  const last = turn.items.at(-1);
  return (
    <>
      {last && (
        <IconButton testid="turn-fork" icon="repo-forked" label={t('Fork from Here')} onClick={() => fork(last.id)} />
      )}
      <IconButton
        testid="turn-copy"
        icon="copy"
        label={t('Copy Turn as Markdown')}
        onClick={() => copyText(turnAsMarkdown(turn))}
      />
    </>
  );
}

function Stopped({ reason, time, isLast }: { reason: TurnAbortReason; time: number; isLast: boolean }) {
  const goOn = () => submit({ type: 'retry' });
  const mayGoOn = isLast && !isRunning.value && isOwn.value;
  if (reason === 'crashed' && mayGoOn) return <ReloadNotice onContinue={goOn} />;
  const labels: Record<TurnAbortReason, string> = {
    interrupted: notable(time) === null ? t('Stopped by you') : t('Stopped by you after {0}', roughly(time)),
    replaced: t('Stopped to send your next message'),
    failed: notable(time) === null ? t('Failed') : t('Failed after {0}', roughly(time)),
    crashed: t('Interrupted by a window reload'),
  };
  return (
    <div class="marker" data-testid="turn-stopped">
      <Icon name="debug-stop" />
      <span>{labels[reason]}</span>
      {mayGoOn && reason !== 'replaced' && (
        <Act testid="turn-continue" onClick={goOn}>
          {t('Continue')}
        </Act>
      )}
      <span class="marker-line" />
    </div>
  );
}
