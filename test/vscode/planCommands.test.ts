/** "Run Plan" while the user goes to another thread, and what new threads begin in afterwards. */
import assert from 'node:assert/strict';
import { setup, suite, teardown, test } from 'mocha';
import { compose } from '../../src/extension/compose.ts';
import type { Tiller } from '../../src/extension/createTiller.ts';
import type { HostMessage } from '../../src/protocol/wire.ts';
import { ModelServer, says } from '../support/modelServer.ts';
import type { TempFolder } from '../support/tempFolder.ts';
import { contextOf, eventually, Page } from './support/page.ts';
import { configure, ownHome } from './support/ownHome.ts';

declare const TILLER_VERSION: string;

const PLAN = '<proposed_plan>\n# Two\n\nWrite a two.\n</proposed_plan>';

suite('a plan that is run', () => {
  let home: TempFolder;
  let tiller: Tiller | undefined;
  let server: ModelServer | undefined;
  setup(() => {
    home = ownHome();
  });
  teardown(async () => {
    await tiller?.dispose();
    tiller = undefined;
    await server?.close();
    server = undefined;
    home[Symbol.dispose]();
    await configure({ providers: undefined, provider: undefined, model: undefined, planMode: undefined });
  });

  test('goes to its thread, although another one is shown by then, and leaves the mode of new threads', async () => {
    let release = () => {};
    const released = new Promise<void>((resolve) => {
      release = resolve;
    });
    const slow = async () => {
      await released;
      return [says('Done with the other.')];
    };
    server = await ModelServer.start([[says(PLAN)], slow, [says('It is a two.')]]);
    await configure({
      providers: { scripted: { baseUrl: server.baseUrl, wireApi: 'responses', auth: 'none' } },
      provider: 'scripted',
      model: 'm',
      planMode: true,
    });
    tiller = await compose(contextOf());
    const { chat, plans, threads, view } = tiller;
    const page = new Page();
    const heard = () => page.heard as readonly HostMessage[];
    const mode = () =>
      heard().findLast((message) => message.type === 'settings' || message.type === 'snapshot')?.settings.mode;
    const shown = () => heard().findLast((message) => message.type === 'snapshot')?.thread?.threadId;
    view.resolveWebviewView(page.view);
    page.say({ type: 'ready', build: TILLER_VERSION });
    await page.hears('"snapshot"');
    page.say({ type: 'op', op: { type: 'user_turn', input: [{ type: 'text', text: 'Plan a two.' }] } });
    await page.hears('turn_completed');
    const planned = shown();
    await chat.newThread();
    page.say({ type: 'op', op: { type: 'user_turn', input: [{ type: 'text', text: 'Something else.' }] } });
    await server.received(2);
    const other = shown();
    assert(planned !== undefined && other !== undefined && planned !== other);

    await threads.open(planned);
    const run = plans.run();
    // The other thread works and is shown before the document of the plan is read.
    await threads.open(other);
    await run;
    await server.received(3);
    assert.match(server.requests[2]?.text ?? '', /Plan a two\./);
    release();
    await threads.open(planned);
    await eventually(() => mode() === 'agent');
    await threads.open(other);
    await eventually(() => mode() === 'plan');
    await chat.newThread();
    await eventually(() => mode() === 'plan');
  });
});
