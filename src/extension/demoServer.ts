import type { ProviderConfig } from '../core/model/provider.ts';
import { limitsIn, providerOf } from '../core/agent/threadSettings.ts';
import { DEMO_PROVIDER, type Settings } from '../protocol/settings.ts';

interface DemoServer {
  readonly baseUrl: string;
  close(): Promise<void>;
}

/** From settings to a server; the demo's is started when it is first wanted and ends with the window. */
export class Connections {
  #demo: Promise<DemoServer> | undefined;

  /** `undefined` when the settings name no server that is known. */
  async provider(settings: Settings): Promise<ProviderConfig | undefined> {
    if (settings.provider !== DEMO_PROVIDER) return providerOf(settings);
    this.#demo ??= import('../node/demoModel/server.ts').then(({ startDemoModel }) => startDemoModel({ port: 0 }));
    const { baseUrl } = await this.#demo;
    const wireApi = settings.wireApi ?? 'responses';
    return { id: DEMO_PROVIDER, baseUrl, wireApi, auth: 'none', ...limitsIn(settings) };
  }

  async dispose(): Promise<void> {
    await (await this.#demo)?.close();
  }
}
