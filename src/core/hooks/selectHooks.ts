import type { Host } from '../ports.ts';
import type { Trust } from '../trust/trust.ts';
import type { Hook } from './definition.ts';
import { type FoundHooks, type HookFile, hooksInFile, hooksInSettings } from './hookFiles.ts';

/** A hook with its state. A hook of a file is `proposed` until the user has approved or refused it. */
export interface SelectedHook {
  readonly hook: Hook;
  readonly state: 'runs' | 'proposed' | 'refused';
}

export interface SelectedHooks extends Omit<FoundHooks, 'hooks'> {
  readonly hooks: readonly SelectedHook[];
}

export const NO_HOOKS: SelectedHooks = { hooks: [], problems: [], unknownEvents: [] };

/** Decides which hooks run. The same hook in the same place twice is one hook. */
export async function selectHooks(
  setting: unknown,
  files: readonly HookFile[],
  platform: Host['platform'],
  trust: Pick<Trust, 'decisionOn'>,
): Promise<SelectedHooks> {
  const all = [hooksInSettings(setting, platform), ...files.map((file) => hooksInFile(file, platform))];
  const byHash = new Map(all.flatMap(({ hooks }) => hooks).map((hook) => [hook.hash, hook]));
  return {
    hooks: await Promise.all([...byHash.values()].map(async (hook) => ({ hook, state: await stateOf(hook, trust) }))),
    problems: all.flatMap(({ problems }) => problems),
    unknownEvents: all.flatMap(({ unknownEvents }) => unknownEvents),
  };
}

const STATES = { approved: 'runs', refused: 'refused', open: 'proposed' } as const;

async function stateOf(hook: Hook, trust: Pick<Trust, 'decisionOn'>): Promise<SelectedHook['state']> {
  if (hook.origin === 'settings') return 'runs';
  return STATES[await trust.decisionOn(hook.hash, 'proposal')];
}
