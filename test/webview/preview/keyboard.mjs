// The panel by keyboard alone: each story presses keys and checks the result.
import assert from 'node:assert/strict';
import { send, takePosted, under } from './stage.mjs';

/** The ops that the panel has posted since the last call. */
async function takeOps(page) {
  return (await takePosted(page)).filter(({ type }) => type === 'op').map(({ op }) => op);
}

/** Waits for the focus, which moves after the rendering. */
function expectFocus(page, testid) {
  return page.waitForFunction((testid) => document.activeElement?.getAttribute('data-testid') === testid, testid, {
    timeout: 2_000,
  });
}

/** Presses a key and returns which control gets the next one, also where that comes before the next frame. */
function focusAfterKey(page, key) {
  return page.evaluate(async (key) => {
    document.activeElement?.dispatchEvent(new KeyboardEvent('keydown', { ...key, bubbles: true, cancelable: true }));
    const { port1, port2 } = new MessageChannel();
    const next = new Promise((resolve) => port1.addEventListener('message', resolve, { once: true }));
    port1.start();
    port2.postMessage(null);
    await next;
    return document.activeElement?.getAttribute('data-testid');
  }, key);
}

const press = async (page, ...keys) => {
  for (const key of keys) await page.keyboard.press(key);
};

/** Presses Shift+Tab until a control has the focus. */
async function goBackTo(page, testid) {
  const focused = () => page.evaluate(() => document.activeElement?.getAttribute('data-testid'));
  for (let left = 40; left > 0 && (await focused()) !== testid; left--) await press(page, 'Shift+Tab');
  assert.equal(await focused(), testid);
}

