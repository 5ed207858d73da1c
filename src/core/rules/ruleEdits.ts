import type { Op } from '../../protocol/op.ts';
import type { RuleEdit, RuleEditResult } from '../../protocol/rules.ts';
import { ruleIdentity } from '../policy/rules.ts';
import { checkRule } from './checkRule.ts';
import { type RulesPlace, type RulesStore, rulesOfThread, type ThreadMemory } from './rulesStore.ts';
import { messageOf } from '../util/fileErrors.ts';

/** The thread whose remembered approvals and rules are shown; only its session changes them. */
export interface EditedThread {
  readonly memory: ThreadMemory;
  submit(op: Op): void;
}

/**
 * Applies an edit from the rules page to the thread or the store that it concerns. Never rejects: a failure is a result
 * with its message.
 */
export async function applyRuleEdit(
  edit: RuleEdit,
  store: RulesStore,
  place: RulesPlace,
  thread: EditedThread | null,
): Promise<RuleEditResult> {
  try {
    if (!editThread(edit, thread)) await editStore(edit, store, place);
    return { type: 'done' };
  } catch (error) {
    return { type: 'refused', message: messageOf(error) };
  }
}

/** Returns false when the edit does not concern the thread. */
function editThread(edit: RuleEdit, thread: EditedThread | null): boolean {
  const keys = thread?.memory.keys ?? [];
  const rules = thread?.memory.rules ?? [];
  const names = rulesOfThread(rules).map(ruleIdentity);
  const remember = (change: { keys?: readonly string[]; rules?: typeof rules }): true => {
    if (!thread) throw new Error('There is no thread that could remember it.');
    thread.submit({ type: 'remember', keys: [...(change.keys ?? keys)], rules: [...(change.rules ?? rules)] });
    return true;
  };
  switch (edit.type) {
    case 'forget':
      return remember({ keys: keys.filter((key) => key !== edit.key) });
    case 'add':
      if (edit.scope !== 'thread') return false;
      checkRule(edit.rule);
      return remember({ rules: [...rules, edit.rule] });
    case 'replace':
      if (!names.includes(edit.id)) return false;
      checkRule(edit.rule);
      return remember({ rules: rules.with(names.indexOf(edit.id), edit.rule) });
    case 'remove':
      return names.includes(edit.id) && remember({ rules: rules.toSpliced(names.indexOf(edit.id), 1) });
    case 'settle_proposal':
      return false;
  }
}

async function editStore(edit: RuleEdit, store: RulesStore, place: RulesPlace): Promise<void> {
  switch (edit.type) {
    case 'add':
      return edit.scope === 'thread' ? undefined : store.add(edit.scope, edit.rule, place);
    case 'replace':
      return store.replace(edit.id, edit.rule, place);
    case 'remove':
      return store.replace(edit.id, null, place);
    case 'settle_proposal':
      return store.settleProposal(edit.hash, edit.accept ? 'accepted' : 'refused', place);
    case 'forget':
      return;
  }
}
