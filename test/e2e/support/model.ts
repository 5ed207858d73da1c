import { IMITATIONS } from '../../support/imitations.ts';
import { type Answer, type ModelRequest, ModelServer } from '../../support/modelServer.ts';

export const DEMO_SETTINGS = { 'tiller.provider': 'demo', 'tiller.model': 'demo' };

/** A user who wants to be asked about commands, also where a sandbox would guard them. */
export const ASK_ABOUT_COMMANDS = { 'tiller.approvalPolicy': 'untrusted' };

/** A scripted model: every test of a window sets its next responses. */
export class ScriptedModel {
  readonly #server: ModelServer;
  readonly #script: Answer[];
  #first = 0;

  private constructor(server: ModelServer, script: Answer[]) {
    this.#server = server;
    this.#script = script;
  }

  /** `name`: the provider whose server it imitates. */
  static async start(name?: string): Promise<ScriptedModel> {
    const script: Answer[] = [];
    const imitates = IMITATIONS.find((each) => each.name === name);
    return new ScriptedModel(await ModelServer.start(script, { imitates }), script);
  }

  /** The user's settings that lead here. */
  get settings(): Record<string, unknown> {
    const { baseUrl } = this.#server;
    return {
      'tiller.providers': { scripted: { baseUrl, wireApi: 'responses' } },
      'tiller.provider': 'scripted',
      'tiller.model': 'test-model',
    };
  }

  /** Ollama is found here; no model is chosen. */
  get localSettings(): Record<string, unknown> {
    const { baseUrl } = this.#server;
    return { 'tiller.providers': { ollama: { baseUrl, wireApi: 'chat', auth: 'none' } } };
  }

  /** Sets the next responses, in order; responses that an earlier test left over are dropped. */
  will(...answers: Answer[]): void {
    this.#first = this.#server.requests.length;
    this.#script.length = this.#first;
    this.#script.push(...answers);
  }

  /** The requests since `will`. */
  get requests(): readonly ModelRequest[] {
    return this.#server.requests.slice(this.#first);
  }

  /** The last outputs of calls that the model got, oldest first. */
  get outputs(): readonly string[] {
    const outputs = (this.requests.at(-1)?.input ?? []).filter(({ type }) => type === 'function_call_output');
    return outputs.map(({ output }) => (typeof output === 'string' ? output : JSON.stringify(output)));
  }

  close(): Promise<void> {
    return this.#server.close();
  }
}

/** A promise that resolves when `open` is called: `waits(gate.opened)` blocks a model until then. */
export function gate(): { readonly opened: Promise<void>; readonly open: () => void } {
  let open = () => {};
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });
  return { opened, open: () => open() };
}
