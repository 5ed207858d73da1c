import { type Signal, useSignal } from '@preact/signals';
import { useLayoutEffect, useRef } from 'preact/hooks';
import type { Rule, RuleDecision, RuleScope } from '../../src/protocol/policy.ts';
import type { RuleEntry } from '../../src/protocol/rules.ts';
import { Button } from '../components/Buttons.tsx';
import { t } from '../l10n.ts';
import { formatPattern, parsePattern } from '../text/pattern.ts';
import { decisionWord } from './DecisionWord.tsx';
import { edit, form, openForm, state } from './store.ts';

const DECISIONS: readonly RuleDecision[] = ['allow', 'prompt', 'forbidden'];

/** Adds a rule, or edits an existing one. */
export function RuleForm() {
  const open = form.value;
  if (open === null) return null;
  return open.type === 'new' ? <Form key="new" entry={null} /> : <Form key={open.entry.id} entry={open.entry} />;
}

function Form({ entry }: { entry: RuleEntry | null }) {
  const given = entry?.rule;
  const pattern = useSignal(given ? formatPattern(given.pattern) : '');
  const decision = useSignal<RuleDecision>(given?.decision ?? 'allow');
  const outside = useSignal(given?.bypassSandbox ?? false);
  const readsSecrets = useSignal(given?.readsSecrets ?? false);
  const justification = useSignal(given?.justification ?? '');
  const scope = useSignal<RuleScope>('user');
  const field = useRef<HTMLInputElement>(null);
  useLayoutEffect(() => field.current?.focus(), []);
  const parsed = parsePattern(pattern.value);
  const save = () => {
    // Parsed from the field, because the user may submit the form before the last change was rendered.
    const entered = parsePattern(pattern.value);
    if (entered === undefined) return;
    const rule = ruleFrom(given, {
      pattern: entered,
      decision: decision.value,
      outside: outside.value,
      readsSecrets: readsSecrets.value,
      justification: justification.value.trim(),
    });
    edit(entry === null ? { type: 'add', scope: scope.value, rule } : { type: 'replace', id: entry.id, rule });
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.isComposing) return;
    if (event.key === 'Enter' && !(event.target instanceof HTMLButtonElement)) save();
    else if (event.key === 'Escape') openForm(null);
    else return;
    event.preventDefault();
  };
  const title = entry === null ? t('New Rule') : t('Edit Rule');
  return (
    <section class="page-part page-form" aria-label={title} data-testid="rule-form" onKeyDown={onKeyDown}>
      <h2>{title}</h2>
      <div class="form">
        <label for="rule-pattern">{t('Commands that start with')}</label>
        <input
          ref={field}
          id="rule-pattern"
          class="input page-mono"
          data-testid="rule-form-pattern"
          aria-describedby="rule-pattern-hint"
          value={pattern.value}
          onInput={({ currentTarget }) => (pattern.value = currentTarget.value)}
        />
        <DecisionField decision={decision} />
        <label for="rule-why">{t('Reason')}</label>
        <input
          id="rule-why"
          class="input"
          data-testid="rule-form-justification"
          placeholder={t('Shown wherever the rule decides (optional)')}
          value={justification.value}
          onInput={({ currentTarget }) => (justification.value = currentTarget.value)}
        />
        {entry === null && <ScopeField scope={scope} />}
      </div>
      {decision.value === 'allow' && <AllowOptions outside={outside} readsSecrets={readsSecrets} />}
      <p class="page-dim" id="rule-pattern-hint">
        {parsed === undefined && pattern.value.trim() !== ''
          ? t('A quote or a bracket is left open.')
          : t('Words as in a shell; (a|b) stands for one or the other.')}
      </p>
      <div class="page-actions">
        <Button testid="rule-form-save" kind="primary" shortcut="Enter" disabled={parsed === undefined} onClick={save}>
          {t('Save Rule')}
        </Button>
        <Button testid="rule-form-cancel" kind="quiet" shortcut="Esc" onClick={() => openForm(null)}>
          {t('Cancel')}
        </Button>
      </div>
    </section>
  );
}

interface EnteredRule extends Pick<Rule, 'pattern' | 'decision'> {
  readonly outside: boolean;
  readonly readsSecrets: boolean;
  readonly justification: string;
}

/** Returns the rule to write to the file. Examples of the edited rule are kept, because the form does not show them. */
function ruleFrom(before: Rule | undefined, entered: EnteredRule): Rule {
  const { pattern, decision, outside, readsSecrets, justification } = entered;
  return {
    ...(before?.match ? { match: before.match } : {}),
    ...(before?.not_match ? { not_match: before.not_match } : {}),
    pattern,
    decision,
    ...(outside && decision === 'allow' ? { bypassSandbox: true } : {}),
    ...(readsSecrets && decision === 'allow' ? { readsSecrets: true } : {}),
    ...(justification === '' ? {} : { justification }),
  };
}

function DecisionField({ decision }: { readonly decision: Signal<RuleDecision> }) {
  return (
    <>
      <label for="rule-decision">{t('Decision')}</label>
      <select
        id="rule-decision"
        class="input"
        data-testid="rule-form-decision"
        value={decision.value}
        onChange={({ currentTarget }) =>
          (decision.value = DECISIONS.find((choice) => choice === currentTarget.value) ?? 'prompt')
        }
      >
        {DECISIONS.map((choice) => (
          <option key={choice} value={choice}>
            {decisionWord(choice)}
          </option>
        ))}
      </select>
    </>
  );
}

/** The scope of a new rule; an existing one keeps its own. */
function ScopeField({ scope }: { readonly scope: Signal<RuleScope> }) {
  return (
    <>
      <label for="rule-scope">{t('Scope')}</label>
      <select
        id="rule-scope"
        class="input"
        data-testid="rule-form-scope"
        value={scope.value}
        onChange={({ currentTarget }) => (scope.value = scopeOf(currentTarget.value))}
      >
        <option value="user">{t('Everywhere')}</option>
        <option value="workspace">{t('In this workspace')}</option>
        {state.value?.hasThread === true && <option value="thread">{t('In this thread')}</option>}
      </select>
    </>
  );
}

/** The options of a rule that allows, besides running in the sandbox. */
function AllowOptions({ outside, readsSecrets }: Readonly<Record<'outside' | 'readsSecrets', Signal<boolean>>>) {
  return (
    <>
      <label class="check">
        <input
          type="checkbox"
          data-testid="rule-form-outside"
          checked={outside.value}
          onChange={() => (outside.value = !outside.value)}
        />
        <span>{t('Also run outside the sandbox')}</span>
      </label>
      <label class="check">
        <input
          type="checkbox"
          data-testid="rule-form-secrets"
          checked={readsSecrets.value}
          onChange={() => (readsSecrets.value = !readsSecrets.value)}
        />
        <span>{t('Open files with secrets, such as .env, in the sandbox')}</span>
      </label>
    </>
  );
}

function scopeOf(value: string): RuleScope {
  return value === 'thread' || value === 'workspace' ? value : 'user';
}
