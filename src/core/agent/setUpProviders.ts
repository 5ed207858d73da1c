import { isInProcess, KNOWN_PROVIDERS, providerNames } from '../../protocol/knownProviders.ts';
import type { Settings } from '../../protocol/settings.ts';
import { providerById, providerOf } from './threadSettings.ts';

/**
 * The ids of the providers that the user has set up, each once: the one in use, that of the settings, those that the
 * settings add, those that were used before, and those that Tiller knows and that have a key. Only they may be asked for
 * their models without a further choice of the user.
 * @param used  ids; those that the settings have no more are left out
 * @param hasKey  returns true if a key is stored for this origin
 */
export function setUpProviders(
  settings: Settings,
  inUse: string,
  used: readonly string[],
  hasKey: (origin: string) => boolean,
): readonly string[] {
  const current = settings.model === null ? [] : [inUse, providerOf(settings)?.id ?? settings.provider];
  const withKey = providerNames(settings).filter((name) => {
    const known = Object.hasOwn(KNOWN_PROVIDERS, name) ? providerById(settings, name) : undefined;
    return known !== undefined && hasKey(new URL(known.baseUrl).origin);
  });
  const ids = [...current, ...Object.keys(settings.providers), ...used, ...withKey];
  return [...new Set(ids)].filter((id) => isInProcess(id) || providerById(settings, id) !== undefined);
}
