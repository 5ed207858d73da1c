import { useSignal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import type { DecisionReason } from '../../src/protocol/policy.ts';
import type { Denial } from '../../src/protocol/thread.ts';
import { shortened } from '../../src/protocol/text/truncate.ts';
import { visibleText } from '../../src/protocol/text/escapeInvisible.ts';
import { reasonInFull } from '../text/reasons.ts';
import { t } from '../l10n.ts';
import { Soft } from './Facts.tsx';
import { Icon, Spinner } from './Icon.tsx';

export type StepState = 'done' | 'running' | 'waiting' | 'failed' | 'denied' | 'background';

/** The state of a step by the status of its call's item. */
export const CALL_STATES = {
  in_progress: 'running',
  completed: 'done',
  failed: 'failed',
  declined: 'denied',
  aborted: 'denied',
} as const satisfies Record<string, StepState>;

const STATE_ICONS: Partial<Record<StepState, string>> = {
  failed: 'error',
  denied: 'circle-slash',
  waiting: 'bell-dot',
};

export interface StepProps {
  testid: string;
  icon: string;
  state?: StepState;
  label: ComponentChildren;
  /** The complete label, if the shown one may be cut. */
  title?: string | undefined;
  meta?: ComponentChildren;
  /** Shown below the line, always visible. */
  word?: string;
  open?: boolean;
  /** Rendered when first opened. */
  body?: (() => ComponentChildren) | undefined;
  foot?: ComponentChildren;
  className?: string;
}

/** Maximum number of characters shown of a denial's message: the user who wrote it knows it. */
const MAX_WORD = 1_000;

/** Returns the source of a denial with the user's message, or else the reason that a rule or the policy gives. */
export function refusalFacts(
  denial: Denial | undefined,
  { why, forbiddenBy }: { readonly why?: string | undefined; readonly forbiddenBy?: DecisionReason | undefined },
): Pick<StepProps, 'meta' | 'word'> {
  if (forbiddenBy !== undefined) return { meta: <Soft>{t('by a rule')}</Soft>, word: reasonInFull(forbiddenBy) };
  if (why !== undefined || denial?.by !== 'user') return { word: visibleText(why ?? '') };
  const word = shortened(denial.word, MAX_WORD);
  return { meta: <Soft>{t('by you')}</Soft>, word: word === '' ? '' : t('“{0}”', visibleText(word)) };
}

/** Shows one piece of work in one line. The user can open it to see its body. */
export function Step(props: StepProps) {
  const { testid, state = 'done', label, title, meta, word, open = false, body, foot, icon, className = '' } = props;
  const wasOpened = useSignal(false);
  const head = (
    <>
      <span class="step-icon">{state === 'running' ? <Spinner /> : <Icon name={STATE_ICONS[state] ?? icon} />}</span>
      <span class="step-label" title={title}>
        {label}
      </span>
      {body === undefined ? <span /> : <Icon name="chevron-right" className="step-chevron" />}
      <span class="step-meta">{meta}</span>
    </>
  );
  if (body === undefined) {
    return (
      <div class="step" data-state={state} data-testid={testid}>
        <div class="step-row">{head}</div>
        {word && <p class="step-say">{word}</p>}
      </div>
    );
  }
  const onToggle = (event: { currentTarget: HTMLDetailsElement }) => {
    if (event.currentTarget.open) wasOpened.value = true;
  };
  return (
    <details class={`step ${className}`.trim()} data-state={state} data-testid={testid} open={open} onToggle={onToggle}>
      <summary class="step-row">
        {head}
        {word && <span class="step-say">{word}</span>}
      </summary>
      {(open || wasOpened.value) && (
        <div class="step-body">
          {body()}
          {foot && <div class="step-foot">{foot}</div>}
        </div>
      )}
    </details>
  );
}
