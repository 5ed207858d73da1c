import { NO_HOOKS, selectHooks, type SelectedHooks } from '../../core/hooks/selectHooks.ts';
import type { Ports } from '../../core/ports.ts';
import { Trust, type TrustDecision } from '../../core/trust/trust.ts';
import type { Settings } from '../../protocol/settings.ts';
import { readHookFiles } from './hookFiles.ts';

export interface HooksHost {
  readonly ports: Pick<Ports, 'storage' | 'log' | 'host'>;
  readonly settings: () => Pick<Settings, 'hooks'>;
  /** The folders of the workspace; none while it is not trusted. */
  readonly roots: () => readonly string[];
}

/** The hooks of this process. */
export interface Hooks {
  /** Reads the settings and files now. Never rejects: unreadable ones are left out. */
  current(): Promise<SelectedHooks>;
  /** Approves or refuses a hook of a file; `null` takes the decision back. */
  decide(hash: string, decision: TrustDecision): Promise<void>;
}

/** Reads the hooks anew at each call. Never rejects: a failure is a problem that the user sees, and no hook runs. */
export function createHooks({ ports, settings, roots }: HooksHost): Hooks {
  const { storage, log, host } = ports;
  const trust = new Trust('hooks.json', storage, log);
  return {
    async current() {
      try {
        const { files, problems } = await readHookFiles(roots(), host);
        const selected = await selectHooks(settings().hooks, files, host.platform, trust);
        return { ...selected, problems: [...selected.problems, ...problems] };
      } catch (error) {
        log.error('The hooks cannot be read', error);
        return { ...NO_HOOKS, problems: ['Your hooks could not be read, and none of them runs. The log says why.'] };
      }
    },
    decide: (hash, decision) => trust.decide(hash, 'proposal', decision),
  };
}
