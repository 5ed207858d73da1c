import * as vscode from 'vscode';
import type { ModelFault } from '../../core/model/client.ts';
import { assertNever } from '../../core/util/assertNever.ts';
import type { ErrorAction, ErrorKind } from '../../protocol/policy.ts';
import { visibleText } from '../../protocol/text/escapeInvisible.ts';
import { withoutIcons, withoutLinks } from '../ui/escapeUiText.ts';

/** A fault for the user: Tiller's sentence, the server's message, and the remedy. */
export interface FaultMessage {
  readonly message: string;
  readonly detail: string | undefined;
  readonly cure: string | undefined;
}

/** Prepares a fault for the panel: its detail made harmless, and the button that helps. */
export function describeFault({ message, detail, action, kind }: ModelFault): FaultMessage {
  return {
    message,
    detail: detail === undefined ? undefined : withoutIcons(withoutLinks(visibleText(detail))),
    cure: cureOf(kind, action),
  };
}

function cureOf(kind: ErrorKind, action: ErrorAction | undefined): string | undefined {
  // The message of a certificate names its own cure.
  if (kind === 'tls') return undefined;
  if (kind === 'network') return vscode.l10n.t('Check the address of the server, and the network of this machine.');
  switch (action) {
    case 'set_api_key':
      return vscode.l10n.t('Enter the key with “Tiller: Set API Key”.');
    case 'select_model':
      return vscode.l10n.t('Choose one of the models that the server lists.');
    case 'check_settings':
      return vscode.l10n.t('Check the address in the settings: it ends before /responses or /chat/completions.');
    case 'check_network':
      return vscode.l10n.t('Check the network and the proxy of this machine.');
    case 'retry':
      return vscode.l10n.t('Try again.');
    case 'show_log':
    case 'compact':
    case 'new_thread':
    case undefined:
      return undefined;
    default:
      return assertNever(action);
  }
}
