import assert from 'node:assert/strict';
import { suite, test } from 'mocha';
import { DisposableStore } from '../../src/core/util/disposable.ts';
import { createHost } from '../../src/extension/createHost.ts';
import { onSettingsChanged } from '../../src/vscode/settings.ts';
import { configure, ownHome } from './support/ownHome.ts';
import { contextOf } from './support/page.ts';

suite('the settings in use', () => {
  test('are those that the user has changed last, also for listeners of the change', async () => {
    using _home = ownHome();
    const store = new DisposableStore();
    try {
      const host = createHost(contextOf(), store);
      store.add(host.channel);
      const heard: (string | null)[] = [];
      store.add(onSettingsChanged(() => heard.push(host.settings().model)));
      const before = host.settings();
      assert.equal(host.settings(), before);
      await configure({ model: 'one' });
      await configure({ model: 'two' });
      assert.equal(host.settings().model, 'two');
      assert.deepEqual(heard, ['one', 'two']);
    } finally {
      await configure({ model: undefined });
      store.dispose();
    }
  });
});
