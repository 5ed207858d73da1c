// Long answers and long threads, which are drawn in several frames.
import assert from 'node:assert/strict';
import { send } from './stage.mjs';

const PARAGRAPH = 'A sentence of **prose** with `code` in it.\n\n- a point\n- another\n\n';
const FENCE = '```ts\nconst a = 1;\n```\n\n';

const events = (list) => ({ type: 'events', build: 'preview', events: list });

/** The messages with the answer of the last turn replaced. */
function withAnswer(scene, text) {
  const [snapshot, { events: list }] = scene.messages;
  const last = list.findLastIndex(({ msg }) => msg.type === 'item_completed' && msg.item.type === 'agent_message');
  const { msg } = list[last];
  const changed = { ...list[last], msg: { ...msg, item: { ...msg.item, text } } };
  return [snapshot, events([...list.slice(0, last), changed, ...list.slice(last + 1)])];
}

/** A snapshot with so many turns, the last of them with these words. */
function manyTurns(stage, count) {
  const { messages } = stage.scenes.done;
  const thread = stage.threadOf(stage.scenes.done);
  const turns = Array.from({ length: count }, (_, index) => ({
    ...thread.turns[index % thread.turns.length],
    id: `turn-${index}`,
  }));
  return { ...messages[0], thread: { ...thread, threadId: 'many', turns } };
}

const turnCount = (page, count) =>
  page.waitForFunction((count) => document.querySelectorAll('[data-testid=turn]').length === count, count);

export const LONG_STORIES = {
  async 'a long answer that comes at once is drawn whole, with its end in view'(stage) {
    const text = `${(PARAGRAPH + FENCE).repeat(200)}The very last words.`;
    const page = await stage.show({ messages: withAnswer(stage.scenes.done, text) });
    await page.waitForFunction(() => document.body.textContent.includes('The very last words.'));
    const drawn = await page.evaluate(() => {
      const answer = [...document.querySelectorAll('[data-testid=agent-message]')].at(-1);
      return { prose: answer.textContent.match(/A sentence/g).length, blocks: answer.querySelectorAll('.code').length };
    });
    assert.deepEqual(drawn, { prose: 200, blocks: 200 });
    await page.waitForFunction(() => {
      const frame = document.querySelector('[data-testid=transcript]');
      return frame.scrollHeight - frame.scrollTop - frame.clientHeight < 24;
    });
    return page;
  },
  async 'another text in place of a long answer is drawn, not the rest of the answer'(stage) {
    const { done } = stage.scenes;
    const page = await stage.show({ messages: withAnswer(done, PARAGRAPH.repeat(400)) });
    await send(page, withAnswer(done, 'Short words.'));
    await page.waitForFunction(() => document.body.textContent.includes('Short words.'));
    await send(page, []);
    assert.equal(await page.getByText('A sentence of').count(), 0);
    return page;
  },
  async 'all turns of a long thread are drawn, and those out of sight are searched'(stage) {
    const page = await stage.show({ messages: [manyTurns(stage, 60)] });
    await turnCount(page, 60);
    const hidden = await page.evaluate(() => {
      // Words that are only in a closed step are not found.
      const step = document.querySelector('[data-testid=turn] details:not([open])');
      step.insertAdjacentHTML('beforeend', '<p>closed words</p>');
      document.querySelector('[data-testid=turn] .reply').insertAdjacentHTML('beforeend', '<p>open wo<b>rds</b></p>');
      return step.isConnected;
    });
    assert.ok(hidden);
    await page.keyboard.press('Control+f');
    await page.keyboard.type('open words');
    await page.waitForFunction(() => document.querySelector('[data-testid=find-count]').textContent === '1 of 1');
    await page.getByTestId('find-input').fill('closed words');
    await page.waitForFunction(() => document.querySelector('[data-testid=find-count]').textContent === 'No results');
    return page;
  },
  async 'the visible line stays where it is while earlier turns are added in several frames'(stage) {
    const page = await stage.show({ messages: [manyTurns(stage, 120)] });
    await turnCount(page, 60);
    const first = await page.evaluate(async () => {
      document.querySelector('[data-testid=transcript]').scrollTop = 0;
      const frame = () => new Promise((resolve) => requestAnimationFrame(() => resolve()));
      for (let n = 0; n < 6; n++) await frame();
      globalThis.first = document.querySelector('[data-testid=turn]');
      document.querySelector('[data-testid=load-earlier]').click();
      return globalThis.first.getBoundingClientRect().top;
    });
    await turnCount(page, 120);
    await send(page, []);
    const after = await page.evaluate(() => globalThis.first.getBoundingClientRect().top);
    assert.ok(Math.abs(after - first) < 60, `${first} → ${after}`);
    return page;
  },
};
