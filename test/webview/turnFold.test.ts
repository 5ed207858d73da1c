import assert from 'node:assert/strict';
import { describe, it } from 'vitest';
import type { TurnItem } from '../../src/protocol/item.ts';
import type { TurnState } from '../../src/protocol/thread.ts';
import { commandKindOf } from '../../webview-ui/text/commandKind.ts';
import { leftUnsaved } from '../../webview-ui/text/leftUnsaved.ts';
import { foldSummary, mayChangeByAgents, partsOfTurn, turnChanges } from '../../webview-ui/text/turnFold.ts';
import { turnAsMarkdown } from '../../webview-ui/text/turnMarkdown.ts';
import { THREE_FILES } from './preview/fixtures.ts';
import { commandItem, patchItem } from './preview/script.ts';
import { type PanelScene, SCENES, threadOf } from './preview/states.ts';

function turnOf(scene: PanelScene, index = 0): TurnState {
  const turn = threadOf(scene)?.turns[index];
  assert.ok(turn);
  return turn;
}

const shapeOf = (turn: TurnState) =>
  partsOfTurn(turn).map((part) => (part.type === 'item' ? part.item.type : `${part.type} of ${part.items.length}`));

describe('a turn', () => {
  it('is shown step by step while it runs', () => {
    assert.deepEqual(shapeOf(turnOf(SCENES.stream)), ['steps of 3', 'agent_message', 'steps of 2']);
  });

  it('folds into one line and the last message when it is done', () => {
    const turn = turnOf(SCENES.done, 1);
    assert.deepEqual(shapeOf(turn), ['fold of 6', 'agent_message']);
    const [fold] = partsOfTurn(turn);
    assert.equal(fold?.type === 'fold' && foldSummary(fold.items), 'Read 4 files, edited 3, ran 2 commands, 1 search');
    assert.deepEqual(turnChanges(turn), { files: 3, added: 42, removed: 7 });
  });

  it('names unsaved files in that line and in the row of the patch', () => {
    const [fold] = partsOfTurn(turnOf(SCENES.done, 1));
    const items = fold?.type === 'fold' ? fold.items : [];
    const withOne = items.map((item): TurnItem => {
      if (item.type !== 'file_change') return item;
      const changes = item.changes.map((change, index) => (index === 1 ? { ...change, unsaved: true } : change));
      return { ...item, changes };
    });
    assert.equal(foldSummary(withOne), 'Read 4 files, edited 3, 1 unsaved, ran 2 commands, 1 search');
    const [, retry, test] = THREE_FILES;
    assert.ok(retry && test);
    const sentence =
      'Changed in the editor only, because it held edits of yours that were not saved, or could not be saved: ';
    assert.deepEqual(leftUnsaved([{ ...retry, unsaved: true }, test]), {
      words: '1 left unsaved',
      sentence: `${sentence}src/http/retry.ts`,
    });
    assert.deepEqual(leftUnsaved([{ ...retry, movedTo: 'src/retry.ts', unsaved: true }]), {
      words: 'left unsaved',
      sentence: `${sentence}src/retry.ts`,
    });
    assert.equal(leftUnsaved(THREE_FILES), null);
  });

  it('names failed and denied calls in that line, and counts none of them as done', () => {
    const command = (text: string, status: TurnItem['status']): TurnItem => ({
      ...commandItem(text),
      type: 'command_execution',
      id: text,
      status,
    });
    const patch = (status: TurnItem['status']): TurnItem => ({ ...patchItem(THREE_FILES, ''), id: status, status });
    const denied = [patch('declined'), command('rm -rf notes.txt', 'declined')];
    const failed = [command('npm test', 'failed'), command('ls missing', 'failed')];
    assert.equal(foldSummary([...denied, ...failed]), 'Ran 2 commands (2 failed), 2 denied');
    assert.equal(foldSummary(denied.slice(0, 1)), '1 denied');
    assert.equal(
      foldSummary([command('ls', 'completed'), command('cat missing', 'failed')]),
      'Ran 2 commands (1 failed)',
    );
    assert.equal(
      foldSummary([patch('failed'), command('rg x', 'completed'), command('rg y', 'completed')]),
      '1 edit failed, 2 searches',
    );
  });

  it('counts files that were read and searches without a command, unless they failed', () => {
    const lookup = (action: 'read' | 'list' | 'search', status: TurnItem['status']): TurnItem => {
      return { id: `${action} ${status}`, type: 'file_lookup', callId: 'c', action, path: 'a', status };
    };
    const done = [lookup('read', 'completed'), lookup('list', 'completed'), lookup('search', 'completed')];
    assert.equal(foldSummary(done), 'Read 1 file, 1 search');
    assert.equal(foldSummary([lookup('read', 'failed'), lookup('read', 'declined')]), '1 denied');
    assert.equal(foldSummary([lookup('list', 'completed')]), '1 step');
  });

  it('stays open when it was interrupted, and never hides a message of the user', () => {
    const shape = shapeOf(turnOf(SCENES.agents)).map((part) => part.replace(/\d+/, 'n'));
    assert.deepEqual(shape, [
      'compaction',
      'steps of n',
      'agent_message',
      'steps of n',
      'user_message',
      'agent_message',
    ]);
  });

  it('shows the last plan only, and keeps code and tables of the model out of the fold', () => {
    const turn = turnOf(SCENES.done, 1);
    const plan = (id: string): TurnItem => ({ id, type: 'plan', status: 'completed', steps: [] });
    const says = (text: string): TurnItem => ({ id: text, type: 'agent_message', status: 'completed', text });
    const [ask, ...steps] = turn.items;
    assert.ok(ask);
    const items = [
      ask,
      plan('one'),
      ...steps,
      says('So:\n\n```ts\na\n```\n'),
      plan('two'),
      says('| a |\n|---|\n'),
      says('Done.'),
    ];
    const parts = partsOfTurn({ ...turn, items });
    assert.deepEqual(parts.map((part) => (part.type === 'item' ? part.item.id : part.type)).slice(-4), [
      'So:\n\n```ts\na\n```\n',
      'steps',
      '| a |\n|---|\n',
      'Done.',
    ]);
    const shown = parts.flatMap((part) => (part.type === 'item' ? [part.item] : part.items));
    assert.deepEqual(
      shown.filter(({ type }) => type === 'plan').map(({ id }) => id),
      ['two'],
    );
  });

  it('is exported as Markdown', () => {
    const text = turnAsMarkdown(turnOf(SCENES.done, 2));
    assert.match(text, /^> Right, uploads should not retry at all\.\n\n```diff\n/);
    assert.match(text, /```console\n\$ npm test -- upload\nok\n\n```\n\nDone: /);
    assert.match(text, /\n\n\*369k tokens in \(263k cached\), 6k out \(2\.4k reasoning\)\. Cost: 0\.31\.\*\n$/);
  });
});

it('distinguishes commands that read from others', () => {
  const kinds = Object.fromEntries(
    [
      'cat a/b.ts c.ts',
      "sed -n '1,20p' a.ts",
      'head -n 5 a.ts',
      "rg 'f(' src",
      'ls -la',
      'cat a > b',
      'sed -i s/a/b/ c',
      'npm test',
    ].map((command) => [command, commandKindOf(command)]),
  );
  assert.deepEqual(kinds, {
    'cat a/b.ts c.ts': { type: 'read', names: ['b.ts', 'c.ts'] },
    "sed -n '1,20p' a.ts": { type: 'read', names: ['a.ts'] },
    'head -n 5 a.ts': { type: 'read', names: ['a.ts'] },
    "rg 'f(' src": { type: 'search', pattern: 'f(' },
    'ls -la': { type: 'list' },
    'cat a > b': { type: 'run' },
    'sed -i s/a/b/ c': { type: 'run' },
    'npm test': { type: 'run' },
  });
});

it('can be undone with what agents have changed, unless its agents only read', () => {
  const turnWith = (role: string): TurnState => {
    const agent = { agentId: 'a', role, agentState: 'completed' as const };
    const item: TurnItem = { id: 'i', type: 'sub_agent', status: 'completed', action: 'task', ...agent };
    return { ...turnOf(SCENES.done), items: [item] };
  };
  assert.deepEqual([mayChangeByAgents(turnWith('worker')), turnChanges(turnWith('worker')).files], [true, 0]);
  assert.equal(mayChangeByAgents(turnWith('explorer')), false);
});

it('does not count a file that was left out of a patch as changed', () => {
  const turn = turnOf(SCENES.done, 1);
  const count = () => turnChanges(turn).files;
  const files = count();
  for (const item of turn.items) {
    if (item.type !== 'file_change') continue;
    item.changes = item.changes.map((change, index) => (index === 0 ? { ...change, decision: 'declined' } : change));
    break;
  }
  assert.equal(count(), files - 1);
});
