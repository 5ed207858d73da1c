import { firstLine } from '../../src/protocol/text/truncate.ts';
import type { ProcessState } from '../../src/protocol/thread.ts';
import { post } from '../bridge.ts';
import { plural, t } from '../l10n.ts';
import { backgroundProcesses, composerFocus, outputOfItem } from '../store.ts';
import { useLayoutEffect, useRef } from 'preact/hooks';
import { clock } from '../text/format.ts';
import { now } from '../view.ts';
import { Act } from '../components/Buttons.tsx';
import { CommandName, withCommand } from '../components/CommandName.tsx';
import { Icon } from '../components/Icon.tsx';
import { LiveOutput } from '../components/LiveOutput.tsx';
import { Kill, OpenTerminal, takeKilled } from '../components/ProcessButtons.tsx';
import { Step } from '../components/Step.tsx';

/** Lists the background processes. They are always visible, and at most two clicks kill one. */
export function Processes() {
  const running = backgroundProcesses.value;
  const element = useRef<HTMLDetailsElement>(null);
  useLayoutEffect(() => focusNextProcess(element.current), [running.length]);
  const [first] = running;
  if (first === undefined) return null;
  return (
    <details class="processes" data-testid="processes" ref={element}>
      <summary class="processes-row">
        <Icon name="server-process" />
        <span class="processes-title">
          {plural(running.length, '{0} background process', '{0} background processes')}
        </span>
        <code class="processes-first">{firstLine(first.command)}</code>
        <Icon name="chevron-right" className="step-chevron" />
      </summary>
      <div class="processes-list">
        {running.map((process) => (
          <Process key={process.processId} process={process} />
        ))}
      </div>
    </details>
  );
}

/**
 * After a process was killed with the keyboard, focuses the button of the next process, or the composer if there is
 * none.
 */
function focusNextProcess(list: HTMLElement | null): void {
  if (document.activeElement !== document.body || !takeKilled()) return;
  const next = list?.querySelector<HTMLElement>('[data-testid=process-kill]');
  if (next) next.focus();
  else composerFocus.value++;
}

function Process({ process }: { process: ProcessState }) {
  return (
    <div class="step-line">
      <Step
        testid="process"
        icon="server-process"
        state="background"
        title={process.command}
        label={<CommandName command={process.command} />}
        meta={clock(now.value - Date.parse(process.startedAt))}
        body={withCommand(process.command, () => (
          <LiveOutput
            itemId={process.itemId}
            text={outputOfItem(process.itemId) + process.output}
            isRunning
            label={t('Live output of {0}', process.command)}
          />
        ))}
        foot={
          <Act testid="process-open-output" onClick={() => post({ type: 'open_output', itemId: process.itemId })}>
            {t('Open Full Output')}
          </Act>
        }
      />
      <span class="step-acts">
        <OpenTerminal process={process} />
        <Kill process={process} />
      </span>
    </div>
  );
}
