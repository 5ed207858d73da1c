import type { ProcessState } from '../../src/protocol/thread.ts';
import { submit } from '../actions.ts';
import { post } from '../bridge.ts';
import { t } from '../l10n.ts';
import { Act } from './Buttons.tsx';

/** True after a process was killed by its button, until `takeKilled`. The button is removed with the process. */
let hasKilled = false;

/** Returns true if a process was killed by its button since the last call: then the caller has to move the focus. */
export function takeKilled(): boolean {
  const killed = hasKilled;
  hasKilled = false;
  return killed;
}

/** Opens a terminal that shows the process and accepts input. */
export function OpenTerminal({ process: { processId, command } }: { process: ProcessState }) {
  return (
    <Act
      testid="process-terminal"
      label={t('Open {0} in a terminal', command)}
      onClick={() => post({ type: 'open_terminal', processId })}
    >
      {t('Terminal')}
    </Act>
  );
}

/** Kills a background process and all processes that it has started. */
export function Kill({ process: { processId, command } }: { process: ProcessState }) {
  return (
    <Act
      testid="process-kill"
      label={t('Kill {0}', command)}
      onClick={() => {
        hasKilled = true;
        submit({ type: 'kill_process', processId });
      }}
    >
      {t('Kill')}
    </Act>
  );
}
