import type { ComponentChild } from 'preact';
import type { TurnItemOf } from '../../src/protocol/item.ts';
import { visibleText } from '../../src/protocol/text/escapeInvisible.ts';
import { firstLine } from '../../src/protocol/text/truncate.ts';
import { say, t } from '../l10n.ts';
import { Fact, Soft } from '../components/Facts.tsx';
import { CALL_STATES, Step } from '../components/Step.tsx';
import { duration, notable } from '../text/format.ts';

/**
 * A run of a hook that had an effect, failed, or took long. If it stopped a call or the turn, its message is shown
 * below the line.
 */
export function HookRun({ item }: { item: TurnItemOf<'hook_run'> }) {
  const { event, command, source, tool, text = '', status, effect, durationMs } = item;
  const isRefusal = effect === 'failed' || effect === 'blocked' || effect === 'stopped' || effect === 'asked';
  const word = visibleText(text);
  const time = notable(status === 'in_progress' ? null : durationMs);
  return (
    <Step
      testid="hook-run"
      icon="plug"
      state={CALL_STATES[status]}
      title={command}
      label={labelOf(item)}
      className="hook-run"
      meta={time !== null && <Soft>{duration(time)}</Soft>}
      {...(isRefusal && word !== '' ? { word } : {})}
      body={() => (
        <>
          <dl class="choices">
            <Fact name={t('Event')}>{tool === undefined ? event : visibleText(`${event} · ${tool}`)}</Fact>
            <Fact name={t('Command')}>{visibleText(command)}</Fact>
            <Fact name={t('Named by')}>{visibleText(source)}</Fact>
          </dl>
          {!isRefusal && word !== '' && (
            <pre class="band" tabIndex={0} role="group" aria-label={t('Text of the hook')}>
              {word}
            </pre>
          )}
        </>
      )}
    />
  );
}

function labelOf({ event, command, tool, effect, status }: TurnItemOf<'hook_run'>) {
  const hook = <code>{visibleText(firstLine(command))}</code>;
  if (status === 'in_progress') return say('Running the hook {0}', hook);
  switch (effect) {
    case 'failed':
      return say('The hook {0} failed', hook);
    case 'stopped':
      return say('The hook {0} stopped the turn', hook);
    case 'blocked':
      return blockedLabel(event, tool, hook);
    case 'asked':
      return say('The hook {0} wants you to decide', hook);
    case 'changed':
      return say('The hook {0} changed the arguments', hook);
    case 'context':
      return say('The hook {0} added context', hook);
    case 'message':
      return say('The hook {0} has a message', hook);
    case 'none':
      return say('Ran the hook {0}', hook);
  }
}

function blockedLabel(event: TurnItemOf<'hook_run'>['event'], tool: string | undefined, hook: ComponentChild) {
  switch (event) {
    case 'UserPromptSubmit':
      return say('The hook {0} blocked your message', hook);
    case 'Stop':
      return say('The hook {0} made the model continue', hook);
    case 'PostToolUse':
      return say('The hook {0} objected to the result of {1}', hook, visibleText(tool ?? ''));
    case 'SessionStart':
    case 'Notification':
    case 'PreToolUse':
      return say('The hook {0} denied {1}', hook, visibleText(tool ?? ''));
  }
}
