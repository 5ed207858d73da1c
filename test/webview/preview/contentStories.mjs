// Hostile and large contents in the panel, and errors.
import assert from 'node:assert/strict';
import { violations, scrollsSideways } from './faults.mjs';

/** Width of the narrowest panel, in pixels. */
const NARROW = 260;

/** Faults of the page as it is. */
async function faultsOf(page) {
  const found = await violations(page, 'narrow');
  return (await scrollsSideways(page)) ? [...found, 'scrolls sideways'] : found;
}

export const CONTENT_STORIES = {
  async 'invisible characters of a command are shown in its approval request'(stage) {
    const page = await stage.show(stage.scenes['hidden-characters']);
    const shown = await page.getByTestId('approval-command-text').textContent();
    assert.equal(shown, String.raw`touch a\u{202e}b\u{200b}`);
    return page;
  },
  async 'a script of many lines hides no button, and can be read in full before and after'(stage) {
    const page = await stage.show(stage.scenes.script, { width: NARROW });
    const announced = await page.getByTestId('announcer').textContent();
    assert.match(announced, /Run this command\? for name in one two; do…/);
    assert.match(await page.getByTestId('approval-command-text').textContent(), /done > lines\.txt$/);
    for (const button of ['decision-approve', 'decision-deny']) await page.getByTestId(button).click({ trial: true });
    assert.deepEqual(await faultsOf(page), []);
    await page.getByTestId('decision-more').click();
    await page.getByTestId('decision-approve-thread').waitFor();
    assert.equal(await page.getByTestId('decision-approve-always').count(), 0);
    assert.deepEqual(await faultsOf(page), []);

    const after = await stage.show(stage.scenes['script-ran'], { width: NARROW });
    await after.getByTestId('command').getByText('done > lines.txt').waitFor();
    assert.deepEqual(await faultsOf(after), []);
    return after;
  },
  async 'a long file name hides neither its end nor the size of the change'(stage) {
    for (const name of ['long-name', 'long-name-denied']) {
      const page = await stage.show(stage.scenes[name], { width: NARROW });
      assert.deepEqual(await faultsOf(page), []);
    }
    const page = await stage.show(stage.scenes['long-name'], { width: NARROW });
    const row = page.getByTestId('approval-patch').getByTestId('file-row').first();
    assert.match(await row.innerText(), /\.test\.ts/);
    assert.match(await row.innerText(), /\+1/);
    return page;
  },
  async 'an empty thread says what to write, and has no usage to show'(stage) {
    const page = await stage.show(stage.scenes.empty);
    const placeholder = await page.getByTestId('composer-input').getAttribute('placeholder');
    assert.equal(placeholder, 'Ask Tiller to change something (@ for context)');
    assert.equal(await page.getByTestId('context-meter').count(), 0);
    return page;
  },
  async 'an error has the title and the action that fit it'(stage) {
    const [snapshot, { events }] = stage.scenes['error-kinds'].messages;
    let page;
    for (const [kind, title, action] of [
      ['no_key', 'API key missing', 'Set API Key'],
      ['invalid_request', 'Request rejected', 'Show Log'],
      ['context_exceeded', 'Context window full', 'Compact and Continue'],
    ]) {
      // Up to the end of its turn: the newest error alone has an action.
      const at = events.findIndex(({ msg }) => msg.type === 'error' && msg.kind === kind);
      const messages = [snapshot, { type: 'events', build: 'preview', events: events.slice(0, at + 2) }];
      page = await stage.show({ messages });
      const shown = await page.getByTestId('error').last().locator('.notice-title').innerText();
      assert.deepEqual([shown, await page.getByTestId('error-action').innerText()], [title, action]);
    }
    return page;
  },
};