const STORIES = {
  async 'from the first run to the answer without a pointer'(stage) {
    const page = await stage.show(stage.scenes.setup);
    await page.getByTestId('composer-input').focus();
    await takePosted(page);
    for (const option of [
      'setup-demo',
      'setup-endpoint',
      'setup-local',
      'setup-other',
      'setup-anthropic',
      'setup-key',
    ]) {
      await goBackTo(page, option);
      await press(page, 'Enter');
    }
    const asked = (await takePosted(page)).filter(({ type }) => type !== 'draft');
    assert.deepEqual(
      asked.map(({ type, what, command }) => what ?? command ?? type),
      ['tiller.startDemo', 'endpoint', 'local', 'model', 'anthropic', 'openai'],
    );
    await send(page, stage.scenes.demo.messages);
    await page.getByTestId('composer-input').focus();
    await page.keyboard.type('Fix the test.');
    await press(page, 'Enter');
    const [op] = await takeOps(page);
    assert.deepEqual([op?.type, op?.input], ['user_turn', [{ type: 'text', text: 'Fix the test.' }]]);
    await send(page, stage.scenes.destructive.messages);
    await expectFocus(page, 'decision-deny');
    await press(page, 'Shift+Tab', 'Shift+Tab');
    await expectFocus(page, 'decision-approve');
    await press(page, 'Enter');
    const [answer] = await takeOps(page);
    assert.deepEqual([answer?.type, answer?.decision], ['approval', 'approved']);
    await send(page, stage.scenes.done.messages);
    await page.getByTestId('composer-input').focus();
    await goBackTo(page, 'turn-undo');
    await press(page, 'Enter');
    assert.equal((await takePosted(page)).at(-1)?.type, 'revert');
    return page;
  },
  async 'a card takes the focus; Enter approves, once however long it is held'(stage) {
    const page = await stage.show(stage.scenes.approve);
    await expectFocus(page, 'decision-approve');
    await press(page, 'Enter', 'Enter');
    assert.deepEqual(await takeOps(page), [{ type: 'approval', approvalIds: ['a-i6'], decision: 'approved' }]);
    return page;
  },
  async 'D opens a word of one or more lines, Enter sends it'(stage) {
    const page = await stage.show(stage.scenes.approve);
    await press(page, 'd');
    await expectFocus(page, 'decision-deny-word');
    await page.keyboard.type('Use npm ci.');
    await page.keyboard.press('Shift+Enter');
    await page.keyboard.type('Not npm install.');
    await press(page, 'Enter');
    const decision = { denied: { message: 'Use npm ci.\nNot npm install.' } };
    assert.deepEqual(await takeOps(page), [{ type: 'approval', approvalIds: ['a-i6'], decision }]);
    return page;
  },
  async 'Esc in the word goes back and decides nothing'(stage) {
    const page = await stage.show(stage.scenes.approve);
    await press(page, 'd', 'Escape');
    await expectFocus(page, 'decision-approve');
    assert.deepEqual(await takeOps(page), []);
    return page;
  },
  async 'a reason for a rejected hunk is sent while it is written; Enter and Esc in it decide nothing'(stage) {
    const page = await stage.show(stage.scenes.hunks);
    const [hunk, file] = await page.getByTestId('hunk-reason').all();
    assert.equal(await hunk.inputValue(), 'The loop ends elsewhere');
    await hunk.focus();
    await press(page, 'Control+A', 'N', 'o', 'Enter');
    await expectFocus(page, 'decision-approve');
    const messages = (await takePosted(page)).filter(({ type }) => type !== 'draft');
    const about = { type: 'explain_hunk', approvalId: 'a-i6', path: 'src/http/client.ts', hunk: 1 };
    assert.deepEqual(messages.slice(-2), [
      { ...about, reason: 'N' },
      { ...about, reason: 'No' },
    ]);
    await file.focus();
    await press(page, 'd', 'Escape');
    await expectFocus(page, 'decision-approve');
    const last = { ...about, path: 'test/retry.test.ts', hunk: null, reason: 'd' };
    assert.deepEqual(await takePosted(page), [last]);
    return page;
  },
  async 'what was said about an answered patch stands with its file'(stage) {
    const page = await stage.show(stage.scenes.hunks);
    await page.getByTestId('file-change').first().click();
    assert.equal(await page.getByTestId('file-reasons').innerText(), 'You: Use the policy of retry.ts');
    return page;
  },
  async 'T and Esc answer too'(stage) {
    const answers = {
      t: 'approved_for_thread',
      Escape: 'abort',
    };
    let last;
    for (const [key, decision] of Object.entries(answers)) {
      await last?.close();
      last = await stage.show(stage.scenes.approve);
      await press(last, key);
      assert.deepEqual(await takeOps(last), [{ type: 'approval', approvalIds: ['a-i6'], decision }]);
    }
    return last;
  },
  async 'the menu of the first answer has the wider ones; Esc closes it and decides nothing'(stage) {
    const page = await stage.show(stage.scenes.approve);
    await expectFocus(page, 'decision-approve');
    await takePosted(page);
    await press(page, 'Tab', 'Enter');
    await expectFocus(page, 'decision-approve-thread');
    await press(page, 'ArrowDown');
    await expectFocus(page, 'decision-approve-always');
    await press(page, 'Escape');
    await expectFocus(page, 'decision-more');
    assert.equal(await page.getByTestId('decision-menu').count(), 0);
    assert.deepEqual(await takeOps(page), []);
    await press(page, 'Enter', 'Enter');
    assert.deepEqual(await takeOps(page), [
      { type: 'approval', approvalIds: ['a-i6'], decision: 'approved_for_thread' },
    ]);
    return page;
  },
  async 'a destructive command has no default: Enter opens the denial'(stage) {
    const page = await stage.show(stage.scenes.destructive);
    await expectFocus(page, 'decision-deny');
    await page.getByTestId('approval-command-text').focus();
    await press(page, 'Enter');
    assert.deepEqual(await takeOps(page), []);
    await page.getByTestId('decision-deny').focus();
    await press(page, 'Enter');
    await expectFocus(page, 'decision-deny-word');
    await press(page, 'Escape');
    await page.getByTestId('decision-approve').focus();
    await press(page, 'Enter');
    assert.deepEqual(await takeOps(page), [{ type: 'approval', approvalIds: ['a-i5'], decision: 'approved' }]);
    return page;
  },
  async 'a suggested rule is requested, shown with what it would have answered, and made'(stage) {
    const page = await stage.show(stage.scenes.offer);
    assert.deepEqual(
      (await takePosted(page)).filter(({ type }) => type === 'suggest_rule'),
      [{ type: 'suggest_rule', approvalId: 'a-i5' }],
    );
    await page.getByTestId('rule-offer-show').focus();
    await press(page, 'Enter');
    assert.match(
      await page.getByTestId('rule-earlier').innerText(),
      /4 earlier approvals:\s*npm test\s*npm test -- retry/,
    );
    await page.getByTestId('rule-allow').focus();
    await press(page, 'Enter');
    assert.equal((await takeOps(page)).length, 0, 'a rule without its preview is not made');
    const rule = { pattern: ['npm', 'test'], decision: 'allow' };
    const preview = { words: ['npm', 'test', '--', 'retry'], problem: null, stillAsked: [] };
    await send(page, [{ type: 'rule_preview', build: 'preview', approvalId: 'a-i5', rule, preview }]);
    await press(page, 'Enter');
    const decision = { approved_rule: { rule, scope: 'workspace' } };
    assert.deepEqual(await takeOps(page), [{ type: 'approval', approvalIds: ['a-i5'], decision }]);
    return page;
  },
  async 'earlier approvals stand only beside the suggested rule, and a late suggestion does not change the open row'(
    stage,
  ) {
    const { messages } = stage.scenes.offer;
    const page = await stage.show({ messages: messages.slice(0, -1) });
    const words = () => page.locator('.rule-word[aria-pressed=true]').allInnerTexts();
    const openRow = async () => {
      await page.getByTestId('decision-approve').focus();
      await press(page, 'a');
    };
    await openRow();
    const suggestion = { ...messages.at(-1).suggestion, rule: { pattern: ['npm'], decision: 'allow' } };
    await send(page, [{ ...messages.at(-1), suggestion }]);
    assert.deepEqual(await words(), ['npm', 'test']);
    assert.equal(await page.getByTestId('rule-earlier').count(), 0);
    await press(page, 'Escape');
    await openRow();
    assert.deepEqual(await words(), ['npm']);
    assert.equal(await page.getByTestId('rule-earlier').count(), 1);
    const rule = { pattern: ['npm'], decision: 'allow' };
    const preview = { words: ['npm', 'test'], problem: null, stillAsked: [] };
    await send(page, [{ type: 'rule_preview', build: 'preview', approvalId: 'a-i5', rule, preview }]);
    await page.getByTestId('rule-longer').focus();
    await press(page, 'Enter');
    assert.equal(await page.getByTestId('rule-earlier').count(), 0);
    await page.getByTestId('rule-shorter').focus();
    await press(page, 'Enter');
    assert.equal(await page.getByTestId('rule-earlier').count(), 1);
    return page;
  },
  async 'the next attempt is made at once, and an error with an action of its own can be tried again'(stage) {
    const page = await stage.show(stage.scenes.retry);
    await page.getByText('attempt 3 of 6').waitFor();
    await page.getByTestId('retry-now').focus();
    await press(page, 'Enter');
    assert.deepEqual(await takeOps(page), [{ type: 'retry' }]);
    const other = await stage.show(stage.scenes.rejected);
    assert.equal(await other.getByTestId('error-action').innerText(), 'Set API Key');
    assert.equal(await other.getByTestId('error-where').innerText(), 'Model: gpt-5-codex · Server: Team Gateway');
    await other.getByTestId('error-retry').focus();
    await press(other, 'Enter');
    assert.deepEqual(await takeOps(other), [{ type: 'retry' }]);
    const unreached = await stage.show(stage.scenes.errors);
    await unreached.getByRole('button', { name: 'Set Up OpenAI…' }).focus();
    await takePosted(unreached);
    await press(unreached, 'Enter');
    assert.deepEqual(await takePosted(unreached), [{ type: 'set_up_provider', provider: 'openai' }]);
    return unreached;
  },
  async 'an earlier message is edited in its place, and the draft from before comes back'(stage) {
    const page = await stage.show(stage.scenes.done);
    const composer = page.getByTestId('composer-input');
    await composer.fill('half a thought');
    await page.getByTestId('user-message-edit').nth(1).focus();
    await press(page, 'Enter');
    await expectFocus(page, 'composer-input');
    assert.match(await page.getByTestId('edit-bar').innerText(), /removes 1 later turn/);
    await page.getByTestId('edit-restore-files').focus();
    await press(page, 'Space');
    await composer.fill('Retry at most three times.');
    await takePosted(page);
    await press(page, 'Enter', 'Enter');
    const resend = { type: 'resend', itemId: 'i6', restoresFiles: true };
    const mention = { type: 'mention', name: 'client.ts', path: 'src/http/client.ts' };
    const input = [{ type: 'text', text: 'Retry at most three times.' }, mention];
    const posted = async () => (await takePosted(page)).filter(({ type }) => type === 'resend' || type === 'op');
    assert.deepEqual(await posted(), [{ ...resend, input }], 'sent once');
    // The user has cancelled the preview: nothing is lost, and it can be sent again.
    await send(page, [{ type: 'resent', build: 'preview', itemId: 'i6', isSent: false }]);
    assert.equal(await composer.inputValue(), 'Retry at most three times.');
    await press(page, 'Enter');
    assert.deepEqual(await posted(), [{ ...resend, input }]);
    const returned = { type: 'insert_text', build: 'preview', text: 'was queued', isReturned: true };
    await send(page, [returned, { type: 'resent', build: 'preview', itemId: 'i6', isSent: true }]);
    assert.equal(await composer.inputValue(), 'half a thought\nwas queued');
    assert.equal(await page.getByTestId('edit-bar').count(), 0);
    await page.getByTestId('user-message-edit').first().focus();
    await press(page, 'Enter');
    await expectFocus(page, 'composer-input');
    await press(page, 'Escape');
    assert.equal(await composer.inputValue(), 'half a thought\nwas queued');
    return page;
  },
  async 'an answer is tried again with the model that the user selects, after it says what is lost'(stage) {
    const page = await stage.show(stage.scenes.done);
    await page.getByTestId('turn-try-again').nth(1).focus();
    await press(page, 'Enter');
    await expectFocus(page, 'try-again-same');
    assert.match(await page.getByTestId('try-again').innerText(), /1 later turn/);
    await press(page, 'Escape');
    await expectFocus(page, 'turn-try-again');
    await takePosted(page);
    await press(page, 'Enter');
    await expectFocus(page, 'try-again-same');
    await press(page, 'Tab', 'Enter');
    await expectFocus(page, 'model-search');
    const models = [{ id: 'gpt-5', label: 'gpt-5', detail: '' }];
    const listing = { type: 'listed' };
    const groups = [{ provider: 'openai', title: 'OpenAI', models, isCut: false, listing, takesNames: true }];
    const list = async () => {
      const { id } = (await takePosted(page)).findLast(({ type }) => type === 'list_models');
      await send(page, [{ type: 'models', build: 'preview', id, groups }]);
      await press(page, 'ArrowDown', 'Enter');
      return (await takePosted(page)).filter(({ type }) => type === 'choose' || type === 'resend');
    };
    const choose = { type: 'choose', what: { type: 'model', provider: 'openai', model: 'gpt-5' } };
    assert.deepEqual(await list(), [choose, { type: 'resend', itemId: 'i6', input: null, restoresFiles: false }]);
    // A menu that is closed without a choice sends nothing, also at the next choice.
    await send(page, [{ type: 'resent', build: 'preview', itemId: 'i6', isSent: false }]);
    await page.getByTestId('turn-try-again').first().focus();
    await press(page, 'Enter');
    await expectFocus(page, 'try-again-same');
    await press(page, 'Tab', 'Enter');
    await expectFocus(page, 'model-search');
    await press(page, 'Escape');
    await expectFocus(page, 'pick-model');
    await press(page, 'Enter');
    await expectFocus(page, 'model-search');
    assert.deepEqual(await list(), [choose]);
    return page;
  },
  async 'after a compaction an earlier message becomes a new one, and no answer before it is tried again'(stage) {
    const page = await stage.show(stage.scenes.compaction);
    await page.getByTestId('user-message-edit').first().focus();
    await press(page, 'Enter');
    await expectFocus(page, 'composer-input');
    assert.match(await page.getByTestId('attach-problem').innerText(), /it is a new one/);
    await takePosted(page);
    await press(page, 'Enter');
    assert.deepEqual(
      (await takeOps(page)).map(({ type }) => type),
      ['user_turn'],
    );
    await page.getByTestId('turn-try-again').first().focus();
    await press(page, 'Enter');
    await expectFocus(page, 'try-again-cancel');
    return page;
  },
  async 'a long message is folded; the search opens it'(stage) {
    const page = await stage.show(stage.scenes['long-message']);
    const text = page.locator('.you-text');
    const height = () => text.evaluate((element) => element.clientHeight);
    const folded = await height();
    await page.getByTestId('user-message-more').focus();
    await press(page, 'Enter');
    assert.ok((await height()) > 3 * folded);
    await press(page, 'Enter');
    assert.equal(await height(), folded);
    await press(page, 'Control+f');
    await page.keyboard.type('at step 39');
    await page.waitForFunction(() => document.querySelector('[data-testid=find-count]')?.textContent === '1 of 1');
    await press(page, 'Enter');
    assert.ok((await height()) > 3 * folded);
    return page;
  },
  async 'Ctrl+F searches the transcript over elements; Enter goes on, Shift+Enter back, Esc closes'(stage) {
    const page = await stage.show(stage.scenes.done);
    await page.getByTestId('composer-input').focus();
    await press(page, 'Control+f');
    await expectFocus(page, 'find-input');
    await page.keyboard.type('src/http/CLIENT.ts:14');
    const isCount = (text) =>
      page.waitForFunction((text) => document.querySelector('[data-testid=find-count]')?.textContent === text, text);
    await isCount('1 of 1');
    await page.getByTestId('find-input').fill('retr');
    await page.waitForFunction(() => (CSS.highlights.get('tiller-find')?.size ?? 0) > 3);
    const count = await page.evaluate(() => CSS.highlights.get('tiller-find')?.size ?? 0);
    await isCount(`1 of ${count}`);
    await press(page, 'Enter');
    await isCount(`2 of ${count}`);
    await press(page, 'Shift+Enter', 'Shift+Enter');
    await isCount(`${count} of ${count}`);
    await page.getByTestId('find-input').fill('no such words');
    await isCount('No results');
    await press(page, 'Escape');
    assert.equal(await page.getByTestId('find').count(), 0);
    assert.equal(await page.evaluate(() => CSS.highlights.size), 0);
    await expectFocus(page, 'transcript');
    return page;
  },
  async 'Find has results while an answer streams, and finds in it'(stage) {
    const scene = stage.scenes.sentence;
    const page = await stage.show(scene);
    const turn = stage.threadOf(scene).turns.at(-1);
    const update = {
      turnId: turn.id,
      msg: { type: 'item_delta', itemId: turn.items.at(-1).id, kind: 'text', text: ' frame' },
    };
    // Its own clock, so that no pause of a busy machine ends what the test needs: a change every 50 ms.
    await page.clock.install();
    await page.clock.pauseAt(Date.now() + 60_000);
    await press(page, 'Control+f');
    await page.keyboard.type('frame');
    const counts = [];
    for (let change = 0; change < 40; change++) {
      await page.evaluate(
        (update) =>
          new Promise((resolve) => {
            window.addEventListener('message', resolve, { once: true });
            window.postMessage({ type: 'events', build: 'preview', events: [update] }, '*');
          }),
        update,
      );
      await page.clock.runFor(50);
      counts.push(await page.evaluate(() => CSS.highlights.get('tiller-find')?.size ?? 0));
    }
    await page.close();
    assert.ok(counts[9] > 0, `nothing was found in half a second: ${counts.join(' ')}`);
    assert.ok(counts[39] > 30, `what came later was not found: ${counts.join(' ')}`);
  },
  async 'Find searches earlier turns as soon as they are shown, and stays at its place'(stage) {
    const page = await stage.show(stage.scenes.long);
    await press(page, 'Control+f');
    await page.keyboard.type('Answer');
    const isCount = (text) => page.getByTestId('find-count').getByText(text, { exact: true }).waitFor();
    await isCount('1 of 25');
    await page.getByTestId('load-earlier').focus();
    await press(page, 'Enter');
    await isCount('26 of 50');
    return page;
  },
  async 'A says what the rule would be; it can be made shorter, longer, wider, and Enter makes it'(stage) {
    const page = await stage.show(stage.scenes['approve-plain']);
    const approvalId = 'a-i7';
    /** Replies to the panel with the preview of the current rule. */
    const answer = async (rule) => {
      const wanted = JSON.stringify({ type: 'preview_rule', approvalId, rule });
      await page.waitForFunction((wanted) => globalThis.posted.some((said) => JSON.stringify(said) === wanted), wanted);
      await takePosted(page);
      const problem = rule.pattern.length > 1 ? null : 'That would allow anything.';
      const preview = { words: ['npm', 'test', '--', '--coverage'], problem, stillAsked: ['rm x'] };
      await send(page, [{ type: 'rule_preview', build: 'preview', approvalId, rule, preview }]);
    };
    await takePosted(page);
    await press(page, 'a');
    await expectFocus(page, 'rule-allow');
    await answer({ pattern: ['npm', 'test'], decision: 'allow' });
    await page.getByTestId('rule-shorter').click();
    await answer({ pattern: ['npm'], decision: 'allow' });
    await page.getByRole('alert').getByText('That would allow anything.').waitFor();
    assert.equal(await page.getByTestId('rule-allow').isDisabled(), true);
    await page.getByTestId('rule-word').nth(2).click();
    await answer({ pattern: ['npm', 'test', '--'], decision: 'allow' });
    await page.getByTestId('rule-scope').selectOption('thread');
    await page.getByTestId('rule-outside').check();
    const made = { pattern: ['npm', 'test', '--'], decision: 'allow', bypassSandbox: true };
    await answer(made);
    await page.getByTestId('rule-allow').focus();
    await press(page, 'Enter', 'Enter');
    const decision = { approved_rule: { rule: made, scope: 'thread' } };
    assert.deepEqual(await takeOps(page), [{ type: 'approval', approvalIds: [approvalId], decision }]);
    return page;
  },
  async 'L lists all that waits; Enter says yes to what is ticked, and what leaves the box is not'(stage) {
    const page = await stage.show(stage.scenes.approve);
    await press(page, 'l');
    await expectFocus(page, 'decision-approve-all');
    await press(page, 'Enter', 'Enter');
    assert.deepEqual(await takeOps(page), [{ type: 'approval', approvalIds: ['a-i7', 'a-i8'], decision: 'approved' }]);
    return page;
  },
  async 'a tick takes a request in, D denies all of them with one word, L goes back'(stage) {
    const page = await stage.show(stage.scenes.together);
    await page.getByTestId('approval-list-tick').first().focus();
    await press(page, 'Space', 'd');
    await expectFocus(page, 'decision-deny-word');
    await press(page, 'Escape');
    await expectFocus(page, 'decision-approve-all');
    await press(page, 'l');
    await expectFocus(page, 'decision-approve');
    await press(page, 'l');
    await page.getByTestId('approval-list-tick').first().focus();
    await press(page, 'Space', 'd');
    await page.keyboard.type('Later.');
    await press(page, 'Enter');
    const decision = { denied: { message: 'Later.' } };
    assert.deepEqual(await takeOps(page), [{ type: 'approval', approvalIds: ['a-i6', 'a-i7', 'a-i8'], decision }]);
    return page;
  },
  async 'with the setting for it Ctrl+Enter sends, and Enter begins a line'(stage) {
    const page = await stage.show(under(stage.scenes.done, { sendKey: 'ctrlEnter' }));
    await page.getByTestId('composer-input').focus();
    await page.keyboard.type('One');
    await press(page, 'Enter');
    await page.keyboard.type('Two');
    assert.equal(await page.getByTestId('composer-send').getAttribute('aria-label'), 'Send (Ctrl+Enter)');
    assert.deepEqual(await takeOps(page), []);
    await page.keyboard.press('Control+Enter');
    const [op] = await takeOps(page);
    assert.deepEqual([op?.type, op?.input], ['user_turn', [{ type: 'text', text: 'One\nTwo' }]]);
    return page;
  },
  async 'a patch that is being written opens as a diff, a diagram as a preview'(stage) {
    const page = await stage.show(stage.scenes.patches);
    await takePosted(page);
    // Another one is written, and is being applied.
    assert.equal(await page.getByText('Checking changes').count(), 1);
    await page.getByTestId('patch-growing-diff').focus();
    await press(page, 'Enter');
    assert.deepEqual((await takePosted(page)).at(-1), { type: 'open_diff', itemId: 'i2' });
    await stage.show(stage.scenes.answer);
    await takePosted(page);
    await page.getByTestId('code-preview').focus();
    await press(page, 'Enter');
    assert.deepEqual((await takePosted(page)).at(-1), { type: 'preview_diagram', text: 'graph TD; A-->B' });
    const diagram = page.getByTestId('code-block').filter({ has: page.getByTestId('code-preview') });
    await diagram.getByTestId('code-new-file').focus();
    await press(page, 'Enter');
    const file = { type: 'new_file', text: 'graph TD; A-->B', language: 'mermaid' };
    assert.deepEqual((await takePosted(page)).at(-1), file);
    return page;
  },
  async 'the meter shows its parts on focus, and Enter leads to its button'(stage) {
    const page = await stage.show(stage.scenes.done);
    await takePosted(page);
    await page.getByTestId('composer-input').focus();
    for (let left = 20; left > 0; left--) {
      await press(page, 'Tab');
      if (await page.getByTestId('context-meter-tip').isVisible()) break;
    }
    await expectFocus(page, 'context-meter');
    assert.equal(await page.getByTestId('context-part').count(), 6);
    await press(page, 'Escape');
    assert.equal(await page.getByTestId('context-meter-tip').count(), 0);
    assert.equal(await page.getByTestId('context-meter').getAttribute('aria-label'), 'Context: 46% used, cost 0.31');
    await press(page, 'Enter', 'Tab');
    await expectFocus(page, 'context-usage');
    await press(page, 'Tab');
    await expectFocus(page, 'context-compact');
    await press(page, 'Enter');
    assert.deepEqual(await takeOps(page), [{ type: 'compact' }]);
    assert.equal(await page.getByTestId('context-meter-popup').count(), 0);
    return page;
  },
  async 'a compaction is read and undone'(stage) {
    const page = await stage.show(stage.scenes.compaction);
    await takePosted(page);
    assert.equal(await page.getByTestId('compaction-undo').count(), 1);
    await page.getByTestId('compaction-undo').focus();
    await press(page, 'Enter');
    const [op] = await takeOps(page);
    assert.equal(op?.type, 'undo_compaction');
    return page;
  },
  async 'an answer in the own words of the user is typed, and Enter sends it'(stage) {
    const page = await stage.show(stage.scenes.question);
    await expectFocus(page, 'question-answer');
    const own = page.getByTestId('question-other-text');
    await own.focus();
    await press(page, 'Enter');
    assert.deepEqual(await takeOps(page), []);
    await own.fill('  Only on POST ');
    assert.equal(await page.getByTestId('question-other').isChecked(), true);
    await own.fill('');
    assert.equal(await page.getByTestId('question-answer').isDisabled(), true);
    await press(page, 'Enter');
    await own.fill('Only on POST');
    await press(page, 'Enter');
    const answers = { constructor: ['Only on POST'] };
    assert.deepEqual(await takeOps(page), [{ type: 'user_input_answer', questionId: 'question-1', answers }]);
    return page;
  },
  async 'arrows choose an option of each question'(stage) {
    const page = await stage.show(stage.scenes.questions);
    await expectFocus(page, 'question-answer');
    await page.getByRole('radio', { name: /^Doubling/ }).focus();
    await press(page, 'ArrowDown');
    await page.getByRole('radio', { name: /^Debug log/ }).focus();
    await press(page, 'ArrowDown', 'ArrowDown', 'ArrowDown');
    assert.equal(await page.getByTestId('question-answer').isDisabled(), true);
    await press(page, 'Tab');
    await page.keyboard.type('In a file');
    await press(page, 'Enter');
    const answers = { backoff: ['Always 1 s'], log: ['In a file'] };
    assert.deepEqual(await takeOps(page), [{ type: 'user_input_answer', questionId: 'question-3', answers }]);
    return page;
  },
  async 'Enter answers a question with the first choice'(stage) {
    const page = await stage.show(stage.scenes.question);
    await expectFocus(page, 'question-answer');
    await press(page, 'Enter', 'Enter');
    const answers = { constructor: ['Yes, like any failure'] };
    assert.deepEqual(await takeOps(page), [{ type: 'user_input_answer', questionId: 'question-1', answers }]);
    return page;
  },
  async 'Enter raises a cap, Esc stops the turn at it'(stage) {
    const answered = (label) => [{ type: 'user_input_answer', questionId: 'question-cap', answers: { cap: [label] } }];
    const page = await stage.show(stage.scenes.cap);
    await expectFocus(page, 'choice-first');
    await press(page, 'Enter', 'Enter');
    assert.deepEqual(await takeOps(page), answered('Continue'));
    const other = await stage.show(stage.scenes.cap);
    await press(other, 'Escape');
    assert.deepEqual(await takeOps(other), answered('Stop'));
    return other;
  },
  async 'Enter sends what stands in the form of a server, once; a button declines'(stage) {
    const page = await stage.show(stage.scenes.mcp);
    await expectFocus(page, 'elicitation-send');
    await page.getByLabel('Assign to').fill('me');
    await page.getByTestId('elicitation-send').focus();
    await press(page, 'Enter', 'Enter');
    const questionId = 'question-2';
    const content = { repository: 'acme/web', label: 'bug', assignee: 'me', link: true };
    const sent = { type: 'elicitation_answer', questionId, action: 'accept', content };
    assert.deepEqual(await takeOps(page), [sent]);
    await page.close();
    const other = await stage.show(stage.scenes.mcp);
    await other.getByTestId('elicitation-decline').focus();
    await press(other, 'Enter');
    assert.deepEqual(await takeOps(other), [{ type: 'elicitation_answer', questionId, action: 'decline' }]);
    return other;
  },
  async 'R reviews a patch'(stage) {
    const page = await stage.show(stage.scenes.patch);
    await takePosted(page);
    await press(page, 'r');
    assert.deepEqual(await takePosted(page), [{ type: 'open_diff', itemId: 'i6' }]);
    return page;
  },
  async 'Enter puts back what a crash left half landed, F finishes it, and neither while it is being done'(stage) {
    for (const [key, way] of Object.entries({ Enter: 'roll_back', f: 'finish' })) {
      const page = await stage.show(stage.scenes.interrupted);
      await expectFocus(page, 'interrupted-put-back');
      await takePosted(page);
      await press(page, key);
      assert.deepEqual(await takePosted(page), [{ type: 'settle_patch', patchId: 'p1', way }]);
      await page.close();
    }
    const page = await stage.show(stage.scenes['interrupted-settling']);
    await takePosted(page);
    await page.getByRole('list', { name: 'Files of the patch' }).focus();
    await press(page, 'f', 'Enter');
    assert.deepEqual(
      (await takePosted(page)).filter(({ type }) => type === 'settle_patch'),
      [],
    );
    return page;
  },
  async 'letters in the composer are letters'(stage) {
    const page = await stage.show(stage.scenes.approve);
    await page.getByTestId('composer-input').focus();
    await page.keyboard.type('add a date');
    assert.deepEqual(await takeOps(page), []);
    await press(page, 'Enter');
    assert.deepEqual(await takeOps(page), [{ type: 'steer', input: [{ type: 'text', text: 'add a date' }] }]);
    return page;
  },
  async 'Shift+Enter begins a line, Enter sends, Up brings it back'(stage) {
    const page = await stage.show(stage.scenes.done);
    await page.getByTestId('composer-input').focus();
    await page.keyboard.type('one');
    await press(page, 'Shift+Enter');
    await page.keyboard.type('two');
    await press(page, 'Enter');
    assert.deepEqual(await takeOps(page), [{ type: 'user_turn', input: [{ type: 'text', text: 'one\ntwo' }] }]);
    await press(page, 'ArrowUp');
    const recalled = () => page.getByTestId('composer-input').inputValue();
    assert.equal(await recalled(), 'Right, uploads should not retry at all.');
    await send(page, [{ type: 'history', build: 'preview', texts: ['said in another thread'] }]);
    const own = new Set([await recalled()]);
    for (let steps = 0; steps < 10; steps++) {
      await press(page, 'ArrowUp');
      own.add(await recalled());
    }
    assert.equal([...own].at(-1), 'said in another thread');
    await press(page, ...Array.from({ length: 12 }, () => 'ArrowDown'));
    assert.equal(await recalled(), '');
    return page;
  },
  async 'Ctrl+R looks for what was said: letters, back and forth, Enter takes it, Esc leaves the draft'(stage) {
    const page = await stage.show(stage.scenes.done);
    const texts = ['run the tests', 'fix the date\n\nand the time', 'Fix the build', 'explain'];
    await send(page, [{ type: 'history', build: 'preview', texts }]);
    const composer = page.getByTestId('composer-input');
    const active = () => page.locator('[data-testid=history-row][aria-selected=true]').innerText();
    await composer.focus();
    await page.keyboard.type('half a thou');
    await press(page, 'Control+r');
    await expectFocus(page, 'history-search');
    await page.keyboard.type('fix');
    assert.equal(await page.getByTestId('history-row').count(), 2);
    assert.equal(await active(), 'fix the date and the time');
    await press(page, 'Control+r', 'Control+r');
    assert.equal(await active(), 'Fix the build');
    await press(page, 'ArrowDown');
    assert.equal(await active(), 'fix the date and the time');
    await press(page, 'Escape');
    await expectFocus(page, 'composer-input');
    assert.equal(await composer.inputValue(), 'half a thou');
    assert.equal(await focusAfterKey(page, { key: 'r', ctrlKey: true }), 'history-search');
    await page.keyboard.type('nobody said that');
    await press(page, 'Enter');
    await expectFocus(page, 'history-search');
    await page.getByTestId('history-search').fill('the DATE');
    await press(page, 'Enter');
    await expectFocus(page, 'composer-input');
    assert.equal(await composer.inputValue(), texts[1]);
    assert.equal(await page.getByTestId('history').count(), 0);
    return page;
  },
  async 'Esc stops what runs'(stage) {
    const page = await stage.show(stage.scenes.stream);
    await page.getByTestId('composer-input').focus();
    await press(page, 'Escape');
    assert.deepEqual(await takeOps(page), [{ type: 'interrupt' }]);
    return page;
  },
  async 'pop-ups open, close and give the focus back'(stage) {
    const page = await stage.show(stage.scenes.done);
    await page.getByTestId('context-meter').focus();
    await press(page, 'Enter');
    await page.getByTestId('context-meter-popup').waitFor();
    await press(page, 'Escape');
    await expectFocus(page, 'context-meter');
    await page.getByTestId('more-actions').focus();
    await press(page, 'Enter');
    await expectFocus(page, 'more-actions-find');
    await press(page, 'End', 'ArrowUp', 'ArrowUp', 'ArrowUp', 'Enter');
    assert.deepEqual((await takePosted(page)).at(-1), { type: 'run_command', command: 'tiller.openSettings' });
    return page;
  },
  async 'Alt+Up and Alt+Down go from message to message, and back to the composer'(stage) {
    const page = await stage.show(stage.scenes.done);
    const focused = () => page.evaluate(() => document.activeElement?.querySelector('.you-text')?.textContent ?? null);
    await page.getByTestId('composer-input').focus();
    await press(page, 'Alt+ArrowUp');
    assert.match(await focused(), /^Right, uploads/);
    await press(page, 'Alt+ArrowUp');
    assert.match(await focused(), /^The fetch client retries/);
    await press(page, 'Tab', 'Tab', 'Alt+ArrowUp');
    assert.match(await focused(), /^Where do we retry/);
    const box = await page.getByTestId('user-message').first().boundingBox();
    assert.ok(box !== null && box.y >= 0 && box.y < 200);
    const header = await page.getByTestId('thread-title').boundingBox();
    assert.ok(header !== null && header.y >= 0);
    await press(page, 'Alt+ArrowUp', 'Alt+ArrowDown');
    assert.match(await focused(), /^The fetch client retries/);
    await press(page, 'Alt+ArrowDown', 'Alt+ArrowDown');
    await expectFocus(page, 'composer-input');
    // With text in the field the keys are those of the field.
    await page.keyboard.type('x');
    await press(page, 'Alt+ArrowUp');
    await expectFocus(page, 'composer-input');
    return page;
  },
  async 'the list of threads: arrows, F2, Enter, Esc, and a search'(stage) {
    const page = await stage.show({ ...stage.scenes.threads, clicks: [] });
    const active = () => page.locator('[data-testid=thread-row][data-active=true] .th-title').innerText();
    await page.getByTestId('thread-title').focus();
    await press(page, 'Enter');
    await expectFocus(page, 'threads-search');
    assert.equal(await active(), 'Cap retries in the fetch client');
    await press(page, 'PageUp');
    assert.equal(await active(), 'Rename Session to Thread');
    await press(page, 'ArrowDown');
    assert.equal(await active(), 'Upgrade to TypeScript 7');
    await press(page, 'ArrowDown', 'ArrowDown');
    assert.equal(await active(), 'Cap retries in the fetch client');
    await takePosted(page);
    const pinned = () => page.getByRole('group', { name: 'Pinned' }).locator('.th-title').allInnerTexts();
    await press(page, 'Control+D');
    assert.deepEqual(await takePosted(page), [{ type: 'pin_thread', threadId: 'thread-1', isPinned: true }]);
    assert.deepEqual(await pinned(), ['Cap retries in the fetch client', 'Rename Session to Thread']);
    assert.equal(await active(), 'Cap retries in the fetch client');
    await press(page, 'Control+D');
    assert.deepEqual(await takePosted(page), [{ type: 'pin_thread', threadId: 'thread-1', isPinned: false }]);
    assert.deepEqual(await pinned(), ['Rename Session to Thread']);
    await press(page, 'F2');
    await expectFocus(page, 'thread-rename');
    await page.keyboard.type('Retries');
    await press(page, 'Escape');
    await expectFocus(page, 'threads-search');
    assert.deepEqual(await takePosted(page), []);
    await press(page, 'F2');
    await page.keyboard.type('Retries');
    await press(page, 'Enter');
    assert.deepEqual(await takePosted(page), [{ type: 'rename_thread', threadId: 'thread-1', title: 'Retries' }]);
    assert.equal(await active(), 'Retries');
    await expectFocus(page, 'threads-search');
    await press(page, 'Delete');
    assert.deepEqual(await takePosted(page), [{ type: 'delete_thread', threadId: 'thread-1' }]);
    assert.equal(await active(), 'Why is the login page slow?');
    await page.keyboard.type('build');
    await page.waitForFunction(() => globalThis.posted.length > 0);
    assert.deepEqual(await takePosted(page), [{ type: 'list_threads', scope: 'workspace', query: 'build' }]);
    // In the text the key deletes a character, at its end the thread.
    await press(page, 'Home', 'Delete');
    await page.waitForFunction(() => globalThis.posted.length > 0);
    assert.deepEqual(await takePosted(page), [{ type: 'list_threads', scope: 'workspace', query: 'uild' }]);
    await press(page, 'End', 'Delete');
    assert.deepEqual(await takePosted(page), [{ type: 'delete_thread', threadId: 'u' }]);
    assert.equal(await active(), 'Add a Gradle build');
    await press(page, 'Enter');
    assert.deepEqual(await takePosted(page), [{ type: 'open_thread', threadId: 'f' }, { type: 'close_threads' }]);
    await expectFocus(page, 'composer-input');
    return page;
  },
  async 'a thousand threads: the last one by keys'(stage) {
    const page = await stage.show(stage.scenes['threads-many']);
    assert.ok((await page.getByTestId('thread-row').count()) < 200);
    await press(page, ...Array.from({ length: 100 }, () => 'PageDown'));
    const last = page.locator('[data-testid=thread-row][data-active=true]');
    assert.match(await last.innerText(), /Thread number 999/);
    assert.ok(await last.isVisible());
    return page;
  },
  async 'a queued message is held while it is edited, and what was being written comes back'(stage) {
    const page = await stage.show(stage.scenes.stream);
    await page.getByTestId('composer-input').focus();
    await page.keyboard.type('half a thought');
    await page.getByTestId('queued-edit').click();
    await expectFocus(page, 'composer-input');
    await page.keyboard.press('Control+A');
    await page.keyboard.type('Leave the README alone');
    await press(page, 'Enter');
    const input = [{ type: 'text', text: 'Leave the README alone' }];
    assert.deepEqual(await takeOps(page), [
      { type: 'hold_queued', id: 'q1', held: true },
      { type: 'edit_queued', id: 'q1', input },
    ]);
    assert.equal(await page.getByTestId('composer-input').inputValue(), 'half a thought');
    return page;
  },
  async 'Esc cancels the edit of a queued message and leaves the turn alone; a click does, too'(stage) {
    const page = await stage.show(stage.scenes.stream);
    const composer = page.getByTestId('composer-input');
    await composer.focus();
    await page.keyboard.type('half a thought');
    for (const cancel of [() => press(page, 'Escape'), () => page.getByTestId('queued-cancel-edit').click()]) {
      await page.getByTestId('queued-edit').click();
      await composer.fill('something else');
      await cancel();
      assert.equal(await composer.inputValue(), 'half a thought');
      assert.deepEqual(await takeOps(page), [
        { type: 'hold_queued', id: 'q1', held: true },
        { type: 'hold_queued', id: 'q1', held: false },
      ]);
    }
    return page;
  },
  async 'an edit is not lost with the page, nor when its message is not queued any more'(stage) {
    const { messages } = stage.scenes.stream;
    const page = await stage.show(stage.scenes.stream);
    const composer = page.getByTestId('composer-input');
    await composer.focus();
    await page.keyboard.type('half a thought');
    await page.getByTestId('queued-edit').click();
    await composer.fill('Leave the READ');
    const original = 'Also mention the limit in the README';
    const edit = { type: 'queued', id: 'q1', original, draft: 'half a thought', attachments: [] };
    await page.waitForFunction(() => globalThis.posted.some(({ text }) => text === 'Leave the READ'));
    const draft = (await takePosted(page)).findLast(({ type }) => type === 'draft');
    assert.deepEqual(draft, {
      type: 'draft',
      count: draft?.count,
      threadId: 'thread-1',
      text: 'Leave the READ',
      edit,
      attachments: [],
      images: null,
    });
    await page.reload();
    await send(page, [{ ...messages[0], edit }, ...messages.slice(1)]);
    assert.equal(await composer.inputValue(), 'Leave the READ');
    await page.getByTestId('queued-cancel-edit').waitFor();
    const seq = 1_000;
    const msg = { type: 'input_dequeued', id: 'q1', reason: 'dropped' };
    const event = {
      v: 1,
      seq,
      at: new Date().toISOString(),
      threadId: 'thread-1',
      turnId: null,
      submissionId: null,
      msg,
    };
    await send(page, [{ type: 'events', build: 'preview', events: [event] }]);
    assert.equal(await composer.inputValue(), 'half a thought\nLeave the READ');
    assert.equal(await page.getByTestId('queue').count(), 0);
    return page;
  },
  async 'Ctrl+Enter stops and sends; so does a queued message'(stage) {
    const page = await stage.show(stage.scenes.stream);
    await page.getByTestId('composer-input').focus();
    await page.keyboard.type('No, wait');
    await press(page, 'Control+Enter');
    const turn = (text) => ({ type: 'user_turn', input: [{ type: 'text', text }] });
    assert.deepEqual(await takeOps(page), [{ type: 'interrupt' }, turn('No, wait')]);
    await page.getByTestId('queued-send-now').click();
    assert.deepEqual(await takeOps(page), [
      { type: 'edit_queued', id: 'q1', input: null },
      { type: 'interrupt' },
      turn('Also mention the limit in the README'),
    ]);
    return page;
  },
  async 'a button that is removed leaves the focus to the composer, unless the user has moved away'(stage) {
    const restored = async (page) => {
      const [{ settings }] = stage.scenes.errors.messages;
      await send(page, [{ type: 'settings', build: 'preview', settings: { ...settings, quarantined: [] } }]);
      await page.getByTestId('put-back').waitFor({ state: 'detached' });
    };
    const page = await stage.show(stage.scenes.errors);
    await page.getByTestId('put-back').focus();
    await restored(page);
    await expectFocus(page, 'composer-input');
    const other = await stage.show(stage.scenes.errors);
    await other.getByTestId('put-back').focus();
    // Text is selected in the transcript.
    await other.getByText('Could not connect to the server').click({ clickCount: 3 });
    await restored(other);
    await other.waitForTimeout(200);
    assert.match(await other.evaluate(() => String(getSelection())), /Could not connect to the server/);
    return other;
  },
  async 'Tab reaches every control and comes round'(stage) {
    const page = await stage.show(stage.scenes.approve);
    const wanted = await page.evaluate(
      () =>
        [...document.querySelectorAll('button:not([disabled]), textarea, summary, a[href]')].filter((element) =>
          element.checkVisibility({ visibilityProperty: true }),
        ).length,
    );
    const reached = new Set();
    for (let count = 0; count < wanted + 20; count++) {
      await press(page, 'Tab');
      reached.add(
        await page.evaluate(() => {
          const { activeElement: element } = document;
          return element?.matches('button, textarea, summary, a')
            ? [...document.querySelectorAll('*')].indexOf(element)
            : -1;
        }),
      );
    }
    reached.delete(-1);
    assert.ok(reached.size >= wanted, `Tab reached ${reached.size} of ${wanted}`);
    return page;
  },
  async 'a reload loses neither the draft nor what waits'(stage) {
    const page = await stage.show(stage.scenes.approve);
    await page.getByTestId('composer-input').focus();
    await page.keyboard.type('half a thou');
    await page.reload();
    await send(page, stage.scenes.approve.messages);
    assert.equal(await page.getByTestId('composer-input').inputValue(), 'half a thou');
    await page.getByTestId('decision-approve').waitFor();
    return page;
  },
  async 'the host has the empty draft before the message, so that the text stays in no other page'(stage) {
    const draftBefore = async (page, opType) => {
      const posted = await takePosted(page);
      const sent = posted.findIndex(({ type, op }) => type === 'op' && op.type === opType);
      const draft = posted.slice(0, sent).findLast(({ type }) => type === 'draft');
      return [draft?.text, draft?.edit];
    };
    for (const [scene, key] of [
      [stage.scenes.done, 'Enter'],
      [stage.scenes.stream, 'Control+Enter'],
    ]) {
      const page = await stage.show(scene);
      await page.getByTestId('composer-input').focus();
      await page.keyboard.type('Say more.');
      await press(page, key);
      assert.deepEqual(await draftBefore(page, 'user_turn'), ['', null]);
    }
    const page = await stage.show(stage.scenes.stream);
    await page.getByTestId('composer-input').focus();
    await page.keyboard.type('half a thought');
    await page.getByTestId('queued-edit').click();
    await page.getByTestId('composer-input').fill('Leave the README');
    await press(page, 'Enter');
    assert.deepEqual(await draftBefore(page, 'edit_queued'), ['half a thought', null]);
    return page;
  },
  async 'a draft of the other page, or a snapshot, does not replace newer keys, and replaces older ones'(stage) {
    const [snapshot] = stage.scenes.done.messages;
    const page = await stage.show(stage.scenes.done);
    const composer = page.getByTestId('composer-input');
    await composer.focus();
    await page.keyboard.type('newer');
    await page.waitForFunction(() => globalThis.posted.some(({ text }) => text === 'newer'));
    const { count } = (await takePosted(page)).findLast(({ type }) => type === 'draft');
    const parts = { draft: 'other', attachments: [], edit: null };
    const draft = { type: 'draft', build: 'preview', ...parts };
    await send(page, [{ ...draft, draftCount: count - 1 }]);
    assert.equal(await composer.inputValue(), 'newer');
    await send(page, [{ ...snapshot, ...parts, isDraftOfOther: true, draftCount: count - 1 }]);
    assert.equal(await composer.inputValue(), 'newer');
    await send(page, [{ ...draft, draftCount: count }]);
    assert.equal(await composer.inputValue(), 'other');
    await composer.fill('');
    await send(page, [{ ...snapshot, ...parts, draftCount: count }]);
    assert.equal(await composer.inputValue(), '', 'an emptied draft is newer, too');
    return page;
  },
  async 'reasoning that a server sends without a summary is shown as it is'(stage) {
    const [snapshot, events] = stage.scenes.thinking.messages;
    const raw = (event) =>
      event.msg.type === 'item_delta'
        ? { ...event, msg: { ...event.msg, kind: 'raw', text: 'No bound here.' } }
        : event;
    const settings = { ...snapshot.settings, showRawReasoning: null };
    const messages = [
      { ...snapshot, settings },
      { ...events, events: events.events.map(raw) },
    ];
    const page = await stage.show({ messages });
    const step = page.getByTestId('reasoning').locator('summary');
    assert.match(await step.innerText(), /^Thinking/);
    await step.focus();
    await press(page, 'Enter');
    await page.getByText('No bound here.').waitFor({ timeout: 5_000 });
    return page;
  },
  async 'earlier turns come on demand'(stage) {
    const page = await stage.show(stage.scenes.long);
    const turnsAre = (count) =>
      page.waitForFunction((count) => document.querySelectorAll('[data-testid=turn]').length === count, count);
    await turnsAre(25);
    await page.getByTestId('load-earlier').focus();
    await press(page, 'Enter');
    await turnsAre(50);
    return page;
  },
};

/** Runs the stories whose title contains `wanted`, and returns what failed. */
export async function driveByKeyboard(stage, stories = STORIES, wanted = '') {
  const findings = [];
  for (const [title, story] of Object.entries(stories)) {
    if (!title.includes(wanted)) continue;
    try {
      await story(stage);
      console.log(`keyboard: ${title}`);
    } catch (error) {
      findings.push(`keyboard: ${title}: ${error.message}`);
    }
  }
  return findings;
}
