import * as vscode from 'vscode';
import type { ReportedModel } from '../../core/model/abilities.ts';
import type { ModelFault } from '../../core/model/client.ts';
import type { HttpModels } from '../../core/model/httpModels.ts';
import type { ProviderConfig } from '../../core/model/provider.ts';
import { abortable } from '../../core/util/abort.ts';
import { visibleName } from '../../protocol/text/escapeInvisible.ts';
import { withoutIcons } from '../ui/escapeUiText.ts';
import { describeFault } from './faultMessages.ts';

/** The choice of the user: a model, or a setting to change first. */
export type ModelChoice =
  | { readonly type: 'model'; readonly model: string }
  | { readonly type: 'key' }
  | { readonly type: 'address' };

interface Row extends vscode.QuickPickItem {
  readonly choice: ModelChoice | { readonly type: 'typed' } | { readonly type: 'again' };
}

/**
 * The models that the server lists, or a name that the user types. When the server does not list them, shows the
 * reason, in its own words, with the settings that the user can change. `undefined` when the user cancels. `title`: the
 * name of the server for display.
 */
export async function pickModel(
  http: Pick<HttpModels, 'list'>,
  provider: ProviderConfig,
  title: string,
): Promise<ModelChoice | undefined> {
  while (true) {
    const listing = await withProgress(vscode.l10n.t('Asking {0} for its models…', title), (signal) =>
      http.list(provider, signal),
    );
    if (listing === undefined) return undefined;
    // A server that needs a key and has none: no other choice helps.
    if (listing.type === 'fault' && listing.fault.kind === 'no_key') return { type: 'key' };
    const choice = await (listing.type === 'models'
      ? pickListed(title, listing.models)
      : pickRemedy(title, listing.fault));
    switch (choice?.type) {
      case undefined:
        return undefined;
      case 'typed': {
        const model = await typeModel();
        return model === undefined ? undefined : { type: 'model', model };
      }
      case 'again':
        continue;
      default:
        return choice;
    }
  }
}

async function pickListed(server: string, models: readonly ReportedModel[]): Promise<Row['choice'] | undefined> {
  const typed: Row = { label: vscode.l10n.t('Another Model…'), choice: { type: 'typed' } };
  const rows = [...byUse(models).map((model) => rowOf(model)), typed];
  const title = vscode.l10n.t('Model of {0}', server);
  const picked = await vscode.window.showQuickPick(rows, { title, matchOnDescription: true, matchOnDetail: true });
  return picked?.choice;
}

/** Models in memory first; those that take no tools last. */
export function byUse(models: readonly ReportedModel[]): readonly ReportedModel[] {
  const rank = ({ isLoaded, tools }: ReportedModel) => (tools === false ? 2 : isLoaded === true ? 0 : 1);
  return models.toSorted((left, right) => rank(left) - rank(right));
}

/** Returns the server's report about a model, in words; may be empty. */
export function factsOf(model: ReportedModel): string {
  const facts = [
    ...(model.contextWindow === undefined
      ? []
      : [vscode.l10n.t('{0} tokens', model.contextWindow.toLocaleString(vscode.env.language))]),
    ...(model.images === true ? [vscode.l10n.t('accepts images')] : []),
    ...(model.isLoaded === true ? [vscode.l10n.t('loaded')] : []),
    ...(model.tools === false ? [vscode.l10n.t('no tools: chat only')] : []),
  ];
  return facts.join(' · ');
}

/** A row with the server's report about a model. */
export function rowOf(model: ReportedModel): Row {
  return {
    label: withoutIcons(visibleName(model.id)),
    description: factsOf(model),
    choice: { type: 'model', model: model.id },
  };
}

/** The setting that the user changes after a fault. */
export type Remedy = { readonly type: 'key' } | { readonly type: 'address' } | { readonly type: 'again' };

interface RemedyRow extends vscode.QuickPickItem {
  readonly choice: Remedy;
}

/** The cures of a fault, the most likely first. */
function remediesOf({ kind }: ModelFault): readonly RemedyRow[] {
  const again: RemedyRow = { label: vscode.l10n.t('Try Again'), choice: { type: 'again' } };
  const key: RemedyRow = { label: vscode.l10n.t('Enter Another Key…'), choice: { type: 'key' } };
  const address: RemedyRow = { label: vscode.l10n.t('Change the Address…'), choice: { type: 'address' } };
  switch (kind) {
    case 'auth':
    case 'no_key':
      return [key, again, address];
    case 'network':
    case 'timeout':
    case 'tls':
    case 'proxy':
      return [again, address];
    default:
      return [address, again, key];
  }
}

/** The reason why the models are not listed, in the words of the server, and the remedies. */
async function pickRemedy(server: string, fault: ModelFault): Promise<Row['choice'] | undefined> {
  const typed: Row = {
    label: vscode.l10n.t('Enter a Model ID…'),
    detail: vscode.l10n.t('Some servers do not list their models.'),
    choice: { type: 'typed' },
  };
  const remedies = remediesOf(fault);
  // A server may refuse this request alone, as Anthropic's does with keys that its Chat Completions accept.
  const isRefused = fault.kind === 'auth' || fault.kind === 'no_key';
  const mayHaveModels = remedies[0]?.choice.type === 'address';
  const rows: readonly Row[] = mayHaveModels ? [typed, ...remedies] : isRefused ? [...remedies, typed] : remedies;
  const { message } = describeFault(fault);
  return (await showFault(vscode.l10n.t('{0} does not list its models: {1}', server, message), fault, rows))?.choice;
}

/** The reason why the API of a server is not known, and the remedies. `undefined` when the user cancels. */
export async function askForRemedy(id: string, fault: ModelFault): Promise<Remedy | undefined> {
  const { message } = describeFault(fault);
  const title = vscode.l10n.t('Could not determine the API of {0}: {1}', id, message);
  return (await showFault(title, fault, remediesOf(fault)))?.choice;
}

function showFault<Choice extends vscode.QuickPickItem>(title: string, fault: ModelFault, rows: readonly Choice[]) {
  const { message, detail, cure } = describeFault(fault);
  return vscode.window.showQuickPick(rows, { title, placeHolder: detail ?? cure ?? message, ignoreFocusOut: true });
}

async function typeModel(): Promise<string | undefined> {
  const typed = await vscode.window.showInputBox({
    title: vscode.l10n.t('Model'),
    prompt: vscode.l10n.t('As the server names it'),
    ignoreFocusOut: true,
  });
  return typed?.trim() || undefined;
}

/** Shows a notification that can be cancelled. `undefined` when the user cancels. */
export async function withProgress<Result>(
  title: string,
  run: (signal: AbortSignal) => Promise<Result>,
): Promise<Result | undefined> {
  const controller = new AbortController();
  return vscode.window.withProgress(
    { location: vscode.ProgressLocation.Notification, title, cancellable: true },
    async (_progress, token) => {
      const cancelled = token.onCancellationRequested(() => controller.abort(new Error('cancelled by the user')));
      try {
        return await abortable(run(controller.signal), controller.signal);
      } catch (error) {
        if (controller.signal.aborted) return undefined;
        throw error;
      } finally {
        cancelled.dispose();
      }
    },
  );
}
