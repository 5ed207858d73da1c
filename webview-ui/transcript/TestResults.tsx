import type { TestResults as Results } from '../../src/protocol/item.ts';
import { visibleText } from '../../src/protocol/text/escapeInvisible.ts';
import { shortened } from '../../src/protocol/text/truncate.ts';
import { post } from '../bridge.ts';
import { t } from '../l10n.ts';
import { Act } from '../components/Buttons.tsx';

/** The maximum number of listed tests, and of characters of one message. The output below has all of them. */
const [SHOWN, MESSAGE] = [50, 2_000];

/** Returns the count for the line of the command: only one, because the line is short. */
export function testCount({ passed, failed }: Results): string {
  return failed > 0 ? t('{0} failed', failed) : t('{0} passed', passed);
}

/** Returns all counts: `2 failed, 40 passed, 1 skipped`. */
function testCounts({ passed, failed, skipped }: Results): string {
  const counts = [
    failed > 0 && t('{0} failed', failed),
    t('{0} passed', passed),
    skipped > 0 && t('{0} skipped', skipped),
  ];
  return counts.filter((count) => count !== false).join(', ');
}

/** Shows the counts of a test run, and each failed test with its place and its message. */
export function TestRun({ results }: { results: Results }) {
  return (
    <>
      <p class="why">{testCounts(results)}</p>
      <FailedTests {...results} />
    </>
  );
}

function FailedTests({ failures }: Pick<Results, 'failures'>) {
  if (failures.length === 0) return null;
  return (
    <ul class="failed-tests" data-testid="failed-tests" aria-label={t('Failed tests')}>
      {failures.slice(0, SHOWN).map(({ name, path, line, message }, index) => (
        <li key={index}>
          <strong>{visibleText(name)}</strong>
          {path !== undefined && (
            <Act
              testid="failed-test-open"
              label={t('Open {0}', visibleText(placeOf(path, line)))}
              onClick={() => post({ type: 'open_file', path, ...(line !== undefined && { line }) })}
            >
              {visibleText(placeOf(path, line))}
            </Act>
          )}
          {message !== '' && (
            <pre class="band" tabIndex={0} role="group" aria-label={t('Message of {0}', name)}>
              {visibleText(shortened(message, MESSAGE))}
            </pre>
          )}
        </li>
      ))}
      {failures.length > SHOWN && <li>{t('… and {0} more', failures.length - SHOWN)}</li>}
    </ul>
  );
}

function placeOf(path: string, line: number | undefined): string {
  return line === undefined ? path : `${path}:${line}`;
}
