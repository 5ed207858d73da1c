import type { Warning } from '../../src/protocol/thread.ts';
import { post } from '../bridge.ts';
import { t } from '../l10n.ts';
import { cwd, settings } from '../store.ts';
import { insideOf } from '../../src/protocol/text/relativizePaths.ts';
import { Button } from '../components/Buttons.tsx';
import { Step } from '../components/Step.tsx';

/**
 * Shows the warnings of a turn or of the thread. A warning about a quarantined file has a button that restores the
 * file.
 */
export function Warnings({ warnings }: { warnings: readonly Warning[] }) {
  return (
    <div class="steps warnings">
      {warnings.map((warning, index) => (
        <Step
          key={index}
          testid="warning"
          icon="warning"
          label={insideOf(cwd.value, warning.message)}
          title={warning.message}
          meta={<PutBack warning={warning} />}
        />
      ))}
    </div>
  );
}

/** Returns true while the file of the warning is in quarantine. */
export function canBeRestored({ quarantineId }: Warning): boolean {
  return quarantineId !== undefined && settings.value?.quarantined.includes(quarantineId) === true;
}

function PutBack({ warning }: { warning: Warning }) {
  const { quarantineId } = warning;
  if (quarantineId === undefined || !canBeRestored(warning)) return null;
  return (
    <Button testid="put-back" onClick={() => post({ type: 'restore', quarantineId })}>
      {t('Restore')}
    </Button>
  );
}
