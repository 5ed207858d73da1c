import * as vscode from 'vscode';
import type { ConnectionTest } from '../../core/model/connectionTest.ts';
import { describeFault } from './faultMessages.ts';

/** Shows how a test of a connection has ended; of a fault its cure, with a button where a command helps. */
export async function showTest(server: string, model: string, result: ConnectionTest): Promise<void> {
  if (result.type === 'answered') {
    const seconds = (result.milliseconds / 1000).toLocaleString(vscode.env.language, { maximumFractionDigits: 1 });
    const answered = vscode.l10n.t('{0} of {1} answers after {2} s.', model, server, seconds);
    const message = [answered, ...result.warnings].join(' ');
    await (result.warnings.length === 0
      ? vscode.window.showInformationMessage(message)
      : vscode.window.showWarningMessage(message));
    return;
  }
  const { message, detail, cure } = describeFault(result.fault);
  const text = [vscode.l10n.t('{0} of {1}: {2}', model, server, message), detail, cure].filter(Boolean).join('\n');
  const command = commandFor(result.fault.action);
  const answer = await vscode.window.showErrorMessage(text, ...(command ? [command.title] : []));
  if (answer !== undefined && command) await vscode.commands.executeCommand(command.id);
}

function commandFor(action: string | undefined): { readonly id: string; readonly title: string } | undefined {
  switch (action) {
    case 'set_api_key':
      return { id: 'tiller.setApiKey', title: vscode.l10n.t('Set API Key') };
    case 'select_model':
      return { id: 'tiller.selectModel', title: vscode.l10n.t('Select Model') };
    case 'check_settings':
    case 'check_network':
      return { id: 'tiller.openSettings', title: vscode.l10n.t('Open Settings') };
    default:
      return undefined;
  }
}
