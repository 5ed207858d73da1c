// The menus at the chips of the composer, by keyboard alone.
import assert from 'node:assert/strict';
import { send, takePosted, under } from './stage.mjs';

const search = (page) => page.getByRole('combobox', { name: 'Search models' });

/** The row that a screen reader says: the active descendant of the search field. */
async function activeRow(page) {
  const id = await search(page).getAttribute('aria-activedescendant');
  return id === null ? null : page.locator(`#${id}`).innerText();
}

/** The panel with a menu that was opened from its chip by Enter. */
async function openMenu(stage, scene, chip) {
  const page = await stage.show({ ...scene, clicks: [], later: [] });
  await takePosted(page);
  await page.getByTestId(chip).focus();
  await page.keyboard.press('Enter');
  return page;
}

async function openModels(stage) {
  const scene = stage.scenes['model-menu'];
  const page = await openMenu(stage, scene, 'pick-model');
  await page.waitForFunction(() => globalThis.posted.some(({ type }) => type === 'list_models'));
  assert.deepEqual(await takePosted(page), [{ type: 'list_models', id: 1 }]);
  await send(page, scene.later);
  return page;
}

function isFocused(page, testid) {
  return page.waitForFunction((testid) => document.activeElement?.getAttribute('data-testid') === testid, testid);
}

