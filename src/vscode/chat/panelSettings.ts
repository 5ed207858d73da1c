import { basename } from 'node:path';
import * as vscode from 'vscode';
import type { OfferedEfforts } from '../../core/model/abilities.ts';
import type { TurnSettings } from '../../protocol/event.ts';
import { DEMO_PROVIDER } from '../../protocol/knownProviders.ts';
import type { Settings } from '../../protocol/settings.ts';
import type { PanelSettings } from '../../protocol/wire.ts';
import { modeOf } from './modes.ts';

/** The model of the next turn, and the options that it accepts. */
interface NextModel {
  /** Its id. */
  readonly provider: string;
  readonly efforts: OfferedEfforts;
  readonly takesImages: boolean;
  readonly modelOfMode: PanelSettings['modelOfMode'];
}

/** Returns the panel's settings. `turn`: those of the next turn. */
export function panelSettings(
  settings: Settings,
  turn: TurnSettings,
  { provider, efforts, takesImages, modelOfMode }: NextModel,
  quarantined: readonly string[],
): PanelSettings {
  const chat = vscode.workspace.getConfiguration('chat');
  const [folder] = vscode.workspace.workspaceFolders ?? [];
  const demo = provider === DEMO_PROVIDER;
  const fontFamily = chat.get<string>('fontFamily');
  return {
    model: demo ? vscode.l10n.t('demo (scripted)') : settings.model === null ? null : turn.model,
    provider,
    providers: namesOf(settings.providers),
    modelOfMode,
    efforts: efforts.efforts,
    areEffortsGuessed: efforts.areGuessed,
    effort: turn.effort,
    // In Restricted Mode the model can only answer, whatever the policy.
    mode: vscode.workspace.isTrusted ? modeOf(turn) : 'chat',
    approvalPolicy: turn.approvalPolicy,
    sandboxPolicy: turn.sandboxPolicy,
    box: turn.box,
    noSandboxCause: turn.noSandboxCause,
    quarantined,
    review: settings.review,
    reviewer: settings['approvals.reviewer'],
    fontSize: chat.get<number>('fontSize') ?? null,
    fontFamily: fontFamily && fontFamily !== 'default' ? fontFamily : null,
    showRawReasoning: settings['reasoning.showRaw'],
    takesImages,
    attachSelection: settings.attachSelection,
    sendKey: settings.sendKey,
    trusted: vscode.workspace.isTrusted,
    hasWorkspace: folder !== undefined,
    demo,
    ...(folder ? { workspaceName: folder.name || basename(folder.uri.fsPath) } : {}),
    ...(demo ? { demoTask: vscode.l10n.t('Find out why the tests fail and fix it') } : {}),
  };
}

function namesOf(providers: Settings['providers']): PanelSettings['providers'] {
  const named = Object.entries(providers).flatMap(([id, { name }]) => (name === undefined ? [] : [[id, { name }]]));
  return Object.fromEntries(named);
}
