import * as vscode from 'vscode';
import type { OfferedEfforts } from '../../core/model/abilities.ts';
import type { ReasoningEffort, TurnOverrides } from '../../protocol/op.ts';
import type { ChatMode, SandboxMode, SandboxPolicy } from '../../protocol/policy.ts';
import type { RememberedModel } from './modeMemory.ts';
import { MODES } from './modes.ts';

interface Choice<Value> extends vscode.QuickPickItem {
  readonly value: Value;
}

/** Quick picks of the composer. Each resolves with the change, or `undefined` when cancelled. */
export async function pickMode(
  policyOf: (mode: SandboxMode) => SandboxPolicy,
  lastModel: (mode: ChatMode) => RememberedModel | undefined,
): Promise<TurnOverrides | undefined> {
  const picked = await pick(
    vscode.l10n.t('Mode'),
    MODES.map((bundle) => ({ ...describeMode(bundle.mode), ...modelRow(lastModel(bundle.mode)), value: bundle })),
  );
  return picked && modeOverrides(picked.mode, policyOf, lastModel);
}

/** What a mode stands for, with the model that was used in it last. */
export function modeOverrides(
  mode: ChatMode,
  policyOf: (mode: SandboxMode) => SandboxPolicy,
  lastModel: (mode: ChatMode) => RememberedModel | undefined,
): TurnOverrides | undefined {
  const bundle = MODES.find((one) => one.mode === mode);
  return (
    bundle && {
      policy: bundle.policy,
      box: policyOf(bundle.sandbox),
      planMode: mode === 'plan',
      ...lastModel(mode),
    }
  );
}

/** The model that comes with the mode. */
function modelRow(last: RememberedModel | undefined): { readonly description?: string } {
  if (last === undefined) return {};
  return { description: last.effort === null ? last.model : `${last.model}, ${last.effort}` };
}

export async function pickSandbox(policyOf: (mode: SandboxMode) => SandboxPolicy): Promise<TurnOverrides | undefined> {
  const modes: SandboxMode[] = ['read-only', 'workspace-write', 'danger-full-access'];
  const picked = await pick(
    vscode.l10n.t('Sandbox mode'),
    modes.map((value) => ({ ...describeSandbox(value), value })),
  );
  return picked && { box: policyOf(picked) };
}

/** Offers only what the model takes. */
export async function pickEffort({ efforts, areGuessed }: OfferedEfforts): Promise<TurnOverrides | undefined> {
  const choices: Choice<ReasoningEffort | null>[] = [
    { label: vscode.l10n.t("The model's default"), value: null },
    ...(efforts ?? []).map((value) => ({ label: value, value })),
  ];
  const title = areGuessed
    ? vscode.l10n.t('Reasoning effort (guessed: the server may refuse it)')
    : vscode.l10n.t('Reasoning effort');
  const picked = await pick(title, choices);
  return picked === undefined ? undefined : { effort: picked };
}

/** Each row has its value, so a value may be anything, `null` included. */
async function pick<Value>(title: string, choices: readonly Choice<Value>[]): Promise<Value | undefined> {
  const picked = await vscode.window.showQuickPick(choices, { title, matchOnDescription: true, matchOnDetail: true });
  return picked?.value;
}

function describeMode(mode: ChatMode): vscode.QuickPickItem {
  switch (mode) {
    case 'chat':
      return {
        label: vscode.l10n.t('Chat'),
        detail: vscode.l10n.t('Reads and answers. Changes nothing, asks nothing.'),
      };
    case 'agent':
      return {
        label: vscode.l10n.t('Agent'),
        detail: vscode.l10n.t('Edits the workspace and runs commands; asks for what goes further.'),
      };
    case 'plan':
      return {
        label: vscode.l10n.t('Plan'),
        detail: vscode.l10n.t('Only reads, and proposes a plan that you edit and run.'),
      };
    case 'full-access':
      return {
        label: vscode.l10n.t('Full access'),
        detail: vscode.l10n.t('Runs and writes everything without asking. Take care.'),
      };
  }
}

function describeSandbox(mode: SandboxMode): vscode.QuickPickItem {
  switch (mode) {
    case 'read-only':
      return { label: vscode.l10n.t('Read only'), detail: vscode.l10n.t('Commands may read files and write none.') };
    case 'workspace-write':
      return {
        label: vscode.l10n.t('Write in the workspace'),
        detail: vscode.l10n.t('Commands may write in the workspace, without network.'),
      };
    case 'danger-full-access':
      return { label: vscode.l10n.t('Everything'), detail: vscode.l10n.t('Commands run with all your rights.') };
    case 'external-sandbox':
      return { label: vscode.l10n.t('As the surrounding sandbox allows') };
  }
}
