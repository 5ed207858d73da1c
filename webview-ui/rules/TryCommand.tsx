import type { CommandExplanation } from '../../src/protocol/rules.ts';
import { Icon } from '../components/Icon.tsx';
import { reasonInFull, reasonName } from '../text/reasons.ts';
import { t } from '../l10n.ts';
import { decisionIcon } from './DecisionWord.tsx';
import { explain, explanation, tried } from './store.ts';

/** Explains how the rules decide about a command, without running it. */
export function TryCommand() {
  const { value } = explanation;
  return (
    <section class="page-part" aria-labelledby="try">
      <h2 id="try">{t('Test a Command')}</h2>
      <input
        class="input page-mono"
        data-testid="rules-try"
        aria-label={t('A command, as it would be run')}
        placeholder={t('A command (not run)')}
        value={tried.value}
        onInput={({ currentTarget }) => explain(currentTarget.value)}
      />
      <div role="status" data-testid="rules-verdict">
        {tried.value.trim() !== '' && value !== null && <Verdict explanation={value} />}
      </div>
    </section>
  );
}

function Verdict({
  explanation: { decision, bypassSandbox, readsSecrets, reason, commands, matchedRules },
}: {
  explanation: CommandExplanation;
}) {
  return (
    <div class="page-verdict" data-decision={decision}>
      <Icon name={decisionIcon(decision)} />
      <div>
        <p class="page-strong">{sentence(decision, bypassSandbox)}</p>
        {readsSecrets && <p>{t('It may open files with secrets in the sandbox.')}</p>}
        <p>{reasonInFull(reason)}</p>
        {commands !== null && commands.length > 1 && (
          <p class="page-dim">{t('It contains {0} commands; the strictest decides.', commands.length)}</p>
        )}
        {matchedRules.length > 0 && (
          <ul aria-label={t('Rules that match')}>
            {matchedRules.map(({ file, index, ...rule }) => (
              <li key={`${file}#${index}`} class="page-dim">
                {reasonName({ source: 'rule', id: `rule:${file}#${index}`, text: '', rule })}
              </li>
            ))}
          </ul>
        )}
      </div>
    </div>
  );
}

function sentence(decision: CommandExplanation['decision'], bypassSandbox: boolean): string {
  switch (decision) {
    case 'allow':
      return bypassSandbox ? t('Runs without asking, outside the sandbox') : t('Runs without asking');
    case 'prompt':
      return t('You are asked');
    case 'forbidden':
      return t('Is blocked');
  }
}
