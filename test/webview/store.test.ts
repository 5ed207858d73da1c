import assert from 'node:assert/strict';
import { beforeEach, describe, it } from 'vitest';
import { countHunks, isTouched, type ReviewState } from '../../src/protocol/review.ts';
import { decisionTitle } from '../../webview-ui/decisions/titles.ts';
import { durationOf } from '../../webview-ui/facts.ts';
import { plural, say, setTexts, t } from '../../webview-ui/l10n.ts';
import * as store from '../../webview-ui/store.ts';
import * as view from '../../webview-ui/view.ts';
import { clock, duration, roughly, tokens } from '../../webview-ui/text/format.ts';
import { formFieldsOf } from '../../webview-ui/text/formFields.ts';
import { BUILD, type PanelScene, SCENES, threadOf } from './preview/states.ts';

const show = (scene: PanelScene) => scene.messages.forEach(store.receive);

describe('the store', () => {
  beforeEach(() => show(SCENES.empty));

  it('has exactly the state that the reducer computes from the events', () => {
    show(SCENES.done);
    assert.deepEqual(store.thread.value, threadOf(SCENES.done));
  });

  it('offers to undo the last compaction that is in effect, while no turn runs', () => {
    show(SCENES.compaction);
    assert.equal(store.undoableCompaction.value, 'by-hand');
    show(SCENES.compacting);
    assert.equal(store.undoableCompaction.value, null);
    show(SCENES['compaction-failed']);
    assert.equal(store.undoableCompaction.value, 'by-hand');
  });

  it('lists pending requests, shows one, and cycles through them', () => {
    show(SCENES.approve);
    assert.deepEqual(
      store.waiting.value.map(({ id }) => id),
      ['a-i6', 'a-i7', 'a-i8'],
    );
    assert.equal(view.decision.value?.id, 'a-i6');
    view.showDecision(-1);
    assert.equal(view.decision.value?.id, 'a-i8');
    show(SCENES.patch);
    assert.equal(view.decision.value?.id, 'a-i6');
    assert.match(store.pendingDiff('i6'), /^diff --git/);
  });

  it('lists the requests of sub-agents with those of the thread, each with the agent that asks', () => {
    show(SCENES['agent-asks']);
    assert.deepEqual(store.waiting.value.map(decisionTitle), ['worker asks: Run this command?']);
    show(SCENES.empty);
    assert.deepEqual(store.waiting.value, []);
  });

  it('knows what was chosen of a patch that waits until it is answered', () => {
    const receive = (review: ReviewState) => store.receive({ type: 'proposal_choices', build: BUILD, review });
    const file = { path: 'a.txt', isOut: false, isEdited: false, hunks: ['in', 'out', 'edited'], reasons: [] } as const;
    receive({ approvalId: 'p', files: [file, { ...file, path: 'b.txt', isOut: true, hunks: [] }] });
    const files = store.reviews.value.get('p')?.files ?? [];
    assert.deepEqual(countHunks(files), { taken: 2, total: 4 });
    assert.equal(files.every(isTouched), true);
    assert.equal(isTouched({ ...file, hunks: ['in'] }), false);
    receive({ approvalId: 'p', files: [] });
    assert.equal(store.reviews.value.size, 0);
  });

  it('puts interrupted patches before the requests of the thread, whichever thread is shown', () => {
    show(SCENES.interrupted);
    const ids = () => store.waiting.value.map(({ id }) => id);
    assert.deepEqual(ids(), ['p1']);
    assert.deepEqual(store.threadWaits.value, []);
    const [first] = store.waiting.value;
    assert.ok(first);
    assert.equal(decisionTitle(first), 'A patch to 104 files was interrupted');
    show(SCENES.approve);
    assert.deepEqual(ids(), ['p1', 'a-i6', 'a-i7', 'a-i8']);
    store.receive({ type: 'interrupted', build: BUILD, patches: [] });
    assert.deepEqual(ids(), ['a-i6', 'a-i7', 'a-i8']);
  });

  it('keeps 25 turns in the DOM and counts the earlier ones', () => {
    show(SCENES.long);
    assert.equal(store.visibleTurns.value.length, 25);
    assert.equal(store.hiddenTurns.value, 175);
  });

  it('puts earlier turns before the others, each once', () => {
    show(SCENES.done);
    const [first] = store.turns.value;
    assert.ok(first);
    const earlier = [{ ...first, id: 'before' }, first];
    store.receive({ type: 'earlier', build: BUILD, turns: earlier, earlierTurns: 7 });
    assert.deepEqual(
      store.turns.value.map(({ id }) => id),
      ['before', 't1', 't2', 't3'],
    );
    assert.equal(store.hiddenTurns.value, 7);
  });

  it('inserts text with a space between', () => {
    store.draft.value = 'look at';
    store.receive({ type: 'insert_text', build: BUILD, text: '@a.ts' });
    assert.equal(store.draft.value, 'look at @a.ts');
  });

  it('puts a message that was not sent behind the edit of an earlier one', () => {
    store.draft.value = 'edited';
    store.draftEdit.value = { type: 'sent', id: 'i1', original: 'old', draft: 'half', restoresFiles: false };
    store.receive({ type: 'insert_text', build: BUILD, text: 'not sent', isUnsent: true, isReturned: true });
    assert.deepEqual([store.draft.value, store.draftEdit.value?.draft], ['edited', 'half\nnot sent']);
    show(SCENES.empty);
    assert.equal(store.draftEdit.value, null);
  });

  it('keeps the message of a denial and the duration of the reasoning', () => {
    show(SCENES.commands);
    assert.deepEqual(store.denialOf('i6'), { itemId: 'i6', by: 'user', word: 'Use npm ci, it does that by itself.' });
    show(SCENES.stream);
    assert.equal(durationOf('i2'), 6_000);
  });
});

describe('texts', () => {
  it('are in the language of the host, with their arguments', () => {
    setTexts({ 'Ran {0}': '{0} ausgeführt' });
    assert.equal(t('Ran {0}', 'ls'), 'ls ausgeführt');
    assert.deepEqual(say('Ran {0}', 'ls'), ['ls', ' ausgeführt']);
    setTexts({});
    assert.equal(plural(1, '{0} file', '{0} files') + plural(2, '{0} file', '{0} files'), '1 file2 files');
  });

  it('format numbers for users', () => {
    assert.deepEqual([800, 6_000, 38_000, 60_000, 124_000, 3_600_000, 3_780_000].map(duration), [
      '0.8 s',
      '6.0 s',
      '38 s',
      '1 m',
      '2 m 4 s',
      '1 h',
      '1 h 3 m',
    ]);
    assert.equal(roughly(6_000), '6 s');
    assert.deepEqual([12_000, 3_725_000].map(clock), ['0:12', '1:02:05']);
    assert.deepEqual([950, 5_830, 184_600, 1_200_000].map(tokens), ['950', '5.8k', '185k', '1.2M']);
  });
});

it('makes a form of a schema', () => {
  const schema = {
    properties: { a: { enum: ['x', 'y'] }, b: { type: 'boolean', default: true }, c: {}, d: { type: 'integer' } },
  };
  assert.deepEqual(
    formFieldsOf(schema).map(({ kind, initial }) => [kind, initial]),
    [
      ['choice', 'x'],
      ['boolean', true],
      ['text', ''],
      ['number', ''],
    ],
  );
});
