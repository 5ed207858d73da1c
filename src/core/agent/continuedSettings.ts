import type { Workspace } from '../ports.ts';
import type { ReplayedThread } from '../rollout/replay.ts';
import type { ThreadHost, ThreadSettings } from '../session/sessionOptions.ts';

/**
 * The settings of the last turn of a resumed thread, with the sandbox mechanism that this machine has now. When its
 * folder is gone, the open folder takes its place.
 */
export async function continuedSettings(
  thread: ThreadSettings,
  host: Pick<ThreadHost, 'keepsSettings' | 'models' | 'modelsOf' | 'sandboxFor'>,
  { meta, state, settings }: Pick<ReplayedThread, 'meta' | 'state' | 'settings'>,
  workspace: Pick<Workspace, 'stat'>,
): Promise<ThreadSettings> {
  const last = state.settings ?? settings;
  const here = host.models.id;
  const turn = { ...thread.turn, ...(here === meta.provider ? {} : { provider: here }) };
  const provider = last?.provider ?? meta.provider;
  const isKnown = provider === here || host.modelsOf?.(provider) !== undefined;
  if (!host.keepsSettings || last === null || !isKnown) return { ...thread, turn };
  const isThere = (await workspace.stat(last.cwd).catch(() => undefined)) !== undefined;
  const cwd = isThere ? last.cwd : thread.turn.cwd;
  return { ...thread, turn: { ...last, cwd, ...host.sandboxFor(last.sandboxPolicy) } };
}
