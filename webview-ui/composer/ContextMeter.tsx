import type { TokenUsage } from '../../src/protocol/event.ts';
import { t } from '../l10n.ts';
import { tokenCount } from '../store.ts';
import { amount, tokens } from '../text/format.ts';
import { openPopup } from '../view.ts';
import { Popup } from '../components/Popup.tsx';

/** How much of the model's context window the last request has used. */
export function ContextMeter() {
  const count = tokenCount.value;
  const window = count?.contextWindow ?? null;
  const used = count?.last.total ?? 0;
  const percent = window === null ? 0 : Math.min(100, Math.round((used / window) * 100));
  const label = window === null ? t('Context: {0} tokens used', tokens(used)) : t('Context: {0} % used', percent);
  const isOpen = openPopup.value === 'meter';
  return (
    <>
      <button
        type="button"
        class="ibtn ring-btn"
        data-testid="context-meter"
        aria-haspopup="dialog"
        aria-expanded={isOpen}
        title={label}
        aria-label={label}
        onClick={() => (openPopup.value = isOpen ? null : 'meter')}
      >
        <Ring percent={percent} />
      </button>
      {isOpen && (
        <Popup testid="context-meter-popup" label={t('Context')} opener="context-meter" className="pop pop-meter">
          <div class="meter-head">
            <h3 class="meter-title">
              {window === null ? t('{0} tokens', tokens(used)) : t('{0} of {1} tokens', tokens(used), tokens(window))}
            </h3>
            <span class="meter-pct">{window !== null && t('{0} %', percent)}</span>
          </div>
          {count && <Causes usage={count.last} />}
          {count?.estimated && <p class="meter-note">{t('Estimated: the server does not count.')}</p>}
          {count && <p class="meter-note">{t('{0} tokens in this thread so far.', tokens(count.total.total))}</p>}
          {count?.cost && (
            <p class="meter-note" data-testid="context-cost">
              {t('Cost: {0}, of this thread {1}.', amount(count.cost.last), amount(count.cost.total))}
            </p>
          )}
        </Popup>
      )}
    </>
  );
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

/** One bar per category in one colour, so no legend is needed. */
function Causes({ usage }: { usage: TokenUsage }) {
  const causes = [
    { label: t('Input, cached'), count: usage.cachedInput },
    { label: t('Input, new'), count: Math.max(0, usage.input - usage.cachedInput) },
    { label: t('Reasoning'), count: usage.reasoning },
    { label: t('Answer'), count: Math.max(0, usage.output - usage.reasoning) },
  ];
  const most = Math.max(1, ...causes.map(({ count }) => count));
  return (
    <table class="meter">
      <tbody>
        {causes.map(({ label, count }) => (
          <tr key={label}>
            <th scope="row">{label}</th>
            <td class="meter-bar">
              <svg viewBox="0 0 100 4" preserveAspectRatio="none" aria-hidden="true">
                <rect class="meter-track" width="100" height="4" />
                <rect class="meter-fill" width={(count / most) * 100} height="4" />
              </svg>
            </td>
            <td class="meter-n">{tokens(count)}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}
