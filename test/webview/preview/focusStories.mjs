// The focus of cards and of controls that are removed, at each moment at which it was lost once, and keys that come then.
import assert from 'node:assert/strict';
import { send, takePosted } from './stage.mjs';

const events = (...list) => ({ type: 'events', build: 'preview', events: list });

function isFocused(page, testid) {
  return page.waitForFunction((testid) => document.activeElement?.getAttribute('data-testid') === testid, testid, {
    timeout: 2_000,
  });
}

async function takeOps(page) {
  return (await takePosted(page)).filter(({ type }) => type === 'op').map(({ op }) => op);
}

/** Messages that do not wait for a frame: for what happens between two frames. */
function post(page, ...messages) {
  return page.evaluate((all) => all.forEach((message) => window.postMessage(message, '*')), messages);
}

/** Another part of VS Code takes the focus from the page. */
function leave(page) {
  return page.evaluate(() => (document.hasFocus = () => false));
}

/** The page gets the focus again. */
function comeBack(page) {
  return page.evaluate(() => {
    delete document.hasFocus;
    window.dispatchEvent(new FocusEvent('focus'));
  });
}

/** A running turn without a request, the request that it makes, and another one. */
function requestOf(stage) {
  const [snapshot, { events: list }] = stage.scenes.approve.messages;
  const isRequest = ({ msg }) => msg.type === 'approval_requested';
  const first = list.find(isRequest);
  const { msg } = first;
  let { seq } = list.at(-1);
  const event = (msg) => events({ ...first, seq: ++seq, msg });
  const resolved = { type: 'approval_resolved', approvalId: msg.approvalId, decision: 'approved', by: 'user' };
  return {
    scene: { messages: [snapshot, events(...list.filter((event) => !isRequest(event)))] },
    /** Each returns a message with the next event, to be sent in the order of the calls. */
    request: () => event(msg),
    other: () => event({ ...msg, approvalId: 'a-other' }),
    resolved: () => event(resolved),
    eventOf: event,
    /** The requests of the scene; the first leaves the sandbox. */
    requests: list.filter(isRequest).map((asked) => asked.msg),
  };
}

/** The page of a running turn with the focus in the empty composer. */
async function atWork(stage) {
  const parts = requestOf(stage);
  const page = await stage.show(parts.scene);
  await page.getByTestId('composer-input').focus();
  return { page, ...parts };
}

/** Waits until keys answer a card that has taken the focus. */
function takesKeys(page) {
  return page.locator('.dock:not([data-holds-keys]) .decide').waitFor();
}

