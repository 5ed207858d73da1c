import assert from 'node:assert/strict';
import { suite, test } from 'mocha';
import * as vscode from 'vscode';
import type { ApprovalRequest } from '../../src/protocol/event.ts';
import { questionOf, whyAsked } from '../../src/vscode/approvals/approvalMessages.ts';
import { settledSentence } from '../../src/vscode/recovery/recoveryMessages.ts';
import { type Settled, tooLate } from '../../src/vscode/approvals/staleAnswer.ts';
import { inWorkspace } from '../../src/vscode/ui/workspacePaths.ts';

const request: ApprovalRequest = {
  approvalId: 'a',
  itemId: 'i',
  callId: 'c',
  kind: 'command',
  command: 'rm \u202e[x](command:y)\nmore',
  choices: ['approved', 'denied'],
  reason: {
    source: 'rule',
    id: 'rule:/home/me/rules.json#1',
    text: 'Look first.',
    rule: { pattern: ['rm'], decision: 'prompt' },
  },
};
const COMMAND = 'rm \\u{202e}[x]\u200b(command:y)…';

suite('a notification that is older than the answer', () => {
  test('shows the decision, and who made it', () => {
    const told = (settled?: Settled) => tooLate(request, settled).replace(COMMAND, 'COMMAND');
    assert.deepEqual(
      [
        told({ by: 'user', decision: 'approved' }),
        told({ by: 'user', decision: { denied: { message: 'No.' } } }),
        told({ by: 'user', decision: 'abort' }),
        told({ by: 'rule', decision: 'approved' }),
        told({ by: 'rule', decision: { denied: {} } }),
        told({ by: 'turn_ended', decision: 'abort' }),
        told(),
      ],
      [
        'You have already approved this: COMMAND',
        'You have already denied this: COMMAND',
        'You have stopped the turn that asked for this: COMMAND',
        'A rule allows this now: COMMAND',
        'A rule forbids this now: COMMAND',
        'The turn that asked for this has ended: COMMAND',
        'This request is no longer pending: COMMAND',
      ],
    );
    const patch = { changes: [{ path: '/elsewhere/a.txt', kind: 'update' as const }] };
    const since = '2026-11-21T00:00:00.000Z';
    const decided = (
      ['roll_back', 'finish', { pid: 7, name: 'vscode', since }, { pid: 8, name: 'cli', since }, null] as const
    ).map((decision) => settledSentence(patch, decision));
    assert.deepEqual(decided, [
      'You have already chosen to roll this patch back: /elsewhere/a.txt',
      'You have already chosen to finish this patch: /elsewhere/a.txt',
      'The patch was already settled: Another window (process 7) has resolved it.',
      'The patch was already settled: The command line (process 8) has resolved it.',
      'The patch was already settled, in another window or on the command line.',
    ]);
  });
});

suite('texts of VS Code controls', () => {
  test('name the rule that prompts by its text', () => {
    assert.equal(questionOf(request), `Tiller wants to run: ${COMMAND} (asked because of rule 2 of rules.json: “rm…”)`);
    assert.equal(whyAsked(request), 'Look first. (rule 2 of rules.json: “rm…”)');
  });

  test('have paths relative to the workspace', () => {
    const [folder] = vscode.workspace.workspaceFolders ?? [];
    assert.ok(folder);
    const { fsPath } = folder.uri;
    assert.equal(
      inWorkspace(`The command made ${fsPath}/.idea: look at ${fsPath}x/.idea.`),
      `The command made .idea: look at ${fsPath}x/.idea.`,
    );
  });
});
