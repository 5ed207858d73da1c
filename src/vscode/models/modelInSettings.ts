/** Writes the model of new threads, and servers of models, into the user's settings. */
import { providerOf } from '../../core/agent/threadSettings.ts';
import { KNOWN_PROVIDERS, providerNamed } from '../../protocol/knownProviders.ts';
import { ownValue } from '../../protocol/ownValue.ts';
import type { ProviderSettings } from '../../protocol/providers.ts';
import type { Settings } from '../../protocol/settings.ts';
import { changeProviders, writeSetting } from '../settings.ts';

/** The host name, unless it is the name of another server. `providers`: those of the settings, valid or not. */
export function freeName(baseUrl: string, providers: Readonly<Record<string, unknown>>): string {
  const { hostname } = new URL(baseUrl);
  for (let count = 1; ; count++) {
    const name = count === 1 ? hostname : `${hostname}-${count}`;
    const known = ownValue(providers, name);
    const isSame = typeof known === 'object' && known !== null && 'baseUrl' in known && known.baseUrl === baseUrl;
    if (isSame || (known === undefined && !Object.hasOwn(KNOWN_PROVIDERS, name))) return name;
  }
}

/** Adds a server under a free name, and returns that name. */
export async function addNewProvider(server: ProviderSettings): Promise<string> {
  let name = '';
  await changeProviders((providers) => {
    name = freeName(server.baseUrl, providers);
    return { ...providers, [name]: server };
  });
  return name;
}

/** Adds a server under this name, in place of one that has it. */
export async function addProvider(name: string, server: ProviderSettings): Promise<void> {
  await changeProviders((providers) => ({ ...providers, [name]: server }));
}

/**
 * Makes a model of a provider that is set up the default of new threads. Another model of the provider in use leaves
 * its address and API as they are. Before a model of another provider, a server in use that only `baseUrl` and
 * `wireApi` describe is added to `providers`, so that the user can choose it again.
 */
export async function chooseModel(settings: Settings, provider: string, model: string): Promise<void> {
  if (providerOf(settings)?.id === provider) return writeSetting('model', model);
  await moveTo(settings, provider, model);
}

/** Makes another provider's model that of new threads, and keeps the server in use. */
export async function moveTo(settings: Settings, provider: string, model: string): Promise<void> {
  await keepServer(settings);
  await useModel(provider, model);
}

/** Adds to `providers` a server in use that only the settings `baseUrl` and `wireApi` describe. */
export async function keepServer(settings: Settings): Promise<void> {
  const { baseUrl, wireApi, provider } = settings;
  if (baseUrl !== null) {
    return changeProviders((providers) => {
      const name = freeName(baseUrl, providers);
      const known = ownValue(providers, name);
      const server = { ...(typeof known === 'object' ? known : {}), baseUrl, ...(wireApi !== null && { wireApi }) };
      return { ...providers, [name]: server };
    });
  }
  const named = providerNamed(settings, provider);
  if (named !== undefined && wireApi !== null && wireApi !== named.wireApi) {
    await addProvider(provider, { ...named, wireApi });
  }
}

/** Writes the model of new threads into the user's settings. */
export async function useModel(provider: string, model: string): Promise<void> {
  await writeSetting('baseUrl', null);
  await writeSetting('wireApi', null);
  await writeSetting('provider', provider);
  await writeSetting('model', model);
}
