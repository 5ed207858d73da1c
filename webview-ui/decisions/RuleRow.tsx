import { type Signal, useSignal } from '@preact/signals';
import { useEffect, useState } from 'preact/hooks';
import type { ApprovalRequest } from '../../src/protocol/event.ts';
import type { Rule, RuleScope } from '../../src/protocol/policy.ts';
import type { RulePreview, RuleSuggestion } from '../../src/protocol/rules.ts';
import { decide } from '../actions.ts';
import { post } from '../bridge.ts';
import { scriptOf } from '../../src/protocol/text/ruleLabels.ts';
import { inOneLine } from '../../src/protocol/text/truncate.ts';
import { visibleText } from '../../src/protocol/text/escapeInvisible.ts';
import { plural, say, t } from '../l10n.ts';
import { rulePreview } from '../store.ts';
import { Button, IconButton } from '../components/Buttons.tsx';
import { Fact } from '../components/Facts.tsx';

/**
 * The form of "Always allow …": the words that the command must begin with, where the rule applies, and whether its
 * commands run outside the sandbox. It replaces the answers, so that Enter has one meaning.
 */
export function RuleRow({
  request: { approvalId },
  onBack,
  ...shown
}: {
  request: ApprovalRequest;
  proposed: Rule;
  /** The suggested rule with the earlier approvals that it would have made unnecessary, if they are known. */
  suggestion?: RuleSuggestion | undefined;
  onBack: () => void;
}) {
  // The values from when the row opened: the suggestion may arrive later, and must not change the rule while the user
  // edits it.
  const [{ proposed, suggestion }] = useState(shown);
  const length = useSignal(proposed.pattern.length);
  const scope = useSignal<RuleScope>('workspace');
  const outside = useSignal(false);
  const answer = rulePreview.value?.approvalId === approvalId ? rulePreview.value : null;
  const words = wordsOf(proposed, answer?.preview);
  const rule: Rule = {
    pattern: words.slice(0, length.value),
    decision: 'allow',
    ...(outside.value ? { bypassSandbox: true } : {}),
  };
  const name = JSON.stringify(rule);
  useEffect(() => post({ type: 'preview_rule', approvalId, rule }), [name]);
  // A preview that was made for an earlier version of the rule does not apply.
  const preview = answer !== null && JSON.stringify(answer.rule) === name ? answer.preview : null;
  const allow = () => {
    if (preview?.problem === null) decide(approvalId, { approved_rule: { rule, scope: scope.value } });
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const { target } = event;
    if (event.key === 'Escape') onBack();
    else if (event.key === 'Enter' && !(target instanceof HTMLButtonElement)) allow();
    else return;
    event.preventDefault();
    event.stopPropagation();
  };
  return (
    <div class="deny-row rule-row" role="group" aria-labelledby="rule-lead rule-words" onKeyDown={onKeyDown}>
      <p class="rule-lead" id="rule-lead">
        {t('Always allow commands that start with')}
      </p>
      <span class="sr" id="rule-words">
        {rule.pattern.join(' ')}
      </span>
      <RuleWords words={words} length={length} />
      <Reach rule={rule} preview={preview} />
      {suggestion !== undefined && isSamePattern(suggestion.rule, rule) && <Earlier suggestion={suggestion} />}
      <RuleOptions scope={scope} outside={outside} />
      {proposed.bypassSandbox === true && !outside.value && (
        <p class="rule-note">
          {t('This command asks to leave the sandbox, so without that it will be asked about again.')}
        </p>
      )}
      <Button
        testid="rule-allow"
        kind="primary"
        shortcut="Enter"
        disabled={preview !== null && preview.problem !== null}
        onClick={allow}
      >
        {t('Always Allow')}
      </Button>
      <Button testid="rule-back" kind="quiet" shortcut="Esc" onClick={onBack}>
        {t('Cancel')}
      </Button>
    </div>
  );
}