export const MENU_STORIES = {
  async 'the mode menu opens at the mode in use; an arrow and Enter choose another, and the composer has the focus'(
    stage,
  ) {
    const page = await openMenu(stage, stage.scenes['mode-menu'], 'pick-mode');
    const checked = page.getByRole('menuitemradio', { checked: true });
    assert.equal(await checked.getAttribute('aria-label'), 'Agent');
    assert.equal(await page.getByTestId('pick-mode').getAttribute('aria-expanded'), 'true');
    assert.equal(await page.evaluate(() => document.activeElement?.getAttribute('aria-label')), 'Agent');
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Enter');
    assert.deepEqual(await takePosted(page), [{ type: 'choose', what: { type: 'mode', mode: 'plan' } }]);
    await isFocused(page, 'composer-input');
    assert.equal(await page.getByRole('menu').count(), 0);
    return page;
  },
  async 'the mode menu leads to the agents of files'(stage) {
    const page = await openMenu(stage, stage.scenes['mode-menu'], 'pick-mode');
    await page.keyboard.press('End');
    await page.keyboard.press('Enter');
    assert.deepEqual(await takePosted(page), [{ type: 'run_command', command: 'tiller.newThreadWithAgent' }]);
    return page;
  },
  async 'Esc closes a menu, changes nothing and returns to the chip; an arrow opens it again'(stage) {
    const page = await openMenu(stage, stage.scenes['mode-menu'], 'pick-mode');
    await page.keyboard.press('End');
    await page.keyboard.press('Escape');
    await isFocused(page, 'pick-mode');
    assert.deepEqual(await takePosted(page), []);
    await page.keyboard.press('ArrowUp');
    await page.getByRole('menu', { name: 'Mode' }).waitFor();
    return page;
  },
  async 'the sandbox and the approvals have one menu, each with a check'(stage) {
    const scene = under(stage.scenes['sandbox-menu'], { approvalPolicy: 'untrusted', mode: null });
    const page = await openMenu(stage, scene, 'pick-box');
    const checked = page.getByRole('menuitemradio', { checked: true });
    assert.deepEqual(await checked.evaluateAll((all) => all.map((one) => one.getAttribute('aria-label'))), [
      'Workspace',
      'Always ask',
      'Ask me',
    ]);
    assert.equal(await page.getByTestId('pick-mode').getAttribute('aria-label'), 'Mode: Always ask');
    await page.keyboard.press('End');
    await page.keyboard.press('Enter');
    assert.deepEqual(await takePosted(page), [{ type: 'choose', what: { type: 'reviewer', reviewer: 'model' } }]);
    return page;
  },
  async 'a reviewer is offered only where it could answer anything'(stage) {
    const untrusted = { approvalPolicy: 'untrusted', mode: null, reviewer: 'model' };
    const page = await openMenu(stage, under(stage.scenes['sandbox-menu'], untrusted), 'pick-box');
    assert.equal(await page.getByTestId('pick-mode').getAttribute('aria-label'), 'Mode: A model reviews');
    for (const without of [{ approvalPolicy: 'on-failure' }, { box: 'none' }]) {
      const other = await openMenu(
        stage,
        under(stage.scenes['sandbox-menu'], { ...untrusted, ...without }),
        'pick-box',
      );
      assert.equal(await other.getByRole('group', { name: 'Commands in the sandbox' }).count(), 0);
    }
    return page;
  },
  async 'the same menu says when patches are reviewed, where the approvals leave it open'(stage) {
    const page = await openMenu(stage, stage.scenes['sandbox-menu'], 'pick-box');
    const group = page.getByRole('group', { name: 'Patches' });
    assert.equal(await group.getByRole('menuitemradio', { checked: true }).getAttribute('aria-label'), 'Review first');
    await page.keyboard.press('End');
    await page.keyboard.press('Enter');
    assert.deepEqual(await takePosted(page), [{ type: 'choose', what: { type: 'review', review: 'after' } }]);
    return page;
  },
  async 'the model menu begins at the model in use and chooses one of another provider'(stage) {
    const page = await openModels(stage);
    assert.match(await activeRow(page), /^gpt-5-codex/);
    assert.equal(await page.locator('[role=option][aria-checked=true]').count(), 1);
    const groups = page.getByRole('listbox', { name: 'Models' }).getByRole('group');
    assert.equal(await groups.count(), 3);
    await search(page).fill('qwen');
    assert.match(await activeRow(page), /^qwen3-coder:30b/);
    await page.keyboard.press('Enter');
    // The menu closes after the next painting.
    await page.waitForFunction(() => globalThis.posted.some(({ type }) => type === 'close_models'));
    assert.deepEqual(await takePosted(page), [
      { type: 'choose', what: { type: 'model', provider: 'ollama', model: 'qwen3-coder:30b' } },
      { type: 'close_models' },
    ]);
    await isFocused(page, 'composer-input');
    return page;
  },
  async 'the selected model stays selected when a provider before it lists its models'(stage) {
    const page = await openModels(stage);
    await page.keyboard.press('PageDown');
    await page.keyboard.press('ArrowUp');
    const selected = await activeRow(page);
    assert.match(selected, /^team\/large/);
    const [{ groups }] = stage.scenes['model-menu'].later;
    const ollama = groups[1];
    const models = [{ id: 'another', label: 'another', detail: '' }, ...ollama.models];
    const group = { ...ollama, models, listing: { type: 'listed' } };
    await send(page, [{ type: 'models', build: 'preview', id: 1, groups: [group] }]);
    assert.equal(await page.getByText('another').count(), 1);
    assert.equal(await activeRow(page), selected);
    return page;
  },
  async 'a name that no provider lists is taken for one of them'(stage) {
    const page = await openModels(stage);
    await search(page).fill('my-deployment');
    assert.match(await activeRow(page), /^Use “my-deployment”/);
    assert.equal(await page.getByRole('option').count(), 3);
    await page.keyboard.press('Enter');
    const [chosen] = await takePosted(page);
    assert.deepEqual(chosen.what, { type: 'model', provider: 'openai', model: 'my-deployment' });
    return page;
  },
  async 'a provider that lists no models says why, and is set up from the menu'(stage) {
    const page = await openModels(stage);
    await page.getByText('connect ECONNREFUSED 10.0.0.7:443').waitFor();
    await page.keyboard.press('ArrowUp');
    assert.match(await activeRow(page), /^Set Up gateway/);
    await page.keyboard.press('Enter');
    assert.deepEqual((await takePosted(page))[0], { type: 'set_up_provider', provider: 'gateway.example.com' });
    return page;
  },
  async 'the effort is beside the models, only where the model takes one; “Add Provider…” is the last control'(stage) {
    const page = await openModels(stage);
    await page.keyboard.press('Tab');
    assert.equal(await page.getByRole('radio', { name: 'High', exact: true }).isChecked(), true);
    await page.keyboard.press('ArrowLeft');
    assert.deepEqual(await takePosted(page), [{ type: 'choose', what: { type: 'effort', effort: 'medium' } }]);
    await page.keyboard.press('Tab');
    await isFocused(page, 'model-add');
    await page.keyboard.press('Enter');
    assert.deepEqual((await takePosted(page))[0], { type: 'pick', what: 'model' });
    assert.equal(await page.getByTestId('model-menu').count(), 0);
    const without = await stage.show(stage.scenes['model-menu-none']);
    assert.equal(await without.getByRole('radio').count(), 0);
    return without;
  },
  async 'the popup of the meter closes in a thread that has used nothing, and stays closed in the next one'(stage) {
    const page = await openMenu(stage, stage.scenes.meter, 'context-meter');
    await page.getByTestId('context-meter-popup').waitFor();
    await send(page, stage.scenes.empty.messages);
    await isFocused(page, 'composer-input');
    await send(page, stage.scenes.done.messages);
    await page.getByTestId('context-meter').waitFor();
    assert.equal(await page.getByTestId('context-meter-popup').count(), 0);
    await isFocused(page, 'composer-input');
    return page;
  },
  async 'a menu closes when another thread is shown'(stage) {
    const page = await openMenu(stage, stage.scenes['mode-menu'], 'pick-mode');
    await page.getByRole('menu', { name: 'Mode' }).waitFor();
    const messages = stage.scenes.done.messages.map((message) =>
      message.type === 'snapshot' ? { ...message, thread: { ...message.thread, threadId: 'other' } } : message,
    );
    await send(page, messages);
    await isFocused(page, 'composer-input');
    assert.equal(await page.getByRole('menu').count(), 0);
    return page;
  },
};
