import assert from 'node:assert/strict';
import { beforeEach, describe, it } from 'vitest';
import * as history from '../../webview-ui/composer/historySearch.ts';
import * as store from '../../webview-ui/store.ts';
import { searchTexts } from '../../webview-ui/text/searchTexts.ts';
import { BUILD, SCENES } from './preview/states.ts';

const texts = () => history.found.value.map(({ text }) => text);

describe('the search in earlier messages', () => {
  beforeEach(() => {
    SCENES.empty.messages.forEach(store.receive);
    const said = ['fix the total', 'run the tests', 'Fix the (odd)\n\n  layout', 'explain'];
    store.receive({ type: 'history', build: BUILD, texts: said });
    history.openSearch();
  });

  it('lists all, the newest first, and then those that match', () => {
    assert.deepEqual(texts(), ['fix the total', 'run the tests', 'Fix the (odd)\n\n  layout', 'explain']);
    history.search(' FIX');
    assert.deepEqual(texts(), ['fix the total', 'Fix the (odd)\n\n  layout']);
    history.search('(odd)');
    assert.deepEqual(history.active.value, {
      text: 'Fix the (odd)\n\n  layout',
      before: 'Fix the ',
      match: '(odd)',
      after: ' layout',
    });
    history.search('nobody said that');
    assert.equal(history.active.value, null);
  });

  it('moves step by step, stops at the ends, and starts again for another text', () => {
    history.stepBack(-1);
    assert.equal(history.active.value?.text, 'fix the total');
    for (const _ of texts()) history.stepBack(1);
    assert.equal(history.active.value?.text, 'explain');
    history.stepBack(-1);
    assert.equal(history.active.value?.text, 'Fix the (odd)\n\n  layout');
    history.search('the');
    assert.equal(history.active.value?.text, 'fix the total');
  });

  it('begins with this thread, and has each text once', () => {
    SCENES.done.messages.forEach(store.receive);
    const [latest = ''] = texts();
    assert.notEqual(latest, 'fix the total');
    store.receive({ type: 'history', build: BUILD, texts: [latest, 'fix the total'] });
    assert.equal(texts().filter((text) => text === latest).length, 1);
    assert.equal(texts().at(-1), 'fix the total');
  });

  it('keeps the draft', () => {
    store.draft.value = 'what I was about to say';
    history.search('fix');
    history.stepBack(1);
    history.closeSearch();
    assert.deepEqual([store.draft.value, texts()], ['what I was about to say', []]);
  });
});

describe('an excerpt', () => {
  it('is one line around the match', () => {
    const [hit] = searchTexts([`${'before '.repeat(20)}needle${' after'.repeat(100)}`], 'Needle', 10);
    assert.equal(hit?.match, 'needle');
    assert.match(hit.before, /^….{24}$/);
    assert.equal(hit.after.length, 200);
  });
});
