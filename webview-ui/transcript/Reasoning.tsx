import type { TurnItemOf } from '../../src/protocol/item.ts';
import { durationOf } from '../facts.ts';
import { t } from '../l10n.ts';
import { settings } from '../store.ts';
import { roughly } from '../text/format.ts';
import { Soft } from '../components/Facts.tsx';
import { Markdown } from '../components/Markdown.tsx';
import { Step } from '../components/Step.tsx';

/** Servers begin each section with its title in bold: the newest one is the subject. */
function subjectOf(summary: readonly string[]): string | null {
  const title = summary
    .map((section) => /^\s*\*\*(.+?)\*\*/.exec(section)?.[1])
    .findLast((found) => found !== undefined);
  return title === undefined ? null : title.charAt(0).toLowerCase() + title.slice(1);
}

export function Reasoning({ item }: { item: TurnItemOf<'reasoning'> }) {
  const subject = subjectOf(item.summary);
  const isRunning = item.status === 'in_progress';
  const time = durationOf(item.id);
  const summary = item.summary.join('\n\n');
  // An item has raw reasoning only where the setting allowed it; without a choice the summary is preferred.
  const showsRaw = settings.value?.showRawReasoning ?? summary === '';
  const text = (showsRaw ? item.raw : undefined) ?? summary;
  return (
    <Step
      testid="reasoning"
      icon="lightbulb"
      state={isRunning ? 'running' : 'done'}
      label={
        isRunning
          ? subject === null
            ? t('Thinking')
            : t('Thinking about {0}', subject)
          : subject === null
            ? t('Thought')
            : t('Thought about {0}', subject)
      }
      meta={time !== null && <Soft>{roughly(time)}</Soft>}
      body={text.trim() === '' ? undefined : () => <Markdown text={text} />}
    />
  );
}
