import type { RulesOverview } from '../../src/protocol/rules.ts';
import { Button } from '../components/Buttons.tsx';
import { Icon } from '../components/Icon.tsx';
import { t } from '../l10n.ts';
import { inWorkspace, openFile, refusal } from './store.ts';

/** Lists the rules that are ignored because of a mistake in their file, and the last edit that failed. */
export function Problems({ problems }: { problems: RulesOverview['problems'] }) {
  return (
    <div class="page-notices">
      {problems.map(({ file, message }) => (
        <div
          key={file}
          class="notice"
          data-kind="warning"
          data-testid="rules-problem"
          role="group"
          aria-label={inWorkspace(file)}
        >
          <span class="step-icon">
            <Icon name="warning" />
          </span>
          <div>
            <p class="notice-title">{t('A rules file has an error')}</p>
            <p class="notice-text">{inWorkspace(message)}</p>
            <p class="notice-actions">
              <Button testid="rules-problem-open" onClick={() => openFile(file, lineIn(message, file))}>
                {t('Open File')}
              </Button>
            </p>
          </div>
        </div>
      ))}
      <div role="alert">
        {refusal.value !== null && (
          <p class="page-refusal" data-testid="rules-refusal">
            <Icon name="error" /> {refusal.value}
          </p>
        )}
      </div>
    </div>
  );
}

/** Returns the line of a problem: its message begins with `file:line:` if the line is known. */
function lineIn(message: string, file: string): number | undefined {
  const [, line] = /^:(\d+):/.exec(message.startsWith(file) ? message.slice(file.length) : '') ?? [];
  return line === undefined ? undefined : Number(line);
}
