import * as vscode from 'vscode';
import { ABILITIES, type Ability, type AbilitySource, type ModelAbilities } from '../../core/model/abilities.ts';
import type { ModelFamily } from '../../core/model/families.ts';
import { assertNever } from '../../core/util/assertNever.ts';

/** "Tiller: Show Model Abilities": each ability with its source; a choice opens the settings. */
export async function showAbilities(provider: string, model: string, abilities: ModelAbilities): Promise<void> {
  const { family, sources, shellFunction } = abilities;
  const rows = ABILITIES.map((ability): vscode.QuickPickItem => {
    const isGuess = sources[ability] === 'guess';
    return {
      label: `${isGuess ? '$(question)' : '$(check)'} ${nameOf(ability)}`,
      description: ability === 'shell' && shellFunction ? shellFunction : valueOf(ability, family),
      detail: sourceOf(sources[ability]),
    };
  });
  const title = vscode.l10n.t('Abilities of {0} ({1})', model, provider);
  const placeHolder = vscode.l10n.t('The setting tiller.providers.{0}.models takes precedence', provider);
  const picked = await vscode.window.showQuickPick(rows, { title, placeHolder, matchOnDescription: true });
  if (picked) await vscode.commands.executeCommand('tiller.openSettings');
}

function nameOf(ability: Ability): string {
  switch (ability) {
    case 'applyPatch':
      return vscode.l10n.t('Form of the patch tool');
    case 'extraInstructions':
      return vscode.l10n.t('Explanation of patches');
    case 'shell':
      return vscode.l10n.t('Shell tool');
    case 'fileTools':
      return vscode.l10n.t('Tools for reading files');
    case 'userQuestions':
      return vscode.l10n.t('Questions to you');
    case 'reasoning':
      return vscode.l10n.t('Reasoning efforts');
    case 'verbosity':
      return vscode.l10n.t('Verbosity');
    case 'parallelToolCalls':
      return vscode.l10n.t('Several calls at once');
    case 'images':
      return vscode.l10n.t('Images');
    case 'contextWindow':
      return vscode.l10n.t('Context window');
    case 'maxOutput':
      return vscode.l10n.t('Longest answer');
    default:
      return assertNever(ability);
  }
}

function valueOf(ability: Ability, family: ModelFamily): string {
  switch (ability) {
    case 'applyPatch':
    case 'shell':
      return family[ability];
    case 'extraInstructions':
    case 'fileTools':
    case 'userQuestions':
    case 'parallelToolCalls':
    case 'images':
      return family[ability] ? vscode.l10n.t('yes') : vscode.l10n.t('no');
    case 'reasoning':
      return family.reasoning === null
        ? vscode.l10n.t('none')
        : (family.reasoning.efforts?.join(', ') ?? vscode.l10n.t('unknown'));
    case 'verbosity':
      return family.verbosity === null ? vscode.l10n.t('none') : vscode.l10n.t('low, medium, high');
    case 'contextWindow':
    case 'maxOutput': {
      const tokens = family[ability];
      return tokens === null
        ? vscode.l10n.t('unknown')
        : vscode.l10n.t('{0} tokens', tokens.toLocaleString(vscode.env.language));
    }
    default:
      return assertNever(ability);
  }
}

function sourceOf(source: AbilitySource): string {
  switch (source) {
    case 'settings':
      return vscode.l10n.t('From your settings');
    case 'server':
      return vscode.l10n.t('Reported by the server');
    case 'name':
      return vscode.l10n.t('Known of models with this name');
    case 'guess':
      return vscode.l10n.t('Guessed');
    default:
      return assertNever(source);
  }
}
