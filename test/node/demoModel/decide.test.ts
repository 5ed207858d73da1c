/** The decisions of the demo model alone, on constructed conversations. */
import assert from 'node:assert/strict';
import { describe, it } from 'vitest';
import { summaryMessage, summaryRequest } from '../../../src/core/prompt/compaction.ts';
import { readVerdict, reviewMessage } from '../../../src/core/prompt/approvalReview.ts';
import { decide } from '../../../src/node/demoModel/brain/decide.ts';
import { type Answer, callsOf, type Entry, type OfferedTools } from '../../../src/node/demoModel/conversation.ts';
import { textOf as textOfItem } from '../../../src/protocol/responseItem.ts';

const tools: OfferedTools = { shell: 'exec_command', patch: 'custom', plan: false, poll: true };
const asks = (...texts: string[]): Entry => ({ type: 'user', texts });
const exited = (code: number, text: string) => `Process exited with code ${code}\nOutput:\n${text}`;

function textOf(answer: Answer): string {
  return answer.flatMap((part) => (part.type === 'message' ? [part.text] : [])).join('\n');
}

function commandsOf(answer: Answer): string[] {
  return callsOf(answer).map(({ input }) => (JSON.parse(input) as { cmd: string }).cmd);
}

/** The history with the response in it and an output for each of its calls. */
function goOn(entries: readonly Entry[], answer: Answer, ...outputs: string[]): Entry[] {
  const said = callsOf(answer).flatMap(({ name, input }, index): Entry[] => {
    const callId = `${entries.length}-${index}`;
    return [
      { type: 'call', callId, name, input },
      { type: 'output', callId, text: outputs[index] ?? '' },
    ];
  });
  return [...entries, ...said];
}

describe('asked for something it cannot do', () => {
  const others = ['Hello!', 'Write a new test for this.', 'Do not fix the test.', 'What is a monad?', ''];
  it.each(others)('describes itself, and makes no call: "%s"', (text) => {
    const answer = decide({ tools, entries: [asks(text)] });
    assert.match(textOf(answer), /demo model[\s\S]*Tiller: Select Model/);
    assert.deepEqual(callsOf(answer), []);
  });
});

describe('asked to review a command', () => {
  const verdictOn = (command: string) => {
    const call = { command, cwd: '/w', justification: undefined, asked: 'The policy asks.', agent: undefined };
    const message = reviewMessage(['Fix the failing test.'], call);
    return readVerdict(textOf(decide({ tools, entries: [asks(textOfItem(message?.content ?? []))] })))?.verdict;
  };
  it.each(['npm test', 'node --test', 'node --test test/a.test.js', 'npx vitest run', 'npm run test:unit'])(
    'allows a run of tests: "%s"',
    (command) => assert.equal(verdictOn(command), 'allow'),
  );
  it.each(['npm run build', 'node x.js', 'npm test; rm x', 'touch test', 'node -e "test()"'])(
    'leaves all else to the user: "%s"',
    (command) => assert.equal(verdictOn(command), 'ask'),
  );
});

describe('asked for a summary of the thread', () => {
  const request = (): Entry => asks(textIn(summaryRequest('')));
  const textIn = (message: ReturnType<typeof summaryRequest>) => textOfItem(message.content);
  const repaired: Entry[] = [
    asks('Fix the failing test.'),
    { type: 'call', callId: 'a', name: 'exec_command', input: '{"cmd":"npm test"}' },
    { type: 'output', callId: 'a', text: exited(1, 'one test fails') },
    { type: 'call', callId: 'b', name: 'apply_patch', input: '*** Begin Patch\n*** Update File: a.js\n*** End Patch' },
    { type: 'output', callId: 'b', text: 'Done.' },
    { type: 'assistant', text: 'Repaired: it was a plus.' },
  ];

  it('names the task, the commands and their results', () => {
    const answer = decide({
      tools: { shell: null, patch: null, plan: false, poll: false },
      entries: [...repaired, request()],
    });
    assert.equal(
      textOf(answer),
      [
        '**The user asked**\n\n- Fix the failing test.',
        '**What was run and changed**\n\n- `npm test`\n- a patch of `a.js`',
        '**The last answer**\n\nRepaired: it was a plus.',
      ].join('\n\n'),
    );
  });

  it('carries an earlier summary over, without repeating it', () => {
    const first = textOf(decide({ tools, entries: [...repaired, request()] }));
    const earlier = asks(textIn(summaryMessage(first)));
    const second = textOf(
      decide({ tools, entries: [asks('Fix the failing test.'), earlier, asks('Thanks!'), request()] }),
    );
    assert.equal(second, `${first}\n\n**The user asked**\n\n- Thanks!`);
  });

  it('starts over once when it is compacted during the work', () => {
    const fix = asks('Fix the failing test.');
    const call: Entry = { type: 'call', callId: 'a', name: 'exec_command', input: '{"cmd":"ls"}' };
    const done: Entry = { type: 'output', callId: 'a', text: exited(0, '') };
    const compact = (entries: readonly Entry[]): Entry[] => {
      const summary = textOf(decide({ tools, entries: [...entries, request()] }));
      return [fix, asks(textIn(summaryMessage(summary)))];
    };
    const once = compact([fix, call, done]);
    assert.equal(commandsOf(decide({ tools, entries: once })).length, 2);
    const twice = compact([...once, call, done]);
    assert.match(textOf(decide({ tools, entries: twice })), /compacted twice/);
    assert.equal(commandsOf(decide({ tools, entries: [...twice, fix] })).length, 2);
  });

  it('ignores the earlier summary request when the thread continues', () => {
    const earlier = asks(textIn(summaryMessage('All is well.')));
    const answer = decide({ tools, entries: [asks('Hello!'), earlier, asks('Fix the failing test.')] });
    assert.equal(commandsOf(answer).length, 2);
  });
});

