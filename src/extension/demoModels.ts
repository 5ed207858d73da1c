import { limitsIn } from '../core/agent/threadSettings.ts';
import type { Prompt, ResponseEvent } from '../core/model/client.ts';
import type { HttpModels } from '../core/model/httpModels.ts';
import type { ConnectedModel, ModelClientFactory } from '../core/model/modelClientFactory.ts';
import { DEMO_PROVIDER } from '../protocol/knownProviders.ts';
import type { Settings } from '../protocol/settings.ts';

interface DemoServer {
  readonly baseUrl: string;
  close(): Promise<void>;
}

/**
 * The embedded scripted model (docs/design.md decision 3). Its server runs from the first request to the window's end.
 */
export class DemoModels implements ModelClientFactory {
  readonly id = DEMO_PROVIDER;
  readonly defaultModel = DEMO_PROVIDER;
  readonly #http: HttpModels;
  readonly #settings: () => Settings;
  #server: Promise<DemoServer> | undefined;

  constructor(http: HttpModels, settings: () => Settings) {
    this.#http = http;
    this.#settings = settings;
  }

  connect(model: string): ConnectedModel {
    const settings = this.#settings();
    // Family and prices are known without a server.
    const { family, prices } = this.#connectTo('http://127.0.0.1', settings, model);
    let connected: Promise<ConnectedModel> | undefined;
    const http = () => {
      this.#server ??= import('../node/demoModel/server.ts').then(({ startDemoModel }) => startDemoModel({ port: 0 }));
      connected ??= this.#server.then(({ baseUrl }) => this.#connectTo(baseUrl, settings, model));
      return connected;
    };
    async function* stream(prompt: Prompt, signal: AbortSignal): AsyncGenerator<ResponseEvent> {
      const { client } = await http();
      yield* client.stream(prompt, signal);
    }
    return { client: { stream }, family, prices };
  }

  async dispose(): Promise<void> {
    await (await this.#server)?.close();
  }

  #connectTo(baseUrl: string, settings: Settings, model: string): ConnectedModel {
    const wireApi = settings.wireApi ?? 'responses';
    return this.#http.of({ id: DEMO_PROVIDER, baseUrl, wireApi, auth: 'none', ...limitsIn(settings) }).connect(model);
  }
}
