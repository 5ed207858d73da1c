// Long answers and long threads, which are drawn in several frames.
import assert from 'node:assert/strict';
import { send } from './stage.mjs';

const PARAGRAPH = 'A sentence of **prose** with `code` in it.\n\n- a point\n- another\n\n';
const FENCE = '```ts\nconst a = 1;\n```\n\n';

/** Turns that the page shows at first. */
const WINDOW = 25;

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

let newTurnEvents = 0;

/** A turn that starts and ends in the thread of `manyTurns`. */
function newTurn(stage, turnId) {
  const { settings } = stage.threadOf(stage.scenes.done).turns[0];
  const item = { type: 'user_message', id: `${turnId}-1`, content: [{ type: 'text', text: `This is ${turnId}.` }] };
  const list = [
    { type: 'turn_started', settings, contextWindow: 272_000 },
    { type: 'item_started', item: { ...item, status: 'in_progress' } },
    { type: 'item_completed', item: { ...item, status: 'completed' } },
    { type: 'turn_completed', lastMessage: null },
  ];
  const at = new Date().toISOString();
  return events(
    list.map((msg) => ({ v: 1, seq: 9_000 + newTurnEvents++, at, threadId: 'many', turnId, submissionId: null, msg })),
  );
}

/** A thread of several long answers, each with the words "Paragraph N of answer M". */
function longAnswers(stage, count) {
  const snapshot = manyTurns(stage, count);
  const turns = snapshot.thread.turns.map((turn, index) => {
    const text = Array.from({ length: 200 }, (_, n) => `Paragraph ${n} of answer ${index}. ${PARAGRAPH}`).join('');
    return {
      ...turn,
      items: [...turn.items, { type: 'agent_message', id: `long-${index}`, status: 'completed', text }],
    };
  });
  return { ...snapshot, thread: { ...snapshot.thread, turns } };
}

/** A paragraph of `longAnswers` in the middle of the transcript, and its distance from the top of the window. */
const paragraphInView = (page) =>
  page.evaluate(() => {
    const { left, width, top, height } = document.querySelector('[data-testid=transcript]').getBoundingClientRect();
    for (let y = top + height / 2; y < top + height; y += 4) {
      const line = document.elementFromPoint(left + width / 2, y)?.closest('p');
      if (line?.textContent.startsWith('Paragraph'))
        return { words: line.textContent.slice(0, 30), top: line.getBoundingClientRect().top };
    }
    return { words: '', top: 0 };
  });

