import type { TurnItemOf } from '../../src/protocol/item.ts';
import { durationOf } from '../facts.ts';
import { t } from '../l10n.ts';
import { settings } from '../store.ts';
import { notable, roughly } from '../text/format.ts';
import { reasoningParts } from '../text/reasoningParts.ts';
import { Markdown } from '../components/Markdown.tsx';
import { Step } from '../components/Step.tsx';

/**
 * The reasoning of the model. While it runs, the line shows its newest heading; afterwards it shows how long the model
 * reasoned, and opens to show the sections.
 */
export function Reasoning({ item }: { item: TurnItemOf<'reasoning'> }) {
  const summary = item.summary.join('\n\n');
  // An item only has raw reasoning if the setting allowed it. If the user has made no choice, the summary is preferred.
  const showsRaw = settings.value?.showRawReasoning ?? summary === '';
  const text = (showsRaw ? item.raw : undefined) ?? summary;
  const time = notable(durationOf(item.id));
  const isRunning = item.status === 'in_progress';
  const heading = reasoningParts(summary).findLast((part) => part.heading !== null)?.heading ?? null;
  const thought = time === null ? t('Thought') : t('Thought for {0}', roughly(time));
  return (
    <Step
      testid="reasoning"
      icon="lightbulb"
      state={isRunning ? 'running' : 'done'}
      label={isRunning ? (heading ?? t('Thinking')) : thought}
      title={heading ?? undefined}
      body={text.trim() === '' ? undefined : () => <Parts text={text} />}
    />
  );
}

function Parts({ text }: { text: string }) {
  return (
    <>
      {reasoningParts(text).map(({ heading, body }, index) => (
        <section key={index} class="reasoning-part">
          {heading !== null && <h4>{heading}</h4>}
          <Markdown text={body} />
        </section>
      ))}
    </>
  );
}