/** The words of the command. A click on a word or a button sets how many of them the rule contains. */
function RuleWords({ words, length }: { words: readonly string[]; length: Signal<number> }) {
  const resize = (wanted: number) => (length.value = Math.min(Math.max(wanted, 1), words.length));
  return (
    <div class="rule-words" role="group" aria-label={t('Words that a command must start with')}>
      {words.map((word, index) => (
        <button
          key={index}
          type="button"
          class="rule-word"
          data-testid="rule-word"
          aria-pressed={index < length.value}
          onClick={() => resize(index + 1)}
        >
          <code>{visibleText(word)}</code>
        </button>
      ))}
      <IconButton
        testid="rule-shorter"
        icon="remove"
        label={t('Fewer Words')}
        onClick={() => resize(length.value - 1)}
      />
      <IconButton testid="rule-longer" icon="add" label={t('More Words')} onClick={() => resize(length.value + 1)} />
    </div>
  );
}

/** The scope of the rule, and the choice to run its commands outside the sandbox. */
function RuleOptions({ scope, outside }: { scope: Signal<RuleScope>; outside: Signal<boolean> }) {
  return (
    <div class="rule-options">
      <select
        class="input"
        data-testid="rule-scope"
        aria-label={t('Scope')}
        value={scope.value}
        onChange={(event) => (scope.value = scopeOf(event.currentTarget.value))}
      >
        <option value="thread">{t('In this thread')}</option>
        <option value="workspace">{t('In this workspace')}</option>
        <option value="user">{t('Everywhere')}</option>
      </select>
      <label class="check">
        <input
          type="checkbox"
          data-testid="rule-outside"
          checked={outside.value}
          onChange={() => (outside.value = !outside.value)}
        />
        <span>{t('Also run outside the sandbox')}</span>
      </label>
    </div>
  );
}

function isSamePattern(one: Rule, other: Rule): boolean {
  return JSON.stringify(one.pattern) === JSON.stringify(other.pattern);
}

/** Lists the earlier approvals that the suggested rule would have made unnecessary. */
function Earlier({ suggestion: { approvals, commands } }: { suggestion: RuleSuggestion }) {
  return (
    <dl class="facts rule-reach" data-testid="rule-earlier">
      <Fact name={t('Would have answered')}>
        {plural(approvals, '{0} earlier approval:', '{0} earlier approvals:')}
        {commands.map((command) => (
          <code key={command} class="rule-still">
            {inOneLine(command)}
          </code>
        ))}
      </Fact>
    </dl>
  );
}

/**
 * Returns the words to choose from: those of the whole command once the host has sent it, because the rule may be
 * extended up to all of them.
 */
function wordsOf({ pattern }: Rule, preview: RulePreview | undefined): readonly string[] {
  const proposed = pattern.map((word) => (typeof word === 'string' ? word : (word[0] ?? '')));
  return preview !== undefined && preview.words.length > 0 ? preview.words : proposed;
}

/** Examples of commands that the rule covers and does not cover. */
function Reach({ rule, preview }: { rule: Rule; preview: RulePreview | null }) {
  const words = rule.pattern.map(String);
  const last = words.at(-1) ?? '';
  const before = words.slice(0, -1).join(' ');
  if (preview?.problem) {
    return (
      <p class="rule-note" role="alert">
        {preview.problem}
      </p>
    );
  }
  if (scriptOf(rule.pattern) !== null) {
    return (
      <dl class="facts rule-reach">
        <Fact name={t('Allows')}>{t('this script, word for word')}</Fact>
      </dl>
    );
  }
  return (
    <dl class="facts rule-reach">
      <Fact name={t('Allows')}>{say('{0} with anything after it', <code>{words.join(' ')}</code>)}</Fact>
      <Fact name={t('Doesn’t allow')}>
        {before === ''
          ? say('any program but {0}', <code>{last}</code>)
          : say('{0} followed by anything other than {1}', <code>{before}</code>, <code>{last}</code>)}
      </Fact>
      {preview !== null && preview.stillAsked.length > 0 && (
        <Fact name={t('Still asks for')}>
          {preview.stillAsked.map((command) => (
            <code key={command} class="rule-still">
              {command}
            </code>
          ))}
        </Fact>
      )}
    </dl>
  );
}

function scopeOf(value: string): RuleScope {
  return value === 'thread' || value === 'user' ? value : 'workspace';
}
