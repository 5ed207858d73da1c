// Mentions in the composer by keyboard alone: each story presses keys and checks the result.
import assert from 'node:assert/strict';
import { answerMentions, send, takePosted } from './stage.mjs';

const composer = (page) => page.getByTestId('composer-input');
const textOf = (page) => composer(page).inputValue();
const rows = (page) => page.getByRole('listbox', { name: 'Context' }).getByRole('option');

/** The name of the row that a screen reader says: the active descendant of the field. */
async function activeRow(page) {
  const id = await composer(page).getAttribute('aria-activedescendant');
  return id === null ? null : page.locator(`#${id}`).innerText();
}

/** Pastes a picture of this size; of no size, a file that only has its name. */
function pasteImage(page, width, height) {
  return composer(page).evaluate(
    async (field, { width, height }) => {
      let blob = new Blob(['no image'], { type: 'image/png' });
      if (width > 0) {
        const canvas = new OffscreenCanvas(width, height);
        canvas.getContext('2d').fillRect(0, 0, width / 2, height);
        blob = await canvas.convertToBlob({ type: 'image/png' });
      }
      const clipboardData = new DataTransfer();
      clipboardData.items.add(new File([blob], 'shot.png', { type: 'image/png' }));
      field.dispatchEvent(new ClipboardEvent('paste', { clipboardData, bubbles: true, cancelable: true }));
    },
    { width, height },
  );
}

/** Drops an image file that can be read and one that cannot, a text file and one that is no text. */
function dropMixed(page) {
  return composer(page).evaluate(async (field) => {
    const canvas = new OffscreenCanvas(8, 8);
    canvas.getContext('2d').fillRect(0, 0, 4, 8);
    const picture = await canvas.convertToBlob({ type: 'image/png' });
    const dataTransfer = new DataTransfer();
    const add = (content, name, type) => dataTransfer.items.add(new File([content], name, { type }));
    add('no image', 'bad.png', 'image/png');
    add(picture, 'good.png', 'image/png');
    add('a\0b', 'bad.bin', 'application/octet-stream');
    add('text', 'good.txt', 'text/plain');
    field.dispatchEvent(new DragEvent('drop', { dataTransfer, bubbles: true, cancelable: true }));
  });
}

/** Drops data and a text file on the composer. */
function drop(page, data, name, text) {
  return composer(page).evaluate(
    (field, { data, name, text }) => {
      const dataTransfer = new DataTransfer();
      for (const [type, value] of Object.entries(data)) dataTransfer.setData(type, value);
      if (name !== undefined) dataTransfer.items.add(new File([text], name, { type: 'text/plain' }));
      field.dispatchEvent(new DragEvent('drop', { dataTransfer, bubbles: true, cancelable: true }));
    },
    { data, name, text },
  );
}

/** Attaches this many dropped texts as the host does: until then the draft has none of them. */
async function attachCopies(page, count) {
  await page.waitForFunction(
    (wanted) => globalThis.posted.filter(({ type }) => type === 'attach_copy').length === wanted,
    count,
  );
  const posted = await takePosted(page);
  assert.doesNotMatch(JSON.stringify(posted.filter(({ type }) => type === 'draft')), /"text":"(one two|three|four)"/);
  const attachments = posted
    .filter(({ type }) => type === 'attach_copy')
    .map(({ name, id, text }) => ({
      part: { type: 'mention', kind: 'file', name, path: '', id, text },
      inText: false,
    }));
  await send(page, [{ type: 'insert_text', build: 'preview', text: '', attachments }]);
}

/** Drops text files of one name, and attaches them. */
async function dropCopies(page, name, ...texts) {
  for (const text of texts) await drop(page, {}, name, text);
  await attachCopies(page, texts.length);
}

async function begin(stage, text) {
  const page = await stage.show(stage.scenes.done);
  await takePosted(page);
  await composer(page).focus();
  await page.keyboard.type(text);
  return page;
}

/** The input of the message that was sent last. */
async function sentInput(page) {
  const ops = (await takePosted(page)).filter(({ type }) => type === 'op').map(({ op }) => op);
  return ops.at(-1)?.input;
}

