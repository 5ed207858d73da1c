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
    const page = await begin(stage, 'Ask @someone');
    await answerMentions(page, found(stage));
    await page.keyboard.press('Escape');
    assert.equal(await page.getByTestId('suggestions').count(), 0);
    await page.keyboard.type('s');
    assert.equal(await page.getByTestId('suggestions').count(), 0);
    await page.keyboard.press('Enter');
    assert.deepEqual(await sentInput(page), [{ type: 'text', text: 'Ask @someones' }]);
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
  async 'Edit and Resend brings the mentions of a message back, as they were written'(stage) {
    const page = await stage.show(stage.scenes['mentions-sent']);
    await takePosted(page);
    await page.getByTestId('user-message-edit').focus();
    await page.keyboard.press('Enter');
    await composer(page).focus();
    await page.keyboard.press('Enter');
    const parts = (await sentInput(page)).filter(({ type }) => type === 'mention');
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
