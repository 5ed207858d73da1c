/** Turns the table's answer for one command into a verdict whose reason is one plain sentence with a stable id. */
import type { DecisionReason, RuleDecision } from '../../protocol/policy.ts';
import type { CommandClass } from './commandTree.ts';
import { type Answer, type Circumstances, type TableRow, lookUp, tableRow } from './decisionTable.ts';
import type { Platform } from './knownSafe.ts';

export interface Verdict {
  readonly decision: RuleDecision;
  readonly reason: DecisionReason;
}

const DECISION_OF: Readonly<Record<Answer, RuleDecision>> = {
  run: 'allow',
  ask: 'prompt',
  refuse: 'forbidden',
  refuse_no_box: 'forbidden',
};

/** `note` is a clause that is appended to the reason of a command that is not known safe: "…, and NOTE." */
export function heuristicVerdict(
  commandClass: CommandClass,
  circumstances: Circumstances,
  platform: Platform,
  note?: string,
): Verdict {
  const row = tableRow(commandClass, circumstances);
  const answer = lookUp(row, circumstances);
  const reason = reasonFor(row, answer, circumstances, platform);
  const text = note === undefined || row !== 'other' ? reason.text : `${reason.text.slice(0, -1)}, and ${note}.`;
  return { decision: DECISION_OF[answer], reason: { ...reason, text } };
}

function reasonFor(row: TableRow, answer: Answer, circumstances: Circumstances, platform: Platform): DecisionReason {
  switch (answer) {
    case 'run':
      return row === 'known-safe' ? KNOWN_SAFE : freedomReason(circumstances);
    case 'ask':
      return askReason(row, circumstances);
    case 'refuse':
      return row === 'escalated' ? escalationRefusal(circumstances) : DANGEROUS_REFUSED;
    case 'refuse_no_box':
      return noSandboxRefusal(platform, circumstances);
  }
}

const KNOWN_SAFE: DecisionReason = {
  source: 'heuristic',
  id: 'known-safe',
  text: 'It is on the list of commands known to be read-only.',
};

function freedomReason({ sandboxPolicy }: Circumstances): DecisionReason {
  switch (sandboxPolicy.type) {
    case 'danger-full-access':
      return { source: 'policy', id: 'full-access', text: 'Full access lets commands run without a sandbox.' };
    case 'external-sandbox':
      return { source: 'policy', id: 'external-sandbox', text: 'An external sandbox confines every command.' };
    case 'read-only':
    case 'workspace-write':
      return {
        source: 'sandbox',
        id: 'sandboxed',
        text: 'It runs inside the sandbox, which limits what it may touch.',
      };
  }
}

const DANGEROUS: DecisionReason = {
  source: 'heuristic',
  id: 'dangerous',
  text: 'It can permanently delete your work.',
};
const ESCALATION: DecisionReason = {
  source: 'policy',
  id: 'escalation',
  text: 'The model asks to run it outside the sandbox.',
};
const UNTRUSTED: DecisionReason = {
  source: 'policy',
  id: 'untrusted',
  text: 'The approval policy asks before every command that is not known to be read-only.',
};
function noSandbox({ noSandboxCause }: Circumstances): DecisionReason {
  const cause = noSandboxCause === undefined ? '' : ` (${noSandboxCause.replace(/\.$/, '')})`;
  const text = `No sandbox works on this machine${cause}, so every command that is not known to be read-only needs approval.`;
  return { source: 'sandbox', id: 'no-box', text };
}

function askReason(row: TableRow, circumstances: Circumstances): DecisionReason {
  if (row === 'dangerous') return DANGEROUS;
  if (row === 'escalated') return ESCALATION;
  return circumstances.approvalPolicy === 'untrusted' ? UNTRUSTED : noSandbox(circumstances);
}

const DANGEROUS_REFUSED: DecisionReason = {
  source: 'heuristic',
  id: 'dangerous',
  text: 'It can permanently delete your work, and the approval policy never asks; use a safer way.',
};

function escalationRefusal({ approvalPolicy }: Circumstances): DecisionReason {
  return {
    source: 'policy',
    id: 'escalation',
    text: `The approval policy is ${approvalPolicy}, under which no command may ask to leave the sandbox; run it without require_escalated.`,
  };
}

const BOX_REMEDY: Readonly<Record<Platform, string>> = {
  linux: 'install bubblewrap and allow user namespaces',
  darwin: 'make sure that /usr/bin/sandbox-exec can run',
  win32: 'open the folder in WSL2 or in a Dev Container',
};

function noSandboxRefusal(platform: Platform, { noSandboxCause }: Circumstances): DecisionReason {
  const refusal =
    'No sandbox works on this machine and nothing can be approved, so only commands known to be read-only may run';
  const remedy =
    noSandboxCause === undefined
      ? `; ${BOX_REMEDY[platform]}, or use a policy that asks.`
      : `. ${noSandboxCause} Or use a policy that asks.`;
  return { source: 'sandbox', id: 'no-box', text: `${refusal}${remedy}` };
}