describe('asked to repair a test', () => {
  const requests = [
    'Fix the failing test.',
    'please make the tests pass',
    'The test suite is broken, can you repair it?',
    'Find the bug, but do not change the tests.',
    'Run the demo',
  ];
  it.each(requests)('announces its work and reads the files: "%s"', (text) => {
    const answer = decide({ tools, entries: [asks(text)] });
    assert.deepEqual(commandsOf(answer), ['pwd -P && ls -p', 'cat package.json']);
    assert.match(textOf(answer), /look around/);
  });

  it('ignores the context that the editor adds to the request', () => {
    const context = asks(
      '<environment_context>\n  <cwd>/w</cwd>\n</environment_context>',
      '# AGENTS.md instructions for /w\n\n<INSTRUCTIONS>\nHi.\n</INSTRUCTIONS>',
    );
    assert.equal(commandsOf(decide({ tools, entries: [context, asks('Fix the failing test.'), context] })).length, 2);
    assert.equal(commandsOf(decide({ tools, entries: [context] })).length, 0);
  });

  it('starts again when asked to continue', () => {
    const entries: Entry[] = [asks('Hello'), { type: 'assistant', text: 'I am …' }, asks('yes please')];
    assert.equal(commandsOf(decide({ tools, entries })).length, 2);
  });
});

describe('a decision without memory', () => {
  const entries = [asks('Fix the failing test.')];
  const first = decide({ tools, entries });

  it('is the same for the same history', () => {
    assert.deepEqual(decide({ tools, entries }), first);
  });

  it('runs the script of the manifest, or plain node directly', () => {
    const manifest = (test: string) => exited(0, JSON.stringify({ scripts: { test } }));
    const next = (test: string) => decide({ tools, entries: goOn(entries, first, exited(0, '/w\n'), manifest(test)) });
    assert.deepEqual(commandsOf(next('node --test test/')), ['node --test test/']);
    assert.deepEqual(commandsOf(next('jest')), ['npm test']);
  });

  it('ignores unknown calls', () => {
    const foreign: Entry[] = [
      { type: 'call', callId: 'x', name: 'exec_command', input: '{"cmd":"whoami"}' },
      { type: 'output', callId: 'x', text: exited(0, 'ann') },
    ];
    assert.deepEqual(decide({ tools, entries: [...entries, ...foreign] }), first);
  });

  it('waits for a command that is still running', () => {
    const started = goOn(entries, first, exited(0, '/w\n'), exited(0, '{"scripts":{"test":"node --test"}}'));
    const running = goOn(started, decide({ tools, entries: started }), 'Process running with session ID 7\nOutput:\n');
    const poll = decide({ tools, entries: running });
    assert.deepEqual(
      callsOf(poll).map(({ name }) => name),
      ['write_stdin'],
    );
    const ended = decide({ tools, entries: goOn(running, poll, exited(0, '# tests 3\n')) });
    assert.match(textOf(ended), /^There is nothing to repair.*all 3 tests/);
  });

  it('treats a call that was cut off as one that did not run', () => {
    const cut = goOn(entries, first, 'aborted', 'aborted');
    assert.match(textOf(decide({ tools, entries: cut })), /was not run/);
  });
});
