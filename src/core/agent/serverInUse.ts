import type { TurnSettings } from '../../protocol/event.ts';
import { isInProcess } from '../../protocol/knownProviders.ts';
import type { Settings } from '../../protocol/settings.ts';
import type { ProviderConfig } from '../model/provider.ts';
import { providerById, providerOf } from './threadSettings.ts';

/** A server of the settings with one of its models. */
export interface ServerInUse {
  readonly provider: ProviderConfig;
  /** Empty when none is chosen. */
  readonly model: string;
}

/**
 * The server and the model that the next request goes to: those of the shown thread, which may differ from the settings,
 * else those of the settings. `undefined` for models that are not reached by HTTP, and for a provider that the settings do
 * not have.
 * @param current  what the next turn runs under
 * @param first  the provider that the shown thread began with
 */
export function serverInUse(
  settings: Settings,
  current: Pick<TurnSettings, 'provider' | 'model'>,
  first: string | undefined,
): ServerInUse | undefined {
  const id = current.provider ?? first;
  if (isInProcess(id ?? settings.provider)) return undefined;
  const provider = id === undefined ? providerOf(settings) : providerById(settings, id);
  return provider && { provider, model: current.model };
}
