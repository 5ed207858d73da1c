import { providerById, providerOf } from '../core/agent/threadSettings.ts';
import { HttpModels } from '../core/model/httpModels.ts';
import type { ModelClientFactory } from '../core/model/modelClientFactory.ts';
import type { Ports } from '../core/ports.ts';
import { type InProcessProvider, isInProcess } from '../protocol/knownProviders.ts';
import type { Settings } from '../protocol/settings.ts';
import { LanguageModels } from '../vscode/models/languageModels.ts';
import type { Host } from './createHost.ts';
import { DemoModels } from './demoModels.ts';

declare const TILLER_VERSION: string;

/** The models of all providers: over HTTP, of other extensions, and the demo model. */
export interface Models {
  readonly http: HttpModels;
  readonly languageModels: LanguageModels;
  readonly demo: DemoModels;
  /** `undefined` when the settings name no known provider. */
  readonly of: (settings: Settings) => ModelClientFactory | undefined;
  /** By the provider's id in a rollout; `undefined` for an unknown one. */
  readonly byId: (id: string) => ModelClientFactory | undefined;
}

/** Builds the factories of all models. `of` returns `undefined` while no provider is chosen. */
export function createModels(ports: Ports, { node, settings, report }: Host): Models {
  const http = new HttpModels(ports, TILLER_VERSION);
  const demo = new DemoModels(http, settings);
  const languageModels = new LanguageModels(node.ids);
  if (settings().provider === languageModels.id) languageModels.list().catch(report);
  const inProcess: Readonly<Record<InProcessProvider, ModelClientFactory>> = { demo, vscode: languageModels };
  return {
    http,
    languageModels,
    demo,
    of: (read) => {
      if (isInProcess(read.provider)) return inProcess[read.provider];
      const provider = providerOf(read);
      return provider && http.of(provider);
    },
    byId: (id) => {
      if (isInProcess(id)) return inProcess[id];
      const provider = providerById(settings(), id);
      return provider && http.of(provider);
    },
  };
}
