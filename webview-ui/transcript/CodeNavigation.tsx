import type { TurnItemOf } from '../../src/protocol/item.ts';
import { visibleText } from '../../src/protocol/text/escapeInvisible.ts';
import { shortened } from '../../src/protocol/text/truncate.ts';
import { say, t } from '../l10n.ts';
import { CALL_STATES, Step } from '../components/Step.tsx';

/** Maximum number of characters shown. The model may have got more. */
const SHOWN = 4_000;

/** A query that the model has sent to the editor's language extensions, with the result. */
export function CodeNavigation({ item }: { item: TurnItemOf<'code_navigation'> }) {
  const { status, why, found, text, op } = item;
  const hasBody = why !== undefined || text !== undefined;
  return (
    <Step
      testid="code-navigation"
      icon={op === 'diagnostics' ? 'warning' : 'symbol-method'}
      state={CALL_STATES[status]}
      title={[item.symbol, item.path].filter(Boolean).join(', ')}
      label={labelOf(item)}
      meta={found !== undefined && op !== 'hover' && t('{0} found', found)}
      {...(hasBody && {
        body: () => (
          <>
            {why !== undefined && <p class="why">{visibleText(why)}</p>}
            {text !== undefined && (
              <pre class="band" tabIndex={0} role="group" aria-label={t('Text for the model')}>
                {visibleText(shortened(text, SHOWN))}
              </pre>
            )}
          </>
        ),
      })}
    />
  );
}

function labelOf({ op, symbol, path }: TurnItemOf<'code_navigation'>) {
  const name = <code>{visibleText(shortened(symbol ?? path ?? '', 80))}</code>;
  switch (op) {
    case 'definition':
      return say('Definition of {0}', name);
    case 'references':
      return say('References to {0}', name);
    case 'implementations':
      return say('Implementations of {0}', name);
    case 'symbols':
      return say('Symbols of {0}', name);
    case 'hover':
      return say('Type of {0}', name);
    case 'rename':
      return say('Rename of {0}', name);
    case 'diagnostics':
      return path === undefined ? t('Problems in the editor') : say('Problems of {0}', name);
  }
}
