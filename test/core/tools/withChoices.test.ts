import { expect, test } from 'vitest';
import { withChoices } from '../../../src/core/tools/proposalChoices.ts';
import type { ApprovalDecision, ProposalChoices } from '../../../src/protocol/policy.ts';

const review: ProposalChoices = [{ path: 'a.txt', leftOut: 'file' }];

test('an approval of a patch approves the part that the user has left', () => {
  const reviewed = { approved_reviewed: { files: review } };
  expect(withChoices('approved', review)).toEqual(reviewed);
  expect(withChoices('approved_for_thread', review)).toEqual(reviewed);
  expect(withChoices('approved', undefined)).toBe('approved');
});

test('unsaved edits are discarded only in files that are applied', () => {
  const decision = { approved_discarding: { paths: ['a.txt', 'b.txt'] } };
  expect(withChoices(decision, review)).toEqual({ approved_reviewed: { files: review, discarding: ['b.txt'] } });
});

test('a denial, and choices in the decision itself, stay unchanged', () => {
  const decisions: ApprovalDecision[] = [
    'abort',
    { denied: {} },
    { approved_reviewed: { files: [{ path: 'b.txt', leftOut: 'file' }] } },
  ];
  for (const decision of decisions) expect(withChoices(decision, review)).toEqual(decision);
});