const listed = (stage) => stage.scenes['mention-list'].rows;
const found = (stage) => stage.scenes['mention-found'].rows;

export const MENTION_STORIES = {
  async 'a word with @ opens a list, arrows select, Enter takes, and the message carries it'(stage) {
    const page = await begin(stage, 'Look at @');
    await answerMentions(page, listed(stage));
    assert.equal(await rows(page).count(), listed(stage).length);
    assert.match(await activeRow(page), /^client\.ts/);
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('ArrowDown');
    assert.match(await activeRow(page), /^Problems/);
    await page.keyboard.press('Enter');
    assert.equal(await textOf(page), 'Look at @problems ');
    assert.equal(await rows(page).count(), 0);
    await page.keyboard.type('now');
    await page.keyboard.press('Enter');
    assert.deepEqual(await sentInput(page), [
      { type: 'text', text: 'Look at @problems now' },
      { type: 'mention', kind: 'problems', name: 'problems', path: '' },
    ]);
    return page;
  },
  async 'each key asks for its word; Tab takes; a name that is removed again is not sent'(stage) {
    const page = await begin(stage, 'Look at @re');
    const queries = (await takePosted(page)).filter(({ type }) => type === 'find_mentions').map(({ query }) => query);
    assert.deepEqual(queries, ['', 'r', 're']);
    await page.keyboard.type('t');
    await answerMentions(page, found(stage));
    await page.keyboard.press('Tab');
    assert.equal(await textOf(page), 'Look at @src/http/retry.ts ');
    assert.equal(await page.locator('.grow-mirror mark').innerText(), '@src/http/retry.ts');
    for (let left = 4; left > 0; left--) await page.keyboard.press('Backspace');
    assert.equal(await page.locator('.grow-mirror mark').count(), 0);
    await page.keyboard.press('Escape');
    await page.keyboard.press('Enter');
    assert.deepEqual(await sentInput(page), [{ type: 'text', text: 'Look at @src/http/retry' }]);
    return page;
  },
  async 'the list is open again when the focus comes back, but not after Esc'(stage) {
    const page = await begin(stage, 'Look at @re');
    await answerMentions(page, found(stage));
    await page.evaluate(() => document.activeElement.blur());
    assert.equal(await rows(page).count(), 0);
    await composer(page).focus();
    await answerMentions(page, found(stage));
    assert.equal(await rows(page).count(), found(stage).length);
    await page.keyboard.press('Escape');
    await page.evaluate(() => document.activeElement.blur());
    await takePosted(page);
    await composer(page).focus();
    const posted = await takePosted(page);
    assert.deepEqual(
      posted.filter(({ type }) => type === 'find_mentions'),
      [],
    );
    return page;
  },
  async 'undo in the field brings back what a row replaced'(stage) {
    const page = await begin(stage, 'Look at @ret');
    await answerMentions(page, found(stage));
    await page.keyboard.press('Enter');
    assert.equal(await textOf(page), 'Look at @src/http/retry.ts ');
    await page.keyboard.press('Control+z');
    assert.equal(await textOf(page), 'Look at @ret');
    await page.keyboard.press('Control+Shift+z');
    assert.equal(await textOf(page), 'Look at @src/http/retry.ts ');
    // Taken already: its word does not open the list again.
    assert.equal(await rows(page).count(), 0);
    await page.keyboard.press('Enter');
    assert.equal((await sentInput(page))?.length, 2);
    return page;
  },
  async 'Esc closes the list for this word, and Enter then sends it as text'(stage) {
    const page = await begin(stage, '@someone');
    await answerMentions(page, found(stage));
    await page.keyboard.press('Escape');
    assert.equal(await page.getByTestId('suggestions').count(), 0);
    await page.keyboard.type('s');
    assert.equal(await page.getByTestId('suggestions').count(), 0);
    await page.keyboard.press('Enter');
    assert.deepEqual(await sentInput(page), [{ type: 'text', text: '@someones' }]);
    // The next message has its list again, also where its @ is at the same place.
    await page.keyboard.type('@');
    await answerMentions(page, listed(stage));
    assert.ok((await rows(page).count()) > 0);
    return page;
  },
  async 'a row that may not be read is not taken, and says why'(stage) {
    const page = await begin(stage, '@.e');
    await answerMentions(
      page,
      listed(stage).filter(({ refused }) => refused !== undefined),
    );
    assert.match(await activeRow(page), /may not be read/);
    await page.keyboard.press('Enter');
    assert.equal(await textOf(page), '@.e');
    assert.equal(await rows(page).first().getAttribute('aria-disabled'), 'true');
    return page;
  },
  async 'a name that was written in full is attached'(stage) {
    const page = await begin(stage, '@README.md');
    await answerMentions(page, listed(stage));
    await page.keyboard.type(' please');
    await page.keyboard.press('Enter');
    assert.equal((await sentInput(page))?.[1]?.name, 'README.md');
    return page;
  },
  async 'rows of an earlier query are narrowed down until the next ones arrive'(stage) {
    const page = await begin(stage, '@ret');
    await answerMentions(page, found(stage));
    await page.keyboard.type('ryP');
    assert.match(await activeRow(page), /^RetryPolicy/);
    await page.keyboard.press('Enter');
    assert.equal(await textOf(page), '@RetryPolicy ');
    return page;
  },
  async 'a composition of an input method asks nothing and takes nothing until it ends'(stage) {
    const page = await begin(stage, '@');
    await answerMentions(page, listed(stage));
    await takePosted(page);
    const session = await page.context().newCDPSession(page);
    await session.send('Input.imeSetComposition', { text: 'に', selectionStart: 1, selectionEnd: 1 });
    await composer(page).dispatchEvent('keydown', { key: 'Enter', isComposing: true });
    assert.equal(await textOf(page), '@に');
    assert.deepEqual(await takePosted(page), []);
    await session.send('Input.insertText', { text: '日本' });
    await page.waitForFunction(() => globalThis.posted.some(({ query }) => query === '日本'));
    assert.equal(await textOf(page), '@日本');
    return page;
  },
  async 'an edited message brings its mentions back, as they were written'(stage) {
    const page = await stage.show(stage.scenes['mentions-sent']);
    await takePosted(page);
    await page.getByTestId('user-message-edit').focus();
    await page.keyboard.press('Enter');
    await composer(page).focus();
    await page.keyboard.press('Enter');
    const { input } = (await takePosted(page)).find(({ type }) => type === 'resend');
    const parts = input.filter(({ type }) => type === 'mention');
    assert.equal(parts.length, 4);
    assert.ok(parts.every((part) => !('text' in part) && !('sent' in part)));
    return page;
  },
  async 'what was sent of a mention is read by keyboard'(stage) {
    const page = await stage.show(stage.scenes['mentions-sent']);
    await page.getByTestId('sent-mention').nth(2).focus();
    await page.keyboard.press('Enter');
    await page.getByRole('group', { name: 'What was sent of .env' }).getByText('may not be read').waitFor();
    await takePosted(page);
    await page.getByTestId('sent-mention').nth(3).focus();
    await page.keyboard.press('Enter');
    await page.getByRole('group', { name: 'What was sent of src/http/' }).getByText('retry.ts').waitFor();
    await page.getByTestId('sent-open').first().focus();
    await page.keyboard.press('Enter');
    const path = '/home/mira/acme-web/src/http/client.ts';
    assert.deepEqual(await takePosted(page), [{ type: 'open_file', path, line: 14 }]);
    return page;
  },
  async 'a / at the start lists commands; Enter runs one, and the composer is empty again'(stage) {
    const page = await begin(stage, '/');
    const commands = page.getByRole('listbox', { name: 'Commands' }).getByRole('option');
    assert.ok((await commands.count()) > 15);
    assert.match(await activeRow(page), /^\/new/);
    await page.keyboard.type('comp');
    assert.match(await activeRow(page), /^\/compact/);
    await takePosted(page);
    await page.keyboard.press('Enter');
    assert.deepEqual(
      (await takePosted(page)).filter(({ type }) => type !== 'draft'),
      [{ type: 'op', op: { type: 'compact' } }],
    );
    assert.equal(await textOf(page), '');
    await page.keyboard.press('Control+z');
    assert.equal(await textOf(page), '/comp');
    await page.keyboard.press('Control+a');
    await page.keyboard.type('/clear');
    assert.match(await activeRow(page), /^\/new/);
    await page.keyboard.press('Enter');
    assert.deepEqual((await takePosted(page)).find(({ type }) => type === 'run_command')?.command, 'tiller.newThread');
    await page.keyboard.type('/init');
    await page.keyboard.press('Enter');
    const sent = (await takePosted(page)).filter(({ type }) => type === 'op');
    assert.deepEqual(
      sent.map(({ op }) => [op.type, op.input[0].text.slice(0, 15)]),
      [['user_turn', 'Write AGENTS.md']],
    );
    return page;
  },
  async 'prompts of MCP servers stand behind the commands; Enter asks the host for one'(stage) {
    const page = await begin(stage, '');
    const rows = [
      { server: 'notes', name: 'daily summary', help: 'Sums up a day.\nAnd more.' },
      { server: 'my-2nd', name: 'x', help: '' },
    ];
    await send(page, [{ type: 'prompts', build: 'preview', rows }]);
    await page.keyboard.type('/notes:');
    assert.match(await activeRow(page), /^\/notes:daily-summary\s*Sums up a day\.…?$/);
    await page.keyboard.type('daily-s');
    assert.match(await activeRow(page), /^\/notes:daily-summary/);
    await takePosted(page);
    await page.keyboard.press('Enter');
    assert.deepEqual(
      (await takePosted(page)).filter(({ type }) => type !== 'draft'),
      [{ type: 'use_prompt', server: 'notes', name: 'daily summary' }],
    );
    assert.equal(await textOf(page), '');
    return page;
  },
  async 'skills and prompts of files stand behind the commands; Enter writes the name, and the next one sends it'(
    stage,
  ) {
    const page = await begin(stage, '');
    await takePosted(page);
    await page.keyboard.insertText('/depl');
    assert.equal(await activeRow(page), null);
    const asked = (await takePosted(page)).filter(({ type }) => type === 'list_skills');
    assert.equal(asked.length, 1);
    const skill = { kind: 'skill', help: 'Deploys.', hint: '[where]', isProposed: false };
    const rows = [
      { ...skill, name: 'depl\u00f6y' },
      { ...skill, name: 'model', kind: 'prompt', hint: '' },
      { ...skill, name: 'depl\u00f6y', kind: 'prompt', help: 'x'.repeat(300), hint: 'a\nb' },
      { ...skill, name: 'dedup', isProposed: true },
    ];
    await send(page, [{ type: 'skills', build: 'preview', rows }]);
    await page.getByTestId('suggestion-row').first().waitFor();
    assert.match(await activeRow(page), /^\/depl\u00f6y\s*\[where\] · Deploys\.$/);
    await page.keyboard.press('Enter');
    assert.equal(await textOf(page), '/depl\u00f6y ');
    await page.keyboard.type('to x');
    await takePosted(page);
    await page.keyboard.press('Enter');
    assert.deepEqual(await sentInput(page), [{ type: 'text', text: '/deplöy to x' }]);
    await page.keyboard.type('/prompt:');
    assert.match(await activeRow(page), /^\/prompt:model\s*Deploys\.$/);
    await page.keyboard.press('Control+a');
    await page.keyboard.insertText('/prompt:depl\u00f6');
    assert.match(await activeRow(page), /^\/prompt:depl\u00f6y\s*a$/);
    await page.keyboard.press('Control+a');
    await page.keyboard.type('/dedup');
    assert.match(await activeRow(page), /^\/dedup\s*Not used until you approve it$/);
    // The user approves it while the list is open.
    const approved = rows.map((row) => (row.isProposed ? { ...row, isProposed: false } : row));
    await send(page, [{ type: 'skills', build: 'preview', rows: approved }]);
    await page.getByTestId('suggestion-row').filter({ hasText: '[where] · Deploys.' }).waitFor();
    assert.match(await activeRow(page), /^\/dedup\s*\[where\] · Deploys\.$/);
    await send(page, [{ type: 'skills', build: 'preview', rows }]);
    await page.getByTestId('suggestion-row').filter({ hasText: 'Not used' }).waitFor();
    await takePosted(page);
    await page.keyboard.press('Enter');
    const ran = (await takePosted(page)).filter(({ type }) => type !== 'draft');
    assert.deepEqual(ran, [{ type: 'run_command', command: 'tiller.showSkills' }]);
    return page;
  },
  async 'a finding is fixed and quoted by the host, which knows whether it was sent, and shown where its lines are by now'(
    stage,
  ) {
    const page = await stage.show(stage.scenes['code-review']);
    await takePosted(page);
    await page.getByTestId('finding-place').first().click();
    await page.getByTestId('finding-fix').first().click();
    await page.getByTestId('finding-quote').first().click();
    const [opened, fixed, quoted, ...others] = (await takePosted(page)).filter(({ type }) => type !== 'draft');
    assert.deepEqual(opened, { type: 'open_file', path: 'src/http/client.ts', line: 41, quote: 'x' });
    assert.equal(fixed.type, 'fix_finding');
    assert.equal(fixed.findingId, '1');
    assert.deepEqual(quoted, { ...fixed, type: 'quote_finding' });
    assert.deepEqual(others, []);
    assert.equal(await page.getByTestId('finding').first().getAttribute('data-state'), 'open');
    return page;
  },
  async 'the suggestion to review is the command, which Enter runs'(stage) {
    const page = await stage.show(stage.scenes.empty);
    await page.getByTestId('suggestion').filter({ hasText: 'Review my uncommitted changes' }).click();
    await page.locator('[data-testid=composer-input][aria-activedescendant]').waitFor();
    assert.match(await activeRow(page), /^Uncommitted Changes/);
    assert.equal(await textOf(page), '/review Uncommitted Changes');
    await takePosted(page);
    await page.keyboard.press('Enter');
    assert.deepEqual(
      (await takePosted(page)).filter(({ type }) => type !== 'draft'),
      [{ type: 'review_changes', what: 'uncommitted', instructions: '' }],
    );
    assert.equal(await textOf(page), '');
    return page;
  },
  async 'a draft that is a command opens no list at a focus: Enter sends it'(stage) {
    const page = await stage.show(stage.scenes.empty);
    const focus = { type: 'focus_composer', build: 'preview' };
    const [snapshot, ...others] = stage.scenes.empty.messages;
    // As after a reload of the page.
    await send(page, [{ ...snapshot, draft: '/review Uncommitted Changes' }, ...others, focus]);
    await page.waitForFunction(() => document.activeElement?.getAttribute('data-testid') === 'composer-input');
    assert.equal(await page.getByTestId('suggestions').count(), 0);
    await takePosted(page);
    await page.keyboard.press('Enter');
    assert.deepEqual(await sentInput(page), [{ type: 'text', text: '/review Uncommitted Changes' }]);
    return page;
  },
  async 'a suggestion opens its list where Esc has closed another one, and Esc closes it for the next focus'(stage) {
    const page = await stage.show(stage.scenes.empty);
    await composer(page).focus();
    await page.keyboard.type('/mo');
    await page.keyboard.press('Escape');
    await page.getByTestId('suggestion').filter({ hasText: 'Review my uncommitted changes' }).click();
    await page.locator('[data-testid=composer-input][aria-activedescendant]').waitFor();
    await page.keyboard.press('Escape');
    await page.getByTestId('composer-add').focus();
    await send(page, [{ type: 'focus_composer', build: 'preview' }]);
    await page.waitForFunction(() => document.activeElement?.getAttribute('data-testid') === 'composer-input');
    assert.equal(await page.getByTestId('suggestions').count(), 0);
    return page;
  },
  async 'the values of a command are completed, from the one that is set'(stage) {
    const page = await begin(stage, '/mod');
    assert.match(await activeRow(page), /^\/mode/);
    await page.keyboard.press('Tab');
    assert.equal(await textOf(page), '/mode ');
    assert.match(await activeRow(page), /^Agent/);
    assert.equal(await page.locator('[role=option][aria-checked=true]').count(), 1);
    await page.keyboard.type('pl');
    assert.match(await activeRow(page), /^Plan/);
    await takePosted(page);
    await page.keyboard.press('Enter');
    assert.deepEqual(
      (await takePosted(page)).filter(({ type }) => type !== 'draft'),
      [{ type: 'choose', what: { type: 'mode', mode: 'plan' } }],
    );
    return page;
  },
  async 'each command with values lists them, and does nothing without one'(stage) {
    const page = await stage.show(stage.scenes.review);
    const cases = {
      rewind: ['Right, uploads should not retry at all.'],
      review: ['Uncommitted Changes', 'Changes Against a Branch…', 'A Commit…'],
      changes: ['Next', 'Show All', 'Keep All', 'Undo All'],
      effort: ['Low', 'High'],
      mode: ['Chat', 'Agent', 'Plan', 'Full access'],
      approvals: ['Always ask', 'Ask on request', 'Ask on failure', 'Never ask'],
      sandbox: ['Read-only', 'Workspace', 'No sandbox'],
      rename: ['Cap retries in the fetch client'],
    };
    const commands = page.getByRole('listbox', { name: 'Commands' }).getByRole('option');
    await takePosted(page);
    for (const [name, values] of Object.entries(cases)) {
      await composer(page).fill('');
      await composer(page).focus();
      await page.keyboard.type(`/${name}`);
      await page.keyboard.press('Enter');
      assert.equal(await textOf(page), `/${name} `);
      const labels = await commands.locator('.suggest-label').allInnerTexts();
      assert.deepEqual(
        values.filter((value) => !labels.includes(value)),
        [],
        `${name}: ${labels.join(', ')}`,
      );
    }
    const acts = (await takePosted(page)).filter(({ type }) => type !== 'draft' && type !== 'list_skills');
    assert.deepEqual(acts, []);
    return page;
  },
  async 'what is written from right to left is laid out so in the composer'(stage) {
    const page = await begin(stage, 'שלום retry.ts');
    const directions = await page.evaluate(() =>
      ['textarea', '.grow-mirror'].map(
        (each) => getComputedStyle(document.querySelector(`.composer ${each}`)).direction,
      ),
    );
    assert.deepEqual(directions, ['rtl', 'rtl']);
    return page;
  },
  async 'a thread is renamed by what is written behind the command'(stage) {
    const page = await begin(stage, '/rename A better name');
    assert.match(await activeRow(page), /^A better name/);
    await takePosted(page);
    await page.keyboard.press('Enter');
    assert.deepEqual(
      (await takePosted(page)).filter(({ type }) => type !== 'draft'),
      [{ type: 'rename_thread', threadId: 'thread-1', title: 'A better name' }],
    );
    return page;
  },
  async 'a text that is no command is sent, and so is a command after Esc'(stage) {
    for (const text of ['/usr/bin/env is missing', '/nothing', 'use /new', '/new']) {
      const page = await begin(stage, text);
      if (text === '/new') await page.keyboard.press('Escape');
      assert.equal(await page.getByTestId('suggestions').count(), 0, text);
      await page.keyboard.press('Enter');
      assert.deepEqual(await sentInput(page), [{ type: 'text', text }]);
      // The next message has its list again.
      await page.keyboard.type('/');
      assert.ok((await page.getByRole('listbox', { name: 'Commands' }).getByRole('option').count()) > 0, text);
    }
    return stage.show(stage.scenes.done);
  },
  async 'a pasted image is made small enough, shown with its size, sent, and removed by keyboard'(stage) {
    const page = await begin(stage, 'Like this');
    await pasteImage(page, 3_000, 1_500);
    const chip = page.getByTestId('attachment');
    await chip.waitFor();
    assert.match(await chip.innerText(), /1568 × 784, \d+ k?B/);
    await page.getByTestId('attachment-remove').focus();
    await page.keyboard.press('Enter');
    assert.equal(await chip.count(), 0);
    await pasteImage(page, 40, 20);
    await chip.waitFor();
    await composer(page).focus();
    await page.keyboard.press('Enter');
    const [text, image] = await sentInput(page);
    assert.deepEqual(text, { type: 'text', text: 'Like this' });
    const { imageUrl, thumbnail, id, ...about } = image;
    assert.match(id, /^[0-9a-f]{64}$/);
    assert.match(imageUrl, /^data:image\/png;base64,/);
    assert.match(thumbnail, /^data:image\/webp;base64,/);
    assert.deepEqual({ ...about, bytes: 0 }, { type: 'image', name: 'shot.png', width: 40, height: 20, bytes: 0 });
    assert.equal(await chip.count(), 0);
    return page;
  },
  async 'an image alone is a message, and one that is not an image is refused with the reason'(stage) {
    const page = await begin(stage, '');
    await pasteImage(page, 0, 0);
    await page.getByRole('alert').getByText('shot.png was not attached: it is not an image that can be read').waitFor();
    await pasteImage(page, 8, 8);
    await page.getByTestId('attachment').waitFor();
    assert.equal(await page.getByTestId('attach-problem').innerText(), '');
    await composer(page).focus();
    await page.keyboard.press('Enter');
    const input = await sentInput(page);
    assert.deepEqual(
      input.map(({ type }) => type),
      ['image'],
    );
    return page;
  },
  async 'what was refused of a drop is said in one place, although the rest is attached after it'(stage) {
    const page = await begin(stage, '');
    await dropMixed(page);
    await attachCopies(page, 1);
    await page.getByTestId('attachment').nth(1).waitFor();
    await page.getByRole('alert').getByText('bad.bin was not attached').waitFor();
    assert.match(
      await page.getByTestId('attach-problem').innerText(),
      /^bad\.png .+ bad\.bin was not attached: .+MiB\.$/,
    );
    await page.keyboard.type('x');
    assert.equal(await page.getByTestId('attach-problem').innerText(), '');
    return page;
  },
  async 'images of a draft and of the draft before its edit are sent to the host only when they change'(stage) {
    const page = await stage.show(stage.scenes.stream);
    await pasteImage(page, 8, 8);
    await page.getByTestId('attachment').waitFor();
    await page.getByTestId('queued-edit').first().focus();
    await page.keyboard.press('Enter');
    await page.getByTestId('queued-cancel-edit').waitFor();
    await composer(page).focus();
    await page.keyboard.type('zzz');
    await page.waitForFunction(() =>
      globalThis.posted.some(({ type, text }) => type === 'draft' && text.includes('zzz')),
    );
    const drafts = (await takePosted(page)).filter(({ type }) => type === 'draft');
    assert.equal(drafts.at(-1).images, null);
    const withEdit = drafts.filter(({ edit }) => edit !== null);
    assert.deepEqual(
      withEdit[0].images.edit.map(({ part }) => part.name),
      ['shot.png'],
    );
    assert.doesNotMatch(JSON.stringify(withEdit.map(({ edit }) => edit)), /base64/);
    assert.doesNotMatch(await page.evaluate(() => globalThis.savedState()), /base64/);
    return page;
  },
  async 'a model without images refuses them at once'(stage) {
    const page = await stage.show(stage.scenes['image-refused']);
    await pasteImage(page, 8, 8);
    await page.getByRole('alert').getByText('gpt-5-codex takes no images.').waitFor();
    return page;
  },
  async 'the selection goes with a message, follows the editor, and is left out by keyboard'(stage) {
    const page = await begin(stage, 'Why?');
    const [, , , message] = stage.scenes.attached.messages;
    await send(page, [message]);
    await page.getByRole('button', { name: 'Leave out the selection src/http/retry.ts:14-22' }).focus();
    await page.keyboard.press('Enter');
    assert.equal(await page.getByTestId('selection').getAttribute('data-attached'), 'false');
    // Another selection is another choice.
    const mention = { ...message.mention, name: 'src/http/retry.ts:30', lines: { first: 30, last: 30 } };
    await send(page, [{ ...message, mention }]);
    assert.equal(await page.getByTestId('selection').getAttribute('data-attached'), 'true');
    await composer(page).focus();
    await page.keyboard.press('Enter');
    assert.deepEqual(await sentInput(page), [{ type: 'text', text: 'Why?' }, mention]);
    return page;
  },
  async 'files that are dropped are attached: by their place, or by their text where it has none'(stage) {
    const page = await begin(stage, 'See');
    await takePosted(page);
    await drop(page, { resourceurls: JSON.stringify(['file:///w/a.ts']) });
    assert.deepEqual(await takePosted(page), [{ type: 'attach_uris', uris: ['file:///w/a.ts'] }]);
    await dropCopies(page, 'dropped.txt', 'one two');
    await page.getByTestId('attachment').getByText('dropped.txt').waitFor();
    await composer(page).focus();
    await page.keyboard.press('Enter');
    const [, { id, ...dropped }] = await sentInput(page);
    assert.deepEqual(dropped, { type: 'mention', kind: 'file', name: 'dropped.txt', path: '', text: 'one two' });
    assert.match(id, /^[0-9a-f]{64}$/);
    await dropCopies(page, 'dropped.txt', 'three', 'three', 'four');
    await page.getByTestId('attachment').nth(1).waitFor();
    await composer(page).focus();
    await page.keyboard.press('Enter');
    assert.deepEqual(
      (await sentInput(page)).map(({ text }) => text),
      ['three', 'four'],
    );
    return page;
  },
  async 'a mention of another thing with the same name gets a name of its own in the text'(stage) {
    const page = await begin(stage, 'Compare @pa');
    const symbol = (path) => ({
      type: 'mention',
      kind: 'symbol',
      name: 'parse',
      id: 'parse',
      path,
      lines: { first: 1, last: 2 },
    });
    const row = (path) => ({ mention: symbol(path), label: 'parse', detail: path, positions: [] });
    await answerMentions(page, [row('/w/a.ts')]);
    await page.keyboard.press('Enter');
    await page.keyboard.type('and @pa');
    await answerMentions(page, [row('/w/b.ts')]);
    await page.keyboard.press('Enter');
    assert.equal(await textOf(page), 'Compare @parse and @parse 2 ');
    await page.keyboard.press('Enter');
    assert.deepEqual(await sentInput(page), [
      { type: 'text', text: 'Compare @parse and @parse 2' },
      symbol('/w/a.ts'),
      { ...symbol('/w/b.ts'), name: 'parse 2' },
    ]);
    return page;
  },
  async 'a second message before the thread has begun is added to its turn'(stage) {
    const page = await stage.show(stage.scenes.empty);
    await composer(page).focus();
    await takePosted(page);
    await page.keyboard.type('one');
    await page.keyboard.press('Enter');
    await page.keyboard.type('two');
    await page.keyboard.press('Enter');
    const ops = (await takePosted(page)).flatMap(({ type, op }) =>
      type === 'op' ? [[op.type, op.input[0].text]] : [],
    );
    assert.deepEqual(ops, [
      ['user_turn', 'one'],
      ['steer', 'two'],
    ]);
    return page;
  },
  async 'a text that is written before the thread has begun is in its composer, and in no other one'(stage) {
    const page = await stage.show(stage.scenes.empty);
    await composer(page).focus();
    await page.keyboard.type('one');
    await page.keyboard.press('Enter');
    await page.keyboard.type('next');
    await takePosted(page);
    await send(page, stage.scenes.done.messages);
    assert.equal(await textOf(page), 'next');
    const drafts = (await takePosted(page)).filter(({ type }) => type === 'draft');
    assert.deepEqual(
      drafts.map(({ threadId, text }) => [threadId, text]),
      [
        [null, ''],
        ['thread-1', 'next'],
      ],
    );
    await send(page, stage.scenes.empty.messages);
    assert.equal(await textOf(page), '');
    return page;
  },
  async 'a thread that is opened while the first message is being sent keeps its own draft'(stage) {
    const page = await stage.show(stage.scenes.empty);
    await composer(page).focus();
    await page.keyboard.type('one');
    await page.keyboard.press('Enter');
    await page.keyboard.type('next');
    const [snapshot, ...others] = stage.scenes.done.messages;
    await send(page, [{ ...snapshot, draft: 'its own' }, ...others]);
    assert.equal(await textOf(page), 'its own');
    return page;
  },
  async 'text that the host inserts brings its mentions'(stage) {
    const page = await begin(stage, '');
    const mention = { type: 'mention', kind: 'file', name: 'a.ts', path: '/w/a.ts' };
    const text = 'See @a.ts';
    await send(page, [{ type: 'insert_text', build: 'preview', text, attachments: [{ part: mention, inText: true }] }]);
    await page.keyboard.press('Enter');
    assert.deepEqual(await sentInput(page), [{ type: 'text', text }, mention]);
    return page;
  },
};