const wholeThread = (page, count) =>
  page.waitForFunction(
    (count) =>
      Array.from({ length: count }, (_, index) => `Paragraph 199 of answer ${index}.`).every((words) =>
        document.body.textContent.includes(words),
      ),
    count,
  );

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
    const page = await stage.show({ messages: [manyTurns(stage, WINDOW)] });
    await turnCount(page, WINDOW);
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
    const page = await stage.show({ messages: [manyTurns(stage, 2 * WINDOW)] });
    await turnCount(page, WINDOW);
    const first = await page.evaluate(async () => {
      document.querySelector('[data-testid=transcript]').scrollTop = 0;
      const frame = () => new Promise((resolve) => requestAnimationFrame(() => resolve()));
      for (let n = 0; n < 6; n++) await frame();
      globalThis.first = document.querySelector('[data-testid=turn]');
      document.querySelector('[data-testid=load-earlier]').click();
      return globalThis.first.getBoundingClientRect().top;
    });
    await turnCount(page, 2 * WINDOW);
    await send(page, []);
    const after = await page.evaluate(() => globalThis.first.getBoundingClientRect().top);
    assert.ok(Math.abs(after - first) < 60, `${first} → ${after}`);
    return page;
  },
  async 'the visible line stays where it is while new turns push the first one out of the page'(stage) {
    const page = await stage.show({ messages: [manyTurns(stage, WINDOW)] });
    await turnCount(page, WINDOW);
    const first = await page.evaluate(async () => {
      const frame = document.querySelector('[data-testid=transcript]');
      const nextFrame = () => new Promise((resolve) => requestAnimationFrame(() => resolve()));
      globalThis.line = document.querySelectorAll('[data-testid=turn]')[20];
      // Twice: what comes into view gets its own size.
      for (let n = 0; n < 12; n++) {
        if (n < 2) globalThis.line.scrollIntoView({ block: 'start' });
        await nextFrame();
      }
      return { top: globalThis.line.getBoundingClientRect().top, scrollTop: frame.scrollTop };
    });
    assert.ok(first.scrollTop > 1_000, `${first.scrollTop}`);
    for (let n = 0; n < 3; n++) await send(page, [newTurn(stage, `new-${n}`)]);
    await page.waitForFunction(() => document.body.textContent.includes('This is new-2.'));
    const after = await page.evaluate(() =>
      globalThis.line.isConnected ? globalThis.line.getBoundingClientRect().top : Number.POSITIVE_INFINITY,
    );
    assert.ok(Math.abs(after - first.top) < 60, `${first.top} → ${after}`);
    return page;
  },
  async 'a new turn of a long thread leaves the drawn turns in the page, with what is open in them'(stage) {
    const page = await stage.show({ messages: [manyTurns(stage, WINDOW)] });
    await turnCount(page, WINDOW);
    await page.evaluate(() => {
      const turns = [...document.querySelectorAll('[data-testid=turn]')];
      globalThis.kept = turns.slice(1);
      globalThis.counts = [];
      const observer = new MutationObserver(() =>
        globalThis.counts.push(document.querySelectorAll('[data-testid=turn]').length),
      );
      observer.observe(document.querySelector('[data-testid=transcript]'), { subtree: true, childList: true });
    });
    await send(page, [newTurn(stage, 'new-0')]);
    await page.waitForFunction(() => document.body.textContent.includes('This is new-0.'));
    await turnCount(page, WINDOW);
    const { stay, fewest } = await page.evaluate(() => ({
      stay: globalThis.kept.every((turn) => turn.isConnected),
      fewest: Math.min(...globalThis.counts),
    }));
    assert.ok(stay, 'a turn was drawn again');
    assert.ok(fewest >= WINDOW - 1, `${fewest} turns`);
    return page;
  },
  async 'the line in view is the same after a reload, in the middle of long answers'(stage) {
    const messages = [longAnswers(stage, 6)];
    const page = await stage.show({ messages });
    await wholeThread(page, 6);
    await page.evaluate(async () => {
      const nextFrame = () => new Promise((resolve) => requestAnimationFrame(() => resolve()));
      const line = [...document.querySelectorAll('[data-testid=agent-message] p')].find((one) =>
        one.textContent.startsWith('Paragraph 120 of answer 2.'),
      );
      for (let n = 0; n < 12; n++) {
        if (n < 4) line.scrollIntoView({ block: 'start' });
        await nextFrame();
      }
    });
    await page.waitForFunction(() => JSON.parse(globalThis.savedState() ?? '{}').place?.turnId === 'turn-turn-2');
    const seen = await paragraphInView(page);
    await page.reload();
    await send(page, messages);
    await wholeThread(page, 6);
    await send(page, []);
    await send(page, []);
    const after = await paragraphInView(page);
    assert.match(seen.words, /of answer 2/);
    assert.equal(after.words, seen.words);
    assert.ok(Math.abs(after.top - seen.top) < 60, `${seen.top} → ${after.top}`);
    return page;
  },
  async 'Find finds what is drawn after it was opened, also beside letters whose lower case is longer'(stage) {
    const snapshot = longAnswers(stage, 2);
    const text = `${PARAGRAPH.repeat(1_500)}İ and The Very Last Words.`;
    const { turns } = snapshot.thread;
    const item = { type: 'agent_message', id: 'last', status: 'completed', text };
    const long = { ...turns[1], items: [...turns[1].items, item] };
    const thread = { ...snapshot.thread, turns: [turns[0], long] };
    const page = await stage.show({ messages: [{ ...snapshot, thread }] });
    await page.keyboard.press('Control+f');
    await page.keyboard.type('the very last words');
    const counts = await page.evaluate(
      () =>
        new Promise((resolve) => {
          const seen = [];
          const look = () => {
            const count = document.querySelector('[data-testid=find-count]').textContent;
            if (seen.at(-1) !== count) seen.push(count);
            if (count === '1 of 1') resolve(seen);
            else requestAnimationFrame(look);
          };
          look();
        }),
    );
    assert.ok(!counts.includes('No results'), counts.join(', '));
    return page;
  },
};
