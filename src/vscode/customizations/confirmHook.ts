import * as vscode from 'vscode';
import type { Hook } from '../../core/hooks/definition.ts';
import { joinShellWords } from '../../core/policy/shellWords.ts';
import { confirmFacts } from '../ui/confirmFacts.ts';

/** Shows all facts that the hash of a hook covers, and its confinement, and asks for an approval. */
export async function confirmHook(hook: Hook): Promise<boolean> {
  return confirmFacts({
    question: vscode.l10n.t('Run this hook from now on?'),
    facts: hookFacts(hook),
    approve: vscode.l10n.t('Approve'),
    tooLong: vscode.l10n.t('The hook is too long to be shown, so it cannot be approved here.'),
  });
}

/**
 * Asks for an approval of several hooks, in their order: those of the user, which run outside the sandbox, are selected
 * first.
 */
export async function confirmHooks(hooks: readonly Hook[]): Promise<boolean> {
  return confirmFacts({
    question: vscode.l10n.t('Run these {0} hooks from now on?', hooks.length),
    facts: hooks.flatMap((hook, at) => [...(at === 0 ? [] : ['']), ...hookFacts(hook)]),
    approve: vscode.l10n.t('Approve'),
    tooLong: vscode.l10n.t(
      'The {0} hooks are too long to be shown together. Approve them one by one in the list.',
      hooks.length,
    ),
  });
}

/** The confinement of the hook of a file, as a sentence. */
export function placeText(hook: Hook): string {
  return isConfined(hook)
    ? vscode.l10n.t(
        'It runs where commands of the turn run; without a sandbox under Full access and where there is none.',
      )
    : vscode.l10n.t('It runs outside the sandbox, as a program of yours.');
}

function isConfined({ origin }: Hook): boolean {
  return origin === 'workspace';
}

/** Returns the facts that `hookOf` puts into the hash, and the confinement of the hook. */
function hookFacts(hook: Hook): readonly string[] {
  const { event, matcher, command, args, shell, cwd, env, source } = hook;
  return [
    args === undefined
      ? vscode.l10n.t('Command: {0}', command)
      : vscode.l10n.t('Program: {0}', joinShellWords([command, ...args])),
    ...(shell === undefined ? [] : [vscode.l10n.t('Shell: {0}', shell)]),
    ...(cwd === undefined ? [] : [vscode.l10n.t('Working directory: {0}', cwd)]),
    ...Object.entries(env).map(([name, value]) => vscode.l10n.t('Variable: {0}={1}', name, value)),
    vscode.l10n.t('Event: {0}', matcher === '' ? event : `${event} (${matcher})`),
    vscode.l10n.t('File: {0}', vscode.workspace.asRelativePath(source)),
    placeText(hook),
  ];
}
