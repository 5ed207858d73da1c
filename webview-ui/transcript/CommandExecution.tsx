import { firstLine } from '../../src/protocol/text/truncate.ts';
import { useComputed } from '@preact/signals';
import type { TurnItemOf } from '../../src/protocol/item.ts';
import type { ProcessState } from '../../src/protocol/thread.ts';
import { addToDraft, runCommand, submit } from '../actions.ts';
import { post } from '../bridge.ts';
import { reasonName } from '../text/reasons.ts';
import { startOf } from '../facts.ts';
import { visibleText } from '../../src/protocol/text/escapeInvisible.ts';
import { say, t } from '../l10n.ts';
import { denialOf, isInReview, isOnlyRequest, processes, reviewedBy, waitingItems } from '../store.ts';
import { commandKindOf } from '../text/commandKind.ts';
import { clock, duration, notable } from '../text/format.ts';
import { whyNot } from '../text/whyNot.ts';
import { now } from '../view.ts';
import { CommandChanges } from './CommandChanges.tsx';
import { testCount, TestRun } from './TestResults.tsx';
import { Act, Link } from '../components/Buttons.tsx';
import { CommandName, withCommand } from '../components/CommandName.tsx';
import { Soft } from '../components/Facts.tsx';
import { LiveOutput } from '../components/LiveOutput.tsx';
import { Kill, OpenTerminal } from '../components/ProcessButtons.tsx';
import { refusalFacts, Step, type StepProps } from '../components/Step.tsx';

type CommandItem = TurnItemOf<'command_execution'>;

/** Shows a command, in a form that depends on its state. */
export function CommandExecution({ item }: { item: CommandItem }) {
  const own = useComputed(() => processes.value.find(({ itemId }) => itemId === item.id)).value;
  const process = own?.status.type === 'running' ? own : undefined;
  if (waitingItems.value.has(item.id)) return <WaitingCommand item={item} />;
  if (item.status === 'in_progress') return <RunningCommand item={item} process={process} />;
  if (process !== undefined) return <BackgroundCommand item={item} process={process} />;
  if (item.status === 'declined') return <DeniedCommand item={item} />;
  if (item.status === 'aborted') return <StoppedCommand item={item} />;
  if (item.processId !== undefined) return <EndedCommand item={item} process={own} />;
  return <DoneCommand item={item} />;
}

function Name({ item }: { item: CommandItem }) {
  return <CommandName command={item.command} />;
}

/** The row of a command, which opens to show the output. */
function CommandStep({
  item,
  icon = 'terminal',
  body,
  ...step
}: Partial<StepProps> & Pick<StepProps, 'label'> & { item: CommandItem }) {
  const whole = step.state === 'running' ? body : withCommand(item.command, body);
  const own = <Step testid="command" icon={icon} title={item.command} body={whole} {...step} />;
  if (item.changed === undefined) return own;
  return (
    <>
      {own}
      <CommandChanges itemId={item.id} changed={item.changed} />
    </>
  );
}

function WaitingCommand({ item }: { item: CommandItem }) {
  const inReview = useComputed(() => isInReview(item.id)).value;
  const alone = inReview ? t('In review') : t('Needs approval');
  const name = <Name item={item} />;
  const named = inReview ? say('In review: {0}', name) : say('Needs approval: {0}', name);
  const label = isOnlyRequest.value ? alone : named;
  return <CommandStep item={item} state="waiting" label={label} />;
}

function Since({ milliseconds }: { milliseconds: number | null }) {
  return <>{milliseconds !== null && clock(now.value - milliseconds)}</>;
}

function RunningCommand({ item, process }: { item: CommandItem; process: ProcessState | undefined }) {
  return (
    <CommandStep
      item={item}
      state="running"
      open
      label={say('Running {0}', <Name item={item} />)}
      meta={<Since milliseconds={startOf(item.id)} />}
      body={() => (
        <LiveOutput itemId={item.id} text={item.output} isRunning label={t('Live output of {0}', item.command)} />
      )}
      foot={
        <>
          {process && <OpenTerminal process={process} />}
          {process && <Kill process={process} />}
          <FullOutput item={item} />
        </>
      }
    />
  );
}

function FullOutput({ item }: { item: CommandItem }) {
  return (
    <Act testid="command-open-output" onClick={() => post({ type: 'open_output', itemId: item.id })}>
      {t('Open Full Output')}
    </Act>
  );
}

/** The button that removes the output from the thread, the model's history and the disk. */
function RemoveOutput({ item }: { item: CommandItem }) {
  return (
    <Act testid="command-remove-output" onClick={() => submit({ type: 'purge_output', itemId: item.id })}>
      {t('Delete Output')}
    </Act>
  );
}

/** A command whose process continues after the call has returned: one line with a button. */
function BackgroundCommand({ item, process }: { item: CommandItem; process: ProcessState }) {
  return (
    <div class="step-line">
      <CommandStep
        item={item}
        icon="server-process"
        state="background"
        label={say('Running {0}', <Name item={item} />)}
        meta={
          <>
            <Soft>{t('background')} · </Soft>
            <Since milliseconds={Date.parse(process.startedAt)} />
          </>
        }
        body={() => (
          <LiveOutput
            itemId={item.id}
            text={item.output + process.output}
            isRunning
            label={t('Live output of {0}', item.command)}
          />
        )}
        foot={<FullOutput item={item} />}
      />
      <span class="step-acts">
        <OpenTerminal process={process} />
        <Kill process={process} />
      </span>
    </div>
  );
}

