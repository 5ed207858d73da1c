import type { ContextParts, EventMsgOf, RateLimit, TokenUsage } from '../../src/protocol/event.ts';
import { runCommand, submit } from '../actions.ts';
import { Button } from '../components/Buttons.tsx';
import { Popup } from '../components/Popup.tsx';
import { t } from '../l10n.ts';
import { isOwn, isRunning, threadId, tokenCount } from '../store.ts';
import { amount, roughly, tokens } from '../text/format.ts';
import { openPopup, peeksAtMeter, togglePopup } from '../view.ts';

type TokenCount = Omit<EventMsgOf<'token_count'>, 'type'>;

const BREAKDOWN_ID = 'context-breakdown';

/** Shows how much of the model's context window the last request has used, by kind. */
export function ContextMeter() {
  const count = tokenCount.value;
  const window = count?.contextWindow ?? null;
  const used = count?.last.total ?? 0;
  // A new thread has used no tokens: there is no meter.
  if (used === 0) return null;
  const percent = window === null ? 0 : Math.min(100, Math.round((used / window) * 100));
  const context = window === null ? t('Context: {0} tokens used', tokens(used)) : t('Context: {0}% used', percent);
  const label = count?.cost ? t('{0}, cost {1}', context, amount(count.cost.total)) : context;
  const isOpen = openPopup.value === 'meter';
  const isPeeking = peeksAtMeter.value && !isOpen;
  return (
    <>
      <button
        type="button"
        class="ibtn ring-btn"
        data-testid="context-meter"
        aria-haspopup="dialog"
        aria-expanded={isOpen}
        aria-describedby={isPeeking ? BREAKDOWN_ID : undefined}
        title={isPeeking ? undefined : label}
        aria-label={label}
        onClick={() => togglePopup('meter')}
        onFocus={({ currentTarget }) => (peeksAtMeter.value = currentTarget.matches(':focus-visible'))}
        onBlur={() => (peeksAtMeter.value = false)}
        onKeyDown={(event) => {
          if (event.key !== 'Escape' || !isPeeking) return;
          event.stopPropagation();
          peeksAtMeter.value = false;
        }}
      >
        <Ring percent={percent} />
      </button>
      {isPeeking && (
        <div class="pop pop-meter" role="tooltip" id={BREAKDOWN_ID} data-testid="context-meter-tip">
          <Breakdown count={count} percent={percent} />
        </div>
      )}
      {isOpen && (
        <Popup testid="context-meter-popup" label={t('Context')} opener="context-meter" className="pop pop-meter">
          <Breakdown count={count} percent={percent} />
          <div class="meter-foot">
            <Button
              testid="context-usage"
              kind="quiet"
              onClick={() => {
                openPopup.value = null;
                runCommand('showUsage');
              }}
            >
              {t('Usage')}
            </Button>
            {threadId.value !== null && isOwn.value && <CompactNow />}
          </div>
        </Popup>
      )}
    </>
  );
}

function CompactNow() {
  return (
    <Button
      testid="context-compact"
      disabled={isRunning.value}
      onClick={() => {
        openPopup.value = null;
        submit({ type: 'compact' });
      }}
    >
      {t('Compact Now')}
    </Button>
  );
}

function Breakdown({ count, percent }: { count: TokenCount | null; percent: number }) {
  const used = count?.last.total ?? 0;
  const window = count?.contextWindow ?? null;
  return (
    <>
      <div class="meter-head">
        <h3 class="meter-title">
          {window === null ? t('{0} tokens', tokens(used)) : t('{0} of {1} tokens', tokens(used), tokens(window))}
        </h3>
        <span class="meter-pct">{window !== null && t('{0}%', percent)}</span>
      </div>
      {count?.parts && <Parts parts={count.parts} whole={window ?? used} />}
      {count && <Notes count={count} />}
    </>
  );
}

function Notes({ count }: { count: TokenCount }) {
  const { parts, estimated, last, total, compactsAt, cost, rateLimits } = count;
  return (
    <>
      {parts && !estimated && (
        <p class="meter-note">{t('≈ The parts are estimates; their sum is the server’s count.')}</p>
      )}
      {estimated && <p class="meter-note">{t('≈ Estimated: the server reports no usage.')}</p>}
      {!estimated && <p class="meter-note">{describeRequest(last)}</p>}
      <p class="meter-note">{t('{0} tokens in this thread so far.', tokens(total.total))}</p>
      {compactsAt !== undefined && (
        <p class="meter-note">{t('Compacts automatically at {0} tokens.', tokens(compactsAt))}</p>
      )}
      {cost && (
        <p class="meter-note" data-testid="context-cost">
          {t('Cost of the last request: {0}, of the thread: {1}.', amount(cost.last), amount(cost.total))}
        </p>
      )}
      {rateLimits && (
        <div data-testid="context-limits">
          {rateLimits.requests && (
            <p class="meter-note">{t('Requests left: {0}', describeLimit(rateLimits.requests))}</p>
          )}
          {rateLimits.tokens && <p class="meter-note">{t('Tokens left: {0}', describeLimit(rateLimits.tokens))}</p>}
        </div>
      )}
    </>
  );
}

/** “59 of 60, in full again after 1 s”. */
function describeLimit({ limit, remaining, resetsInMs }: RateLimit): string {
  const left = limit === undefined ? tokens(remaining) : t('{0} of {1}', tokens(remaining), tokens(limit));
  return resetsInMs === undefined ? left : t('{0}, reset in {1}', left, roughly(resetsInMs));
}

function describeRequest({ input, cachedInput, output, reasoning }: TokenUsage): string {
  const thought = reasoning === 0 ? '' : ` ${t('({0} reasoning)', tokens(reasoning))}`;
  return `${t('Last request: {0} in ({1} cached), {2} out', tokens(input), tokens(cachedInput), tokens(output))}${thought}.`;
}

function Ring({ percent }: { percent: number }) {
  const circle = { cx: 8, cy: 8, r: 6, fill: 'none', 'stroke-width': 2 };
  return (
    <svg class="ring" viewBox="0 0 16 16" width="16" height="16" aria-hidden="true">
      <circle class="ring-track" {...circle} />
      <circle
        class={percent >= 80 ? 'ring-fill is-high' : 'ring-fill'}
        {...circle}
        pathLength={100}
        stroke-dasharray={`${percent} 100`}
        transform="rotate(-90 8 8)"
      />
    </svg>
  );
}

/** Draws one bar for each kind, as its share of the window. All bars have one colour, so no legend is needed. */
function Parts({ parts, whole }: { parts: ContextParts; whole: number }) {
  const rows: readonly { readonly kind: keyof ContextParts; readonly label: string }[] = [
    { kind: 'instructions', label: t('Instructions') },
    { kind: 'tools', label: t('Tools') },
    { kind: 'projectDocs', label: 'AGENTS.md' },
    { kind: 'files', label: t('Files') },
    { kind: 'outputs', label: t('Outputs') },
    { kind: 'conversation', label: t('Conversation') },
  ];
  return (
    <table class="meter">
      <tbody>
        {rows.map(({ kind, label }) => (
          <tr key={kind} data-testid="context-part" data-kind={kind}>
            <th scope="row">{label}</th>
            <td class="meter-bar">
              <svg viewBox="0 0 100 4" preserveAspectRatio="none" aria-hidden="true">
                <rect class="meter-track" width="100" height="4" />
                <rect class="meter-fill" width={Math.min(100, (parts[kind] / Math.max(1, whole)) * 100)} height="4" />
              </svg>
            </td>
            <td class="meter-n">{t('≈ {0}', tokens(parts[kind]))}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}