export const FOCUS_STORIES = {
  async 'a card takes the focus from the composer where the time of typing is over between two looks at the clock'(
    stage,
  ) {
    const { page, request } = await atWork(stage);
    // Once the card is there each look at the clock is a little later, the first just before the end of that time.
    await page.evaluate(() => {
      const key = performance.now();
      let looks = 0;
      performance.now = () => key + (document.querySelector('.decide') === null ? 0 : 1_499.6 + 0.6 * looks++);
    });
    await page.keyboard.press('Shift');
    await send(page, [request()]);
    await isFocused(page, 'decision-approve');
    return page;
  },
  async 'a card takes the focus also where the composer is asked for before the card is drawn'(stage) {
    const { page, request } = await atWork(stage);
    await post(page, request(), { type: 'focus_composer', build: 'preview' });
    await isFocused(page, 'decision-approve');
    return page;
  },
  async 'a card that replaces another while an editor has the focus gets it, though the button of the other is gone'(
    stage,
  ) {
    const { page, request, resolved, other } = await atWork(stage);
    await send(page, [request()]);
    await isFocused(page, 'decision-approve');
    await leave(page);
    await post(page, resolved());
    await page.getByTestId('approval-command').waitFor({ state: 'detached' });
    await post(page, other());
    await page.getByTestId('approval-command').waitFor();
    await comeBack(page);
    await isFocused(page, 'decision-approve');
    // Longer than the panel waits before it gives a lost focus to the composer.
    await page.waitForTimeout(200);
    await isFocused(page, 'decision-approve');
    return page;
  },
  async 'a card that comes while an editor has the focus gets it when the page has it again, however late'(stage) {
    const { page, request } = await atWork(stage);
    await page.clock.install();
    await leave(page);
    await send(page, [request()]);
    await page.getByTestId('decision-approve').waitFor();
    await page.clock.runFor(5_000);
    await isFocused(page, 'composer-input');
    await comeBack(page);
    await isFocused(page, 'decision-approve');
    await page.close();
  },
  async 'a card that comes while an editor has the focus leaves it to a user who points at the composer'(stage) {
    const { page, request } = await atWork(stage);
    await leave(page);
    await send(page, [request()]);
    await page.getByTestId('decision-approve').waitFor();
    await page.getByTestId('composer-input').click();
    await comeBack(page);
    await isFocused(page, 'composer-input');
    return page;
  },
  async 'a card takes the focus when the message is sent that was being written as it came'(stage) {
    const { page, request } = await atWork(stage);
    await page.clock.install();
    await page.keyboard.type('half a thought');
    await send(page, [request()]);
    await page.getByTestId('decision-approve').waitFor();
    await page.clock.fastForward(10_000);
    await isFocused(page, 'composer-input');
    await page.keyboard.press('Enter');
    await page.clock.fastForward(2_000);
    await isFocused(page, 'decision-approve');
    await page.close();
  },
  async 'a question without options gives the focus to its field'(stage) {
    const { page, eventOf } = await atWork(stage);
    const question = { id: 'why', header: '', question: 'Which server is it?', options: [] };
    const request = { source: 'model', questionId: 'q-1', questions: [question] };
    await send(page, [eventOf({ type: 'question_requested', request })]);
    await isFocused(page, 'question-other-text');
    return page;
  },
  async 'a question that is being answered stays, with its text, when an approval comes before it'(stage) {
    const { page, request, eventOf } = await atWork(stage);
    const question = { id: 'why', header: '', question: 'Which server is it?', options: [] };
    const asked = { source: 'model', questionId: 'q-1', questions: [question] };
    await send(page, [eventOf({ type: 'question_requested', request: asked })]);
    await isFocused(page, 'question-other-text');
    await page.keyboard.type('the te');
    await takePosted(page);
    await send(page, [request()]);
    await page.getByTestId('decision-place').getByText('2 of 2').waitFor();
    await page.keyboard.type('st');
    await isFocused(page, 'question-other-text');
    assert.equal(await page.getByTestId('question-other-text').inputValue(), 'the test');
    assert.deepEqual(await takeOps(page), []);
    return page;
  },
  async 'a request that comes while all are listed is not selected'(stage) {
    const { page, requests, eventOf } = await atWork(stage);
    const [, first, second] = requests;
    await send(page, [eventOf(first), eventOf(second)]);
    await takesKeys(page);
    await page.keyboard.press('l');
    await isFocused(page, 'decision-approve-all');
    await takePosted(page);
    await send(page, [eventOf({ ...second, approvalId: 'a-late' })]);
    await page.getByTestId('decision-approve-all').getByText('Approve 2 of 3').waitFor();
    await page.keyboard.press('Enter');
    const [op] = await takeOps(page);
    assert.deepEqual(op.approvalIds, [first.approvalId, second.approvalId]);
    return page;
  },
  async 'Esc that ends a composition of an input method closes no menu'(stage) {
    const page = await stage.show(stage.scenes['model-menu']);
    await isFocused(page, 'model-search');
    const press = (isComposing) =>
      page.evaluate((isComposing) => {
        const event = new KeyboardEvent('keydown', { key: 'Escape', isComposing, bubbles: true, cancelable: true });
        document.activeElement.dispatchEvent(event);
      }, isComposing);
    await press(true);
    await page.getByTestId('model-menu').waitFor();
    await press(false);
    await page.getByTestId('model-menu').waitFor({ state: 'detached' });
    return page;
  },
  async 'keys that come as a card takes the focus answer nothing: a letter goes to the composer, Enter nowhere'(stage) {
    const { page, request } = await atWork(stage);
    await takePosted(page);
    // The time in which keys are no answers does not end.
    await page.evaluate(() => {
      const { setTimeout } = window;
      window.setTimeout = (run, ms, ...rest) => setTimeout(run, ms === 500 ? 3_600_000 : ms, ...rest);
    });
    await send(page, [request()]);
    await isFocused(page, 'decision-approve');
    for (const key of ['Enter', 'Space']) await page.keyboard.press(key);
    await isFocused(page, 'decision-approve');
    await page.keyboard.type('the');
    await isFocused(page, 'composer-input');
    assert.equal(await page.getByTestId('composer-input').inputValue(), 'the');
    assert.deepEqual(await takeOps(page), []);
    return page;
  },
  async 'the next of several requests is not answered by a key for the one before'(stage) {
    const { page, request, other, resolved } = await atWork(stage);
    await send(page, [request(), other()]);
    await takesKeys(page);
    await takePosted(page);
    await page.keyboard.press('t');
    assert.equal((await takeOps(page)).length, 1);
    await send(page, [resolved()]);
    await isFocused(page, 'decision-approve');
    await page.keyboard.press('t');
    await page.keyboard.press('Enter');
    assert.deepEqual(await takeOps(page), []);
    await takesKeys(page);
    await page.keyboard.press('Enter');
    const [op] = await takeOps(page);
    assert.deepEqual([op.type, op.approvalIds], ['approval', ['a-other']]);
    return page;
  },
  async 'Enter goes through the requests and answers none'(stage) {
    const { page, request, other } = await atWork(stage);
    await send(page, [request(), other()]);
    await isFocused(page, 'decision-approve');
    await takePosted(page);
    await page.getByTestId('decision-next').focus();
    for (const place of ['2 of 2', '1 of 2']) {
      await page.keyboard.press('Enter');
      await page.getByTestId('decision-place').getByText(place).waitFor();
      await isFocused(page, 'decision-next');
    }
    await page.getByTestId('decision-previous').focus();
    await page.keyboard.press('Enter');
    await page.getByTestId('decision-place').getByText('2 of 2').waitFor();
    await isFocused(page, 'decision-previous');
    assert.deepEqual(await takeOps(page), []);
    return page;
  },
  async 'a button that is removed while an editor has the focus leaves the keyboard in the composer'(stage) {
    const page = await stage.show(stage.scenes.errors);
    await page.getByTestId('put-back').focus();
    await leave(page);
    const [{ settings }] = stage.scenes.errors.messages;
    await send(page, [{ type: 'settings', build: 'preview', settings: { ...settings, quarantined: [] } }]);
    await page.getByTestId('put-back').waitFor({ state: 'detached' });
    await page.waitForTimeout(200);
    await comeBack(page);
    await isFocused(page, 'composer-input');
    return page;
  },
  async 'a picker that an entry of a menu has opened gives the focus back to the button of the menu'(stage) {
    for (const [menu, entry] of [
      ['more-actions', 'more-actions-item'],
      ['pick-model', 'model-add'],
    ]) {
      const page = await stage.show(stage.scenes.done);
      await page.getByTestId(menu).focus();
      await page.keyboard.press('Enter');
      await page.getByTestId(entry).first().focus();
      await page.keyboard.press('Enter');
      await isFocused(page, menu);
      // VS Code focuses the page, and no control of it.
      await page.evaluate(() => document.activeElement.blur());
      await send(page, [{ type: 'focus_back', build: 'preview' }]);
      await isFocused(page, menu);
    }
    // The control may be gone.
    const page = await stage.show(stage.scenes.errors);
    await page.getByTestId('put-back').focus();
    await leave(page);
    const [{ settings }] = stage.scenes.errors.messages;
    await send(page, [{ type: 'settings', build: 'preview', settings: { ...settings, quarantined: [] } }]);
    await page.getByTestId('put-back').waitFor({ state: 'detached' });
    await send(page, [{ type: 'focus_back', build: 'preview' }]);
    await isFocused(page, 'composer-input');
    return page;
  },
  async 'the list of threads keeps the keyboard when the button that restores a thread is removed'(stage) {
    const page = await stage.show({ ...stage.scenes.threads, clicks: [] });
    await page.getByTestId('thread-title').focus();
    await page.keyboard.press('Enter');
    await isFocused(page, 'threads-search');
    await send(page, [{ type: 'thread_deleted', build: 'preview', threadId: 'u', title: 'Gone' }]);
    await page.getByTestId('thread-undelete').focus();
    await page.keyboard.press('Enter');
    await isFocused(page, 'threads-search');
    return page;
  },
};