/** A background command that has ended. Its exit code is unknown if it ended together with its window. */
function EndedCommand({ item, process }: { item: CommandItem; process: ProcessState | undefined }) {
  const exitCode = process?.status.type === 'exited' ? process.status.exitCode : null;
  const hasFailed = exitCode !== null && exitCode !== 0;
  const output = item.output + (process?.output ?? '');
  return (
    <CommandStep
      item={item}
      icon="server-process"
      state={hasFailed ? 'failed' : 'done'}
      label={say('Ran {0}', <Name item={item} />)}
      meta={
        <>
          <Soft>{t('background')} · </Soft>
          {exitCode === null ? t('stopped when the window closed') : t('exit {0}', String(exitCode))}
        </>
      }
      body={() => (
        <LiveOutput itemId={item.id} text={output} isRunning={false} label={t('Output of {0}', item.command)} />
      )}
      foot={<FullOutput item={item} />}
    />
  );
}

function DeniedCommand({ item }: { item: CommandItem }) {
  const denial = useComputed(() => denialOf(item.id)).value;
  return (
    <CommandStep
      item={item}
      state="denied"
      label={say('Denied {0}', <Name item={item} />)}
      {...refusalFacts(denial, item)}
    />
  );
}

/** A command that was killed, or never started, because its turn was stopped. */
function StoppedCommand({ item }: { item: CommandItem }) {
  // If the approval was not answered, the command did not run. A command that was requested again after a reload, and
  // ran then, has a duration.
  const wasAsked = useComputed(() => denialOf(item.id) !== undefined).value;
  const hasRun = item.durationMs > 0 || !wasAsked;
  return (
    <CommandStep
      item={item}
      state="denied"
      label={say(hasRun ? t('Stopped {0}') : t('Not run: {0}'), <Name item={item} />)}
      meta={notable(item.durationMs) !== null && <Soft>{t('after {0}', duration(item.durationMs))}</Soft>}
      body={item.output === '' ? undefined : () => <DoneOutput item={item} />}
    />
  );
}

function DoneOutput({ item }: { item: CommandItem }) {
  return (
    <LiveOutput
      itemId={item.id}
      text={item.output}
      isRunning={false}
      isCut={item.logPath !== undefined}
      label={t('Output of {0}', item.command)}
    />
  );
}

function doneLabel(item: CommandItem) {
  const kind = commandKindOf(item.command);
  if (kind.type === 'search') return say('Searched {0}', <code>{firstLine(kind.pattern)}</code>);
  if (kind.type !== 'read') return say('Ran {0}', <Name item={item} />);
  const [first, second, ...more] = kind.names;
  if (second === undefined) return say('Read {0}', <code>{first}</code>);
  if (more.length === 0) return say('Read {0} and {1}', <code>{first}</code>, <code>{second}</code>);
  return say('Read {0}, {1} and {2} more', <code>{first}</code>, <code>{second}</code>, more.length);
}

const KIND_ICONS = { read: 'book', search: 'search', list: 'list-unordered', run: 'terminal' } as const;

function DoneCommand({ item }: { item: CommandItem }) {
  const hasFailed = item.status === 'failed' || (item.exitCode !== null && item.exitCode !== 0);
  const kind = commandKindOf(item.command).type;
  const isExitSaid = item.exitCode !== null && (kind === 'run' || hasFailed);
  const exit = isExitSaid && t('exit {0}', String(item.exitCode));
  const time = notable(item.durationMs) !== null && duration(item.durationMs);
  const rule = item.allowedBy !== undefined && t('by a rule');
  const reviewer = useComputed(() => reviewedBy(item.id)).value;
  const tests = item.tests !== undefined && testCount(item.tests);
  const soft = [rule, reviewer !== undefined && t('by the reviewer'), !hasFailed && exit, time]
    .filter((fact) => fact !== false)
    .join(' · ');
  return (
    <CommandStep
      item={item}
      icon={KIND_ICONS[kind]}
      state={hasFailed ? 'failed' : 'done'}
      open={hasFailed && item.output !== ''}
      label={doneLabel(item)}
      word={whyNot(item.why, item.cwd).line}
      meta={
        <>
          {tests || (hasFailed && exit)}
          <Soft>
            {(tests || (hasFailed && exit !== false)) && soft !== '' && ' · '}
            {soft}
          </Soft>
        </>
      }
      body={
        item.output === '' && !item.allowedBy && reviewer === undefined
          ? undefined
          : () => (
              <>
                {item.tests && <TestRun results={item.tests} />}
                {item.output !== '' && <DoneOutput item={item} />}
                {reviewer && (
                  <p class="step-note" data-testid="command-reviewed">
                    {say(
                      'Approved by the reviewer {0}: “{1}”',
                      <code>{visibleText(reviewer.model)}</code>,
                      visibleText(reviewer.text),
                    )}
                  </p>
                )}
              </>
            )
      }
      foot={
        <>
          {item.output !== '' && <FullOutput item={item} />}
          {item.output !== '' && <RemoveOutput item={item} />}
          {item.allowedBy && (
            <Link testid="command-rule" onClick={() => runCommand('showRules')}>
              {t('Allowed by {0}', reasonName(item.allowedBy))}
            </Link>
          )}
          {hasFailed && (
            <Act
              testid="command-add-to-message"
              onClick={() => addToDraft(`\n\`\`\`\n${item.output.slice(-2_000)}\n\`\`\`\n`)}
            >
              {t('Add to Message')}
            </Act>
          )}
        </>
      }
    />
  );
}
