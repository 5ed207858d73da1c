/** The states of the panel, as the messages that lead to them; names as in the mock. */
import type { CommandChanges } from '../../../src/protocol/baseline.ts';
import type { DraftEdit } from '../../../src/protocol/draft.ts';
import type { ApprovalRequest, Event, EventMsgOf } from '../../../src/protocol/event.ts';
import type { DecisionReason } from '../../../src/protocol/policy.ts';
import type { ModelGroup } from '../../../src/protocol/modelMenu.ts';
import { initialThreadState } from '../../../src/protocol/thread.ts';
import { foldPanelEvent } from '../../../src/protocol/threadReducer.ts';
import type {
  AgentRow,
  HostMessage,
  InterruptedPatch,
  MentionRow,
  PanelSettings,
  ThreadRow,
} from '../../../src/protocol/wire.ts';
import {
  ANSWER,
  ASK,
  CODE,
  COLOURS,
  FAILED_OUTPUT,
  LIVE_OUTPUT,
  looksAround,
  THREE_FILES,
  THREE_FILES_DIFF,
} from './fixtures.ts';
import { commandItem, patchItem, Script, SETTINGS, TURN } from './script.ts';

export const BUILD = 'preview';

export interface PanelScene {
  readonly messages: readonly HostMessage[];
  /** Test ids clicked, in order, to get there. */
  readonly clicks?: readonly string[];
  /** Posted after the clicks. */
  readonly later?: readonly HostMessage[];
  /** Written into the composer after them. */
  readonly typed?: string;
  /** The answer to the list that it opens. */
  readonly rows?: readonly MentionRow[];
}

const CHOICES: ApprovalRequest['choices'] = ['approved', 'approved_for_thread', 'approved_rule', 'denied', 'abort'];

function scene(
  script: Script | null,
  settings: Partial<PanelSettings> = {},
  clicks: readonly string[] = [],
): PanelScene {
  const thread = script === null ? null : initialThreadState(script.threadId);
  const snapshot: HostMessage = {
    type: 'snapshot',
    build: BUILD,
    thread,
    earlierTurns: 0,
    access: { type: 'own' },
    draft: '',
    attachments: [],
    edit: null,
    draftCount: 0,
    settings: { ...SETTINGS, ...settings },
    texts: {},
  };
  const events: readonly Event[] = script?.events ?? [];
  return { messages: [snapshot, { type: 'events', build: BUILD, events }], clicks };
}

function story(): Script {
  const mention = { type: 'mention' as const, name: 'client.ts', path: 'src/http/client.ts' };
  return looksAround(
    new Script().emit({ type: 'title_changed', title: 'Cap retries in the fetch client' }).turn(ASK, mention),
  );
}

function titled(title: string, ask: string): Script {
  return new Script().emit({ type: 'title_changed', title }).turn(ask);
}

function stream(): Script {
  return story()
    .plan(3)
    .says(
      `The loop in [src/http/client.ts:14](src/http/client.ts#L14) never looks at the limit. I’ll give the policy one gate that both callers pass through:\n\n${CODE}\`\`\`\n`,
    )
    .item(patchItem(THREE_FILES.slice(0, 2), THREE_FILES_DIFF))
    .wait(40)
    .begin(commandItem('npm test -- retry'))
    .emit({ type: 'item_delta', itemId: 'i7', kind: 'output', text: LIVE_OUTPUT })
    .context(38)
    .emit({ type: 'input_queued', id: 'q1', input: [{ type: 'text', text: 'Also mention the limit in the README' }] });
}

function cut(): Script {
  return story().begin(commandItem('npm test -- retry')).emit({ type: 'turn_aborted', reason: 'crashed' });
}

function prose(): Script {
  return story()
    .plan(1)
    .streams(
      `Two callers share the delay but not the limit:\n\n- \`src/http/client.ts:14\` loops until the server answers.\n- \`src/http/client.ts:44\` checks \`policy.limit\` by hand.\n\n## What I’ll do\n\nPut the decision into **one pure function**, so that a test can cover it without a server:\n\n${CODE}
/** Full jitter: a random wait below the exponential bound. */
export function delayFor(attempt: number, random = Math.random): number {
  const bound = Math.min(30_000, 250 * 2 ** attempt);
  return Math.round(bound * ran`,
    )
    .context(36);
}

function approve(): Script {
  const script = story()
    .plan(2)
    .says(
      'Undici 7 ships a retry agent that does what `src/http/retry.ts` does by hand. I’ll add it and run the suite against it.',
    )
    .context(41)
    .begin(commandItem('npm install undici@7'))
    .asks({
      kind: 'escalation',
      command: 'cd packages/http && npm install undici@7 && npm test',
      cwd: TURN.cwd,
      box: 'none',
      justification: 'Install undici 7 and check the retry change with the suite.',
      reason: {
        source: 'sandbox',
        id: 'network',
        text: 'It needs the network (packages.acme.dev), which the sandbox denies.',
      },
      parts: [
        {
          command: 'cd packages/http',
          verdict: 'allow',
          reason: { source: 'heuristic', id: 'known-safe', text: 'Known to be harmless.' },
        },
        {
          command: 'npm install undici@7',
          verdict: 'prompt',
          reason: { source: 'sandbox', id: 'network', text: 'It needs the network.' },
        },
        {
          command: 'npm test',
          verdict: 'allow',
          reason: {
            source: 'rule',
            id: 'rule:rules.json#2',
            text: 'A rule allows commands that start with npm test.',
            rule: { pattern: ['npm', 'test'], decision: 'allow' },
          },
        },
      ],
      proposedRule: { pattern: ['npm', 'install'], decision: 'allow' },
      choices: CHOICES,
    });
  for (const command of ['npm run lint', 'npm run build']) script.begin(commandItem(command)).asks(plain(command));
  return script;
}

/** A command that was refused hosts: one, or several. */
function hosts(names: readonly [string, ...string[]]): Script {
  const command = 'npm install undici@7';
  return story()
    .plan(2)
    .says('Undici 7 ships a retry agent that does what `src/http/retry.ts` does by hand.')
    .begin(commandItem(command))
    .asks({
      kind: 'network',
      command,
      cwd: TURN.cwd,
      box: 'bubblewrap',
      hosts: [...names],
      reason: { source: 'sandbox', id: 'hosts', text: `The sandbox did not let it reach ${names.join(', ')}.` },
      proposedRule: { pattern: ['connect_host', [...names]], decision: 'allow' },
      choices: ['approved', 'approved_rule', 'denied', 'abort'],
    });
}

function plain(command: string): Omit<ApprovalRequest, 'approvalId' | 'itemId' | 'callId'> {
  return {
    kind: 'command',
    command,
    cwd: TURN.cwd,
    box: 'bubblewrap',
    justification: 'Run the whole suite once, with coverage.',
    reason: { source: 'policy', id: 'untrusted', text: 'You chose to be asked for every command.' },
    proposedRule: { pattern: ['npm', 'test'], decision: 'allow' },
    choices: CHOICES,
  };
}

function approvePlain(): Script {
  return story()
    .plan(4)
    .item(patchItem(THREE_FILES, THREE_FILES_DIFF))
    .says('Both callers now share `src/http/retry.ts:9`. Last, the whole suite.')
    .begin(commandItem('npm test'))
    .asks(plain('npm test -- --coverage'))
    .context(43);
}

/** A command that destroys work. */
function destructive(): Script {
  return story()
    .begin(commandItem('rm -rf build coverage'))
    .asks({
      ...plain('rm -rf build coverage ../shared/cache'),
      cwd: `${TURN.cwd}/packages/http`,
      justification: 'Start from a clean build.',
      destructive: true,
      reason: { source: 'heuristic', id: 'dangerous', text: 'It can permanently delete your work.' },
      proposedRule: undefined,
      choices: ['approved', 'approved_for_thread', 'denied', 'abort'],
    });
}

/** A command that a model reviews, after one that it has approved; then it leaves this one to the user. */
function inReview(end?: 'asks' | 'failed'): Script {
  const model = 'gpt-5-mini';
  const built = { ...commandItem('npm run build'), exitCode: 0, durationMs: 4_200, output: '> build\n' };
  const script = story()
    .begin(built)
    .asks({ ...plain('npm run build'), reviewer: { model, state: 'reviewing' } });
  const itemId = script.lastItem;
  const verdict = { model, text: 'It builds the project, which the fix that you asked for needs.' };
  script
    .emit({
      type: 'approval_resolved',
      approvalId: `a-${itemId}`,
      decision: 'approved',
      by: 'reviewer',
      reviewer: verdict,
    })
    .emit({
      type: 'item_completed',
      item: { ...built, id: itemId, status: 'completed' },
    })
    .begin(commandItem('npm run seed'))
    .asks({
      ...plain('npm run seed -- --reset'),
      justification: undefined,
      reviewer: { model, state: 'reviewing' },
    });
  const approvalId = `a-${script.lastItem}`;
  const texts = {
    asks: 'You have not asked for new test data, and “--reset” may replace what is there.',
    failed: 'It was not reviewed: it has not answered in 60 seconds. No more requests are reviewed in this turn.',
  };
  if (end) script.emit({ type: 'approval_reviewed', approvalId, model, outcome: end, text: texts[end] });
  return script;
}

/** A command that was approved several times: the host suggests a rule. */
function offer(): PanelScene {
  const asked = story().begin(commandItem('npm test -- retry')).asks(plain('npm test -- retry'));
  const { messages } = scene(asked);
  const suggestion = {
    rule: { pattern: ['npm', 'test'], decision: 'allow' as const },
    approvals: 4,
    commands: ['npm test', 'npm test -- retry', 'npm test -- --coverage'],
    lastAt: '2026-11-21T00:00:00.000Z',
  };
  const approvalId = `a-${asked.lastItem}`;
  return { messages: [...messages, { type: 'rule_suggestion', build: BUILD, approvalId, suggestion }] };
}

const PATCH_QUESTION = {
  kind: 'patch',
  changes: THREE_FILES,
  reason: { source: 'policy', id: 'review-before', text: 'You review every change before it lands.' },
  choices: ['approved', 'approved_for_thread', 'denied', 'abort'],
} satisfies Parameters<Script['asks']>[0];

function patch(): Script {
  return story()
    .plan(3)
    .says(
      'Both callers now ask `shouldRetry`, which reads the limit once. The test drives it with a fake clock, so it takes no time.',
    )
    .begin(patchItem(THREE_FILES, THREE_FILES_DIFF))
    .asks(PATCH_QUESTION)
    .context(44);
}

/** A pending patch, with one hunk and one file left out. */
function hunks(): PanelScene {
  const reasons = ['Use the policy of retry.ts'];
  const answered = THREE_FILES.map((change, index) =>
    index === 0 ? { ...change, decision: 'partial' as const, leftOut: 1, reasons } : change,
  );
  const asked = story()
    .plan(3)
    .item(patchItem(answered, THREE_FILES_DIFF))
    .begin(patchItem(THREE_FILES, THREE_FILES_DIFF))
    .asks({ ...PATCH_QUESTION, diff: THREE_FILES_DIFF });
  const approvalId = asked.events.flatMap(({ msg }) => (msg.type === 'approval_requested' ? msg.approvalId : []))[0];
  if (approvalId === undefined) throw new Error('Nothing is asked.');
  const files = [
    {
      path: 'src/http/client.ts',
      isOut: false,
      isEdited: false,
      hunks: ['in', 'out'],
      reasons: [{ hunk: 1, text: 'The loop ends elsewhere' }],
    },
    { path: 'src/http/retry.ts', isOut: false, isEdited: true, hunks: ['edited'], reasons: [] },
    { path: 'test/retry.test.ts', isOut: true, isEdited: false, hunks: ['out'], reasons: [] },
  ] as const;
  const { messages } = scene(asked);
  return { messages: [...messages, { type: 'proposal_choices', build: BUILD, review: { approvalId, files } }] };
}

/** A patch that would delete a file with unsaved edits. */
function discards(): Script {
  return story()
    .begin(patchItem(THREE_FILES, THREE_FILES_DIFF))
    .asks({
      ...PATCH_QUESTION,
      changes: [{ path: 'src/http/client.ts', kind: 'delete', added: 0, removed: 40, discardsUnsaved: true }],
    });
}

/** A patch that is asked about again: its files were moved, and a folder is gone. */
function moved(): Script {
  return story()
    .begin(patchItem(THREE_FILES, THREE_FILES_DIFF))
    .asks({
      ...PATCH_QUESTION,
      diff: THREE_FILES_DIFF,
      moved: [{ from: 'src/http/fetch.ts', to: 'src/http/client.ts' }],
      missingFolders: ['test/integration/helpers'],
    });
}

/** A command that would read the old text of files that a patch left unsaved. */
function unsaved(): Script {
  return story()
    .item(patchItem(THREE_FILES.slice(0, 2), THREE_FILES_DIFF))
    .begin(commandItem('npm test'))
    .asks({
      ...plain('npm test'),
      unsaved: ['src/http/client.ts', 'src/http/retry.ts'],
      choices: [...CHOICES, 'approved_saving'],
    });
}

/** Applied changes that are marked for Keep or Undo. */
function review(): PanelScene {
  const { messages } = scene(done());
  const files = [
    { path: '/w/src/http/client.ts', name: 'src/http/client.ts', kind: 'edited', changes: 3 },
    { path: '/w/src/http/retry.ts', name: 'src/http/retry.ts', kind: 'moved', changes: 1 },
    { path: '/w/test/retry.test.ts', name: 'test/retry.test.ts', kind: 'added', changes: 1 },
    { path: '/w/src/http/oldRetry.ts', name: 'src/http/oldRetry.ts', kind: 'deleted', changes: 1 },
  ] as const;
  return { messages: [...messages, { type: 'review', build: BUILD, review: { changes: 6, fileCount: 4, files } }] };
}

/** The thread works in a side copy, and something has not come home. */
function sideCopy(): PanelScene {
  const { messages } = review();
  return { messages: [...messages, { type: 'side_copy', build: BUILD, row: { id: '0123456789ab', changed: 12 } }] };
}

function done(): Script {
  const script = titled('Cap retries in the fetch client', 'Where do we retry requests, and how often?');
  looksAround(script)
    .says(
      'In one place, `src/http/client.ts:14`. The delay doubles from 250 ms, and nothing ends the loop: an API that stays down keeps the caller waiting for ever.',
    )
    .complete();
  looksAround(script.turn(ASK, { type: 'mention', name: 'client.ts', path: 'src/http/client.ts' }))
    .item(patchItem(THREE_FILES, THREE_FILES_DIFF))
    .ran('npm test -- retry', LIVE_OUTPUT, 0, 4.1)
    .ran('npm test', '128 passed\n', 0, 12)
    .wait(30)
    .says(
      'The client now gives up after 4 attempts and says so: the error carries the number of attempts and the last status. `src/http/retry.ts:9` holds the one rule; `test/retry.test.ts:12` covers the cap, the abort and a 404, which is never retried.\n\nOne thing to decide: uploads use the same policy. If they should not, pass `{ limit: 1 }` in `src/upload/send.ts:31`.',
    )
    .complete();
  return script
    .turn('Right, uploads should not retry at all.')
    .item(patchItem([{ path: 'src/upload/send.ts', kind: 'update', added: 1, removed: 1 }], ''))
    .ran('npm test -- upload', 'ok\n', 0, 2.8)
    .says('Done: `src/upload/send.ts:31` passes `{ limit: 1 }`.')
    .context(46)
    .complete();
}

const PLAN = `# Cap the retries of the fetch client

The client gives up after four attempts and says so.

1. \`src/http/retry.ts\`: one function \`mayRetry(attempt, status)\` that holds the limit.
2. \`src/http/client.ts:14\`: the loop asks it, and throws \`RetryError\` with the last status.
3. \`test/retry.test.ts\`: the cap, the abort, a 404 that is never retried.

**Check**: \`npm test -- retry\``;

/** Plan mode: two plans, the first of them replaced. */
function planned(isDone: boolean): Script {
  const script = new Script().emit({ type: 'title_changed', title: 'Cap the retries' }).inPlanMode().turn(ASK);
  const says = (title: string) =>
    `I have read the client and its tests.\n\n<proposed_plan>\n${PLAN.replace('Cap the retries', title)}\n</proposed_plan>`;
  looksAround(script).says(says('Limit the retries')).complete();
  script.turn('Leave uploads alone.');
  return isDone
    ? script.says(says('Cap the retries')).complete()
    : script.streams(says('Cap the retries').slice(0, 260));
}

/** A message that is edited in place, of a turn whose files can go back. */
function editSent(): PanelScene {
  const shown = scene(done());
  const edit: DraftEdit = { type: 'sent', id: 'i6', original: ASK, draft: 'half a thought', restoresFiles: true };
  return {
    ...shown,
    messages: shown.messages.map((message) =>
      message.type === 'snapshot' ? { ...message, draft: `${ASK} Uploads, too.`, edit } : message,
    ),
  };
}

/** A message of many lines is folded. */
function longMessage(): Script {
  const lines = Array.from({ length: 40 }, (_, index) => `at step ${index + 1} (src/http/client.ts:${index + 10})`);
  return titled('Long message', `Why does this fail?\n\n${lines.join('\n')}`)
    .says('The limit is never read.')
    .complete();
}

function commands(): Script {
  const script = titled('Commands', 'Run the checks and start the dev server.')
    .begin(commandItem('npm run build'))
    .emit({
      type: 'item_delta',
      itemId: 'i2',
      kind: 'output',
      text: 'vite v7.1.2 building for production…\ntransforming (214) src/http/client.ts',
    })
    .ran('npm run lint', 'No problems.\n', 0, 3.2)
    .ran('npm test', `${'passed\n'.repeat(2_206)}${FAILED_OUTPUT}`, 1, 6)
    .item({ ...commandItem('npm run dev'), processId: 'p1' })
    .emit({
      type: 'process_started',
      processId: 'p1',
      itemId: 'i5',
      command: 'npm run dev',
      cwd: '/w',
      box: 'bubblewrap',
    })
    .begin(commandItem('rm -rf node_modules'))
    .asks(plain('rm -rf node_modules'))
    .emit({
      type: 'approval_resolved',
      approvalId: 'a-i6',
      decision: { denied: { message: 'Use npm ci, it does that by itself.' } },
      by: 'user',
    });
  return script
    .emit({ type: 'item_completed', item: { ...commandItem('rm -rf node_modules'), id: 'i6', status: 'declined' } })
    .item({ ...commandItem('npx playwright test'), durationMs: 70_000 }, 'aborted')
    .item({ ...commandItem('make deploy'), why: FORBIDDEN.text, forbiddenBy: FORBIDDEN }, 'declined')
    .item({ ...commandItem('git status'), allowedBy: ALLOWED, exitCode: 0, durationMs: 40 })
    .item({ ...commandItem('npm run format'), exitCode: 0, durationMs: 900, changed: CHANGED_BY_COMMAND })
    .item({
      ...commandItem('npm install'),
      exitCode: 0,
      durationMs: 9_000,
      changed: { ...CHANGED_BY_COMMAND, total: 1_204 },
    })
    .item({ type: 'process_interaction', callId: 'w1', processId: 'p1', command: 'npm run dev', chars: '' })
    .item({ type: 'process_interaction', callId: 'w2', processId: 'p1', command: 'npm run dev', chars: 'rs\n' })
    .item({
      type: 'plan',
      explanation: 'The server runs.',
      steps: [
        { step: 'Start the dev server', status: 'completed' },
        { step: 'Find why the retry never ends', status: 'in_progress' },
        { step: 'Add a test with a virtual clock', status: 'pending' },
      ],
    })
    .context(22);
}

function commandChanges(): Script {
  return titled('Command changes', 'Format everything.').item({
    ...commandItem('npm run format'),
    exitCode: 0,
    durationMs: 900,
    changed: { ...CHANGED_BY_COMMAND, total: 1_204 },
  });
}

const CHANGED_BY_COMMAND: CommandChanges = {
  files: [
    { path: 'src/client.ts', kind: 'update', added: 12, removed: 9 },
    { path: 'src/generated/very/deep/folder/schema.generated.ts', kind: 'add', added: 240, removed: 0 },
    { path: 'src/old.ts', kind: 'delete', added: 0, removed: 31 },
    { path: 'src/shared.ts', kind: 'update', added: 1, removed: 1, uncertain: true },
    { path: 'assets/logo.psd', kind: 'update', cannotUndo: 'too_large' },
  ],
  total: 5,
  cannotUndo: 1,
};

/** Interrupted while one command ran and the approval of another one was pending. */
/** The model thinks; nothing else moves. */
function thinking(): Script {
  const script = titled('Thinking', 'Where can the loop end?').begin({ type: 'reasoning', summary: [] });
  const text =
    '**Inspecting the client**\n\nThe loop has no bound.\n\n**Looking for the limit**\n\nIt is in `RetryPolicy`.';
  return script.emit({ type: 'item_delta', itemId: script.lastItem, kind: 'summary', text });
}

/** A message of which no word has arrived. */
function silent(): Script {
  return looksAround(titled('Silent', 'Where can the loop end?')).streams('');
}

/** Half a sentence. */
function sentence(): Script {
  return looksAround(titled('Half a sentence', 'Where can the loop end?')).streams('The loop ends only when the');
}

function stopped(): Script {
  const script = titled('Stopped', 'Run the checks.')
    .item({ ...commandItem('npx playwright test'), durationMs: 11_000, output: 'Running 12 tests\n' }, 'aborted')
    .begin(commandItem('touch a'))
    .asks(plain('touch a'))
    .emit({ type: 'approval_resolved', approvalId: 'a-i3', decision: 'abort', by: 'turn_ended' });
  return script
    .emit({ type: 'item_completed', item: { ...commandItem('touch a'), id: 'i3', status: 'aborted' } })
    .item({ type: 'user_message', content: [{ type: 'text', text: 'And list what fails.' }] }, 'aborted')
    .abort('interrupted');
}

/** The folded line of a turn names denied and failed calls, too. */
function denied(): Script {
  return titled('Denied', 'Clean up.')
    .item(patchItem(THREE_FILES, THREE_FILES_DIFF), 'declined')
    .item(commandItem('rm -rf notes.txt'), 'declined')
    .ran('npm test', FAILED_OUTPUT, 1, 6)
    .ran('ls missing', 'No such file\n', 2)
    .says('I changed nothing.')
    .complete();
}

/** A command with characters that nothing shows: one that turns the direction of the text, and one without width. */
function hiddenCharacters(): Script {
  return titled('Hidden characters', 'Touch it.')
    .begin(commandItem('touch a\u202Eb\u200B'))
    .asks(plain('touch a\u202Eb\u200B'));
}

const SCRIPT_OF_LINES = `for name in one two; do\n  echo "$name ${'and on '.repeat(20)}"\ndone > lines.txt`;

/** A script of several lines, for which no rule is offered: it would never match again. */
function scriptOfLines(): Script {
  return titled('A script', 'Write them.')
    .begin(commandItem(SCRIPT_OF_LINES))
    .asks({ ...plain(SCRIPT_OF_LINES), proposedRule: undefined, choices: PATCH_QUESTION.choices });
}

function scriptThatRan(): Script {
  return titled('A script', 'Write them.').ran(SCRIPT_OF_LINES).says('Done.').complete();
}

const LONG_NAME = `src/a/b/c/${'long'.repeat(20)}.test.ts`;
const LONG_PATCH = patchItem(
  [{ path: LONG_NAME, kind: 'add', added: 1, removed: 0 }],
  `--- /dev/null\n+++ b/${LONG_NAME}\n@@ -0,0 +1 @@\n+x\n`,
);

function longName(): Script {
  return titled('A long name', 'Add it.')
    .begin(LONG_PATCH)
    .asks({ ...PATCH_QUESTION, changes: LONG_PATCH.changes });
}

function longNameDenied(): Script {
  return titled('A long name', 'Add it.').item(LONG_PATCH, 'declined').says('All right.').complete();
}

/** One error of each kind, with a typical message of a server. */
function errorKinds(): Script {
  const script = titled('Errors', 'Hello?');
  const errors: readonly Omit<EventMsgOf<'error'>, 'type'>[] = [
    {
      kind: 'no_key',
      message: 'https://api.openai.com requires an API key, and none was entered for it.',
      detail: 'HTTP 401',
      action: 'set_api_key',
    },
    {
      kind: 'auth',
      message: 'The server did not accept the API key.',
      detail: 'HTTP 401: Incorrect API key provided',
      action: 'set_api_key',
    },
    {
      kind: 'bad_response',
      message: 'The server reported an error.',
      detail: 'HTTP 502: Bad Gateway',
      action: 'retry',
    },
    {
      kind: 'invalid_request',
      message: 'The server refused the request.',
      detail: 'HTTP 400: Unknown field',
      action: 'show_log',
    },
    { kind: 'context_exceeded', message: 'The conversation is longer than the model can read.', action: 'compact' },
    { kind: 'paused', message: 'Paused after 200 tool rounds. Try again to continue.', action: 'retry' },
  ];
  for (const [index, error] of errors.entries()) {
    if (index > 0) script.turn('Hello?');
    script.emit({ type: 'error', ...error }).abort('failed');
  }
  return script;
}

const ALLOWED: DecisionReason = {
  source: 'rule',
  id: 'rule:/home/mira/.local/share/tiller/workspace-rules.json#11',
  text: 'A rule allows commands that start with git (status|log|diff|show).',
  rule: { pattern: ['git', ['status', 'log', 'diff', 'show', 'branch', 'rev-parse']], decision: 'allow' },
};

const FORBIDDEN: DecisionReason = {
  source: 'rule',
  id: 'rule:/w/.tiller/rules.json#0',
  text: 'Deployments are made by the pipeline.',
  rule: { pattern: ['make', ['deploy', 'publish']], decision: 'forbidden' },
};

function colours(): Script {
  return titled('Colours', 'Show me all of them.').begin(commandItem('colours --all')).emit({
    type: 'item_delta',
    itemId: 'i2',
    kind: 'output',
    text: COLOURS,
  });
}

function patches(): Script {
  const script = titled('Patches', 'Make the change.').begin(patchItem([], ''));
  return script
    .emit({
      type: 'item_delta',
      itemId: script.lastItem,
      kind: 'patch',
      text: `*** Begin Patch\n*** Update File: src/http/client.ts\n@@\n${'+a\n'.repeat(12)}${'-b\n'.repeat(5)}*** Update File: src/http/retry.ts\n@@\n export interface Policy {\n-  attempts: number;\n+  readonly attempts: number;\n+  readonly delayMs: number;\n`,
    })
    .item(patchItem(THREE_FILES, THREE_FILES_DIFF))
    .begin({ ...patchItem([], ''), patch: '*** Begin Patch\n*** Add File: a.txt\n+a\n*** End Patch\n' })
    .item(patchItem(THREE_FILES.slice(0, 1), THREE_FILES_DIFF), 'declined')
    .item(patchItem(THREE_FILES.slice(1, 2), THREE_FILES_DIFF), 'failed')
    .context(30);
}

/** The states of problems after patches. */
function problems(): Script {
  const known = { errors: 0, warnings: 0, fixed: 0, checking: [], unchecked: [] };
  const applied = { ...patchItem(THREE_FILES.slice(0, 1), THREE_FILES_DIFF) };
  return titled('Problems', 'Make the change.')
    .item({ ...applied, problems: { ...known, errors: 2, fixed: 1 } })
    .item({ ...applied, problems: { ...known, errors: 1, warnings: 3, checking: ['src/http/retry.ts'] } })
    .item({ ...applied, problems: { ...known, checking: ['src/http/client.ts', 'src/http/retry.ts'] } })
    .item({ ...applied, problems: { ...known, fixed: 3 } })
    .item({ ...applied, problems: { ...known, unchecked: ['src/http/client.ts'] } })
    .context(30);
}

function question(): Script {
  return story()
    .says('Before I write the test, one thing only you can know.')
    .emit({
      type: 'question_requested',
      request: {
        source: 'model',
        questionId: 'question-1',
        questions: [
          {
            // Named by the model: the name of an inherited property is a name like any other.
            id: 'constructor',
            header: '429',
            question: 'Should a 429 count towards the limit?',
            options: [
              { label: 'Yes, like any failure', description: 'The client gives up after 4 answers of any kind.' },
              { label: 'No, wait as the server says', description: 'Obeys Retry-After, at most 60 s in all.' },
            ],
          },
        ],
      },
    })
    .context(33);
}

function questions(): Script {
  const asked = (id: string, header: string, question: string, labels: readonly string[]) => ({
    id,
    header,
    question,
    options: labels.map((label) => ({
      label,
      description: `What follows from ${label.toLowerCase()}, in one sentence.`,
    })),
  });
  const limit = asked('429', 'Limit', 'Should a 429 count towards the limit?', ['Like any failure', 'No']);
  const call = { type: 'user_question' as const, callId: 'c' };
  return story()
    .item({ ...call, questions: [limit], answers: { '429': ['No, but at most three times in a row'] } })
    .emit({
      type: 'item_completed',
      item: {
        ...call,
        id: 'unanswered',
        questions: [limit],
        status: 'declined',
        why: 'No user can answer in this run. Decide yourself, say what you have assumed, and go on.',
      },
    })
    .says('Two more, before I change the callers.')
    .emit({
      type: 'question_requested',
      request: {
        source: 'model',
        questionId: 'question-3',
        questions: [
          asked('backoff', 'Back-off', 'How long should the client wait between two attempts?', [
            'Doubling',
            'Always 1 s',
          ]),
          asked('log', 'Log', 'Where should a failed attempt be logged?', ['Debug log', 'Warning', 'Nowhere']),
        ],
      },
    })
    .context(35);
}

function cap(): Script {
  return story()
    .says('The retry test passes now. Next come the three callers that swallow the error.')
    .emit({
      type: 'question_requested',
      request: {
        source: 'tiller',
        questionId: 'question-cap',
        questions: [
          {
            id: 'cap',
            header: 'Cap of a turn',
            question: 'This turn has used 210,000 tokens; the cap is 200,000. Continue?',
            options: [
              { label: 'Continue', description: 'Raises the cap for this turn to 400,000.' },
              { label: 'Stop', description: 'Ends the turn here. “Try Again” goes on from there.' },
            ],
          },
        ],
      },
    })
    .context(41);
}

function mcp(): Script {
  const call = { type: 'mcp_tool_call' as const, callId: 'c', server: 'github', durationMs: 800 };
  return titled('File the retry bug', 'File this as a bug on GitHub and link the commit.')
    .item({
      ...call,
      tool: 'search_issues',
      arguments: { query: 'retry forever' },
      result: [{ type: 'input_text', text: '{"total_count":0,"items":[]}' }],
    })
    .item({
      type: 'dynamic_tool_call',
      callId: 'c',
      tool: 'read_ticket',
      arguments: { id: 7 },
      contentItems: [],
      success: true,
    })
    .says('No open issue matches. I’ll create one.')
    .emit({
      type: 'question_requested',
      request: {
        source: 'mcp',
        questionId: 'question-2',
        server: 'github',
        message: 'The MCP server github wants to know where to file the issue.',
        requestedSchema: {
          type: 'object',
          properties: {
            repository: { title: 'Repository', enum: ['acme/web', 'acme/http'] },
            label: { title: 'Label', type: 'string', default: 'bug' },
            assignee: { title: 'Assign to', type: 'string', description: 'Nobody' },
            link: { title: 'Link the commit', type: 'boolean', default: true },
          },
        },
      },
    })
    .context(19);
}

function mcpTool(): Script {
  return titled('File the retry bug', 'File this as a bug on GitHub.')
    .begin({
      type: 'mcp_tool_call',
      callId: 'c',
      server: 'github',
      tool: 'create_issue',
      arguments: { title: 'Retry never gives up', repository: 'acme/http' },
      durationMs: 0,
    })
    .asks({
      kind: 'tool',
      command: 'create_issue {"title":"Retry never gives up","repository":"acme/http"}',
      tool: {
        server: 'github',
        name: 'create_issue',
        description: 'Creates an issue in a repository and sends it to everybody who watches the repository.',
        changes:
          '--- a/create_issue\n+++ b/create_issue\n@@ -1,2 +1,2 @@\n-  "description": "Creates an issue in a repository."\n+  "description": "Creates an issue in a repository and sends it to everybody who watches the repository."\n',
      },
      reason: {
        source: 'policy',
        id: 'mcp-changed',
        text: 'The description of create_issue by github has changed since you approved it.',
      },
      choices: ['approved', 'approved_for_thread', 'approved_tool', 'denied', 'abort'],
    })
    .context(19);
}

function fetches(): Script {
  const url = 'https://undici.nodejs.org/docs/docs/api/RetryAgent.html?lang=en';
  return titled('Compare retry libraries', 'What does undici retry by itself?')
    .asks({
      kind: 'tool',
      command: "fetch_url https://undici.nodejs.org '/docs/docs/api/RetryAgent.html?lang=en'",
      url,
      reason: {
        source: 'policy',
        id: 'fetch-host',
        text: 'No rule allows undici.nodejs.org, and the host receives this address.',
      },
      proposedRule: { pattern: ['fetch_url', 'https://undici.nodejs.org'], decision: 'allow' },
      choices: ['approved', 'approved_for_thread', 'approved_rule', 'denied', 'abort'],
    })
    .context(19);
}

function agents(): Script {
  const hook = { type: 'hook_run' as const, source: 'tiller.hooks', durationMs: 120 };
  const agent = { type: 'sub_agent' as const, agentId: 'x', agentState: 'running' as const };
  return titled(
    'Compare retry libraries',
    'Compare three retry libraries and check how the login page looks while offline.',
  )
    .item({
      type: 'compaction',
      beforeTokens: 182_000,
      afterTokens: 24_000,
      summary: 'We compared **three** libraries.',
    })
    .item({
      type: 'web_search',
      query: 'undici retry agent jitter',
      action: { type: 'search', queries: ['undici retry agent jitter', 'undici RetryAgent minTimeout'] },
    })
    .item({
      type: 'web_search',
      action: { type: 'open_page', url: 'https://undici.nodejs.org/docs/api/RetryAgent.html' },
    })
    .item({
      type: 'web_search',
      action: { type: 'find_in_page', url: 'https://undici.nodejs.org/docs/api/RetryAgent.html', pattern: 'jitter' },
    })
    .item({
      type: 'agent_message',
      text: 'RetryAgent has no jitter of its own ([undici.nodejs.org](https://undici.nodejs.org/docs/api/RetryAgent.html)).',
      citations: [
        { url: 'https://undici.nodejs.org/docs/api/RetryAgent.html', title: 'Class: RetryAgent | Undici' },
        { url: 'https://www.npmjs.com/package/p-retry', title: '' },
      ],
    })
    .item({
      type: 'web_fetch',
      callId: 'f1',
      url: 'https://undici.nodejs.org/docs/docs/api/RetryAgent.html?lang=en',
      httpStatus: 200,
      contentType: 'text/html; charset=utf-8',
      bytes: 18_204,
      text: '# Class: RetryAgent\n\nAllows automatic retry of requests.',
    })
    .emit({
      type: 'item_completed',
      item: {
        id: 'not-fetched',
        type: 'web_fetch',
        status: 'failed',
        callId: 'f2',
        url: 'https://retry.example/',
        why: 'retry.example could not be reached (ENOTFOUND).',
      },
    })
    .item({ type: 'image_view', path: 'docs/login-offline.png', width: 1366, height: 768 })
    .emit({
      type: 'item_completed',
      item: {
        id: 'not-viewed',
        type: 'image_view',
        path: 'docs/login.svg',
        status: 'failed',
        why: 'docs/login.svg cannot be shown: it is an SVG; only PNG, JPEG, GIF and WebP images can be sent.',
      },
    })
    .item(
      {
        ...hook,
        event: 'PreToolUse',
        tool: 'Bash',
        command: './hooks/no-push.sh',
        effect: 'blocked',
        text: 'Pushing is up to you.',
      },
      'declined',
    )
    .item({ ...hook, event: 'SessionStart', command: 'git status --short', effect: 'context', text: ' M src/retry.ts' })
    .item(
      {
        ...hook,
        event: 'PostToolUse',
        tool: 'Edit',
        command: 'npx prettier --write .',
        effect: 'failed',
        text: 'It did not end within 60 s and was ended.',
      },
      'failed',
    )
    .item({ type: 'file_lookup', callId: 'l1', action: 'search', path: 'src', pattern: 'retry\\(' })
    .item({ type: 'file_lookup', callId: 'l2', action: 'read', path: 'src/retry.ts' })
    .item(
      {
        type: 'command_execution',
        callId: 't1',
        command: 'npm test -- test/retry.test.ts',
        argv: ['bash', '-c', 'npm test -- test/retry.test.ts'],
        cwd: '/home/user/fetch',
        box: 'bubblewrap',
        exitCode: 1,
        durationMs: 4_200,
        output: ' FAIL  test/retry.test.ts > retry > waits longer each time\n',
        tests: {
          passed: 40,
          failed: 2,
          skipped: 1,
          failures: [
            {
              name: 'retry > waits longer each time',
              path: 'test/retry.test.ts',
              line: 18,
              message: 'AssertionError: expected 200 to be 400',
            },
            { name: 'test/client.test.ts', path: 'test/client.test.ts', message: "Error: Cannot find module './send'" },
          ],
        },
      },
      'failed',
    )
    .item({
      type: 'code_navigation',
      callId: 'n1',
      op: 'references',
      symbol: 'retry',
      found: 2,
      text: '2 references of retry:\nsrc/client.ts:12  return retry(send, 3);\ntest/retry.test.ts:4  await retry(fail, 2);',
    })
    .emit({
      type: 'item_completed',
      item: {
        id: 'not-renamed',
        type: 'code_navigation',
        status: 'failed',
        callId: 'n2',
        op: 'rename',
        symbol: 'send',
        why: 'Index not ready: within 10 s no language extension of the editor has answered about this.',
      },
    })
    .item({ type: 'file_lookup', callId: 'l3', action: 'memory', path: 'Retry requests with a backoff' })
    .begin({ ...agent, role: 'compare', lastMessage: 'Reading the three libraries' })
    .item({ ...agent, role: 'undici', agentState: 'completed', lastMessage: 'Has jitter, obeys Retry-After' })
    .item({ type: 'user_message', content: [{ type: 'text', text: 'Leave out anything that needs Node 22.' }] })
    .says('Understood; that removes the newest cockatiel. I’ll compare')
    .context(12)
    .wait(80)
    .abort('interrupted');
}

/** Sub-agents of a running turn, one of which may ask; and what is left of an earlier one. */
function agentsAtWork(
  clicks: readonly string[],
  requests: readonly Omit<ApprovalRequest, 'approvalId' | 'itemId' | 'callId'>[] = [],
): PanelScene {
  const none = { depth: 0, isLive: true, line: '', approvals: [], questions: [] } as const;
  const [explorer, worker, reviewer] = [
    { agentId: 'a1', role: 'explorer', color: 'blue', description: 'Find the callers of retry', state: 'running' },
    { agentId: 'a2', role: 'worker', color: 'green', description: 'Cap the retries of post', state: 'running' },
    { agentId: 'a3', role: 'reviewer', color: 'orange', description: 'Review the patch', state: 'interrupted' },
  ] as const;
  const copied = {
    agentId: 'a5',
    role: 'worker',
    color: 'green',
    description: 'Move the tests',
    state: 'errored',
  } as const;
  const script = titled('Cap retries in the fetch client', 'Cap the retries everywhere.');
  script.says('I have three parts of this done at the same time.');
  for (const { state, ...agent } of [reviewer, copied, explorer, worker]) {
    script.emit({ type: 'agent_status', ...agent, state, isTask: true }, null);
    const { agentId, role, description } = agent;
    const item = { type: 'sub_agent' as const, action: 'task' as const, agentId, role, description, agentState: state };
    if (state === 'running') script.begin(item);
    else script.item(item, 'aborted');
  }
  const approvals = requests.map((request, index) => ({
    approvalId: `of-agent-${index}`,
    itemId: 'i-agent',
    callId: 'c-agent',
    ...request,
    agent: { id: 'a2', role: 'worker' },
  }));
  const rows: readonly AgentRow[] = [
    { ...none, ...reviewer, isTask: true, isLive: false, tokens: 4_100 },
    { ...none, ...explorer, isTask: true, tokens: 18_300, line: 'rg -n "retry\\(" src' },
    { ...none, ...worker, isTask: true, tokens: 7_250, line: 'npm test -- retry', approvals },
    {
      ...none,
      agentId: 'a4',
      role: 'worker',
      state: 'completed',
      depth: 1,
      tokens: 900,
      line: 'The mock is done.',
      noSideCopy: 'other_folder',
    },
    { ...none, ...copied, isTask: true, isLive: false, tokens: 5_300, inSideCopy: true, changedInCopy: 3 },
  ];
  const { messages } = scene(script.context(31));
  return { messages: [...messages, { type: 'agents', build: BUILD, rows }], clicks };
}

/** A review with findings: open, without a place, sent and dismissed; and one that has failed. */
function codeReview(): Script {
  const review = { type: 'code_review' as const, target: { type: 'uncommitted' as const }, agentId: 'a1', text: '' };
  const at = (path: string, first: number, last = first) => ({ path, lines: { first, last }, quote: 'x' });
  return titled('Cap retries in the fetch client', 'Cap the retries everywhere.')
    .says('The retries are capped in `client.ts`.')
    .complete()
    .begins()
    .item({
      ...review,
      isCorrect: false,
      text: 'The cap is not applied to streamed requests, so that they retry without end.',
      findings: [
        {
          id: '1',
          title: 'Count the attempts of streamed requests',
          body: '`openStream` starts a new `RetrySchedule` for **each** chunk, so that `attempt` is always 1 and the cap is never reached when a server cuts the stream again and again.',
          priority: 0,
          confidence: 0.9,
          state: 'open',
          ...at('src/http/client.ts', 41, 48),
        },
        {
          id: '2',
          title: 'Name the unit of retryAfter in the settings that the administrator of a whole organization may set',
          body: 'The header is in seconds, the setting in milliseconds.',
          priority: 2,
          state: 'open',
          ...at('packages/administration/src/settings/organization/retrySettings.ts', 7),
        },
        { id: '3', title: 'Describe the cap in the changelog', body: '', priority: 3, state: 'open' },
        {
          id: '4',
          title: 'Close the socket',
          body: 'It leaks.',
          priority: 1,
          state: 'sent',
          ...at('src/http/pool.ts', 9),
        },
        { id: '5', title: 'Rename it', body: 'No.', priority: 3, state: 'dismissed', ...at('src/a.ts', 3) },
      ],
    })
    .complete()
    .begins()
    .item(
      {
        ...review,
        target: { type: 'commit', commit: '4f0c1a9b27de', title: 'Retry once' },
        why: 'The server does not know this model.',
        findings: [],
      },
      'failed',
    )
    .complete()
    .context(31);
}

/** Comments on lines that are not sent. */
function withComments(): PanelScene {
  const { messages } = scene(codeReview());
  return { messages: [...messages, { type: 'comments', build: BUILD, pending: { count: 3, files: 2 } }] };
}

/** The thread of a sub-agent, or one that works as an agent of a file. */
function agentShown(by: Pick<EventMsgOf<'thread_started'>, 'parentId' | 'agent'>): PanelScene {
  const script = new Script();
  script.emit(
    {
      type: 'thread_started',
      cwd: TURN.cwd,
      model: TURN.model,
      approvalPolicy: TURN.approvalPolicy,
      sandbox: 'workspace-write',
      box: 'bubblewrap',
      rolloutPath: null,
      ...by,
    },
    null,
  );
  return scene(
    looksAround(script.turn('Find all callers of retry.')).says('There are two, in `src/http/`.').complete(),
  );
}

function compaction(): Script {
  const before = { type: 'compaction' as const, beforeTokens: 233_000, trigger: 'limit' as const };
  const summary =
    '**The user wants** a cap on retries in the fetch client.\n\n- `shouldRetry` holds the limit of 5\n- `post` still has to use it';
  const script = titled('Cap retries in the fetch client', 'Cap the retries at 5.')
    .item({ ...before, afterTokens: 24_000, summary, undone: true })
    .says('`get` is done.')
    .context(70)
    .wait(60)
    .emit({ type: 'turn_completed', lastMessage: null });
  script
    .turn('Now do `post`.')
    .item({ ...before, trigger: 'context_exceeded', afterTokens: 21_300, summary })
    .says('`post` is done, too.');
  script.emit({ type: 'turn_completed', lastMessage: null });
  // By hand, in a turn of its own.
  const item = { type: 'compaction' as const, id: 'by-hand', beforeTokens: 30_100, afterTokens: 9_800, summary };
  script
    .emit({ type: 'turn_started', settings: TURN, contextWindow: 272_000 }, 'by-hand')
    .emit({ type: 'item_completed', item: { ...item, status: 'completed', trigger: 'manual' } }, 'by-hand')
    .emit({ type: 'turn_completed', lastMessage: null }, 'by-hand');
  return script;
}

function compacting(): Script {
  const script = compaction();
  script
    .turn('And the tests?')
    .begin({ type: 'compaction', beforeTokens: 240_000, afterTokens: 0, summary: '', trigger: 'limit' });
  return script.context(91);
}

function compactionFailed(): Script {
  const script = compaction();
  const item = {
    type: 'compaction' as const,
    id: 'failed',
    beforeTokens: 240_000,
    afterTokens: 0,
    summary: '',
    status: 'failed' as const,
  };
  script
    .turn('And the tests?')
    .emit({ type: 'item_completed', item: { ...item, why: 'The server is overloaded. Tried 6 times.' } });
  script.emit({
    type: 'error',
    kind: 'context_exceeded',
    message: 'The thread could not be compacted and is unchanged. The server is overloaded. Tried 6 times.',
    action: 'compact',
  });
  return script.context(100).abort('failed');
}

function errors(): Script {
  return titled('Cap retries in the fetch client', 'Cap the retries.')
    .emit({ type: 'warning', message: 'tiller.maxToolRounds is not a number; 200 is used.' })
    .emit({
      type: 'warning',
      message:
        'The command made /home/mira/acme-web/.claude, which can make editors and agents run code: Tiller moved it out of the workspace.',
      quarantineId: 'moved',
    })
    .emit({
      type: 'error',
      kind: 'network',
      message: 'Nothing answers at the server’s address: is the server running? Tried 6 times.',
      detail: 'connect ECONNREFUSED 127.0.0.1:11434',
      action: 'check_network',
    })
    .context(99)
    .abort('failed');
}

function retry(): Script {
  return titled('Cap retries in the fetch client', 'Cap the retries.').wait(59).emit({
    type: 'stream_error',
    kind: 'rate_limited',
    message: 'gpt-5-codex allows 30,000 tokens a minute.',
    attempt: 2,
    of: 6,
    // Longer than a run of all scenes on a busy machine: then there is no attempt to wait for.
    retryInMs: 1_800_000,
  });
}

/** An answer with every element that answers contain besides plain prose. */
function answer(): Script {
  return titled('An answer', 'Explain the back-off.').says(ANSWER).complete();
}

/** An error with an action of its own, beside which the turn can be tried again. */
function rejected(): Script {
  return titled('Rejected', 'Cap the retries.')
    .emit({
      type: 'error',
      kind: 'auth',
      message: 'The server did not accept the API key.',
      detail: 'HTTP 401: Incorrect API key provided: sk-…f2a.',
      action: 'set_api_key',
    })
    .abort('failed');
}

function markdown(): Script {
  return titled('Everything markdown', 'Show me everything.').streams(
    `# One\n\n1. first\n2. second with \`code\`\n   \`\`\`sh\n   npm ci\n   \`\`\`\n\n> quoted\n\n| a | b |\n|:-:|--:|\n| 1 | 2 |\n\n---\n\nSee https://example.com/a_b and [docs](https://example.com), never [this](javascript:alert(1)) or <b>that</b>.\n\n\`\`\`json\n{ "a": [1, true, null] }\n\`\`\`\n`,
  );
}

function long(): Script {
  const script = titled('A long thread', 'Turn 1');
  for (let turn = 1; turn <= 200; turn++) {
    if (turn > 1) script.turn(`Turn ${turn}`);
    script.ran(`echo ${turn}`, `${turn}\n`).ran('npm test', 'ok\n').says(`Answer **${turn}**.`).complete();
  }
  return script;
}

/** Shows the thread as another window's: its pending requests cannot be answered here. */
function readOnly(script: Script): PanelScene {
  const { messages } = scene(script);
  const access = { type: 'read_only', reason: 'owned', taken: false } as const;
  return { messages: messages.map((message) => (message.type === 'snapshot' ? { ...message, access } : message)) };
}

const DELETED: HostMessage = { type: 'thread_deleted', build: BUILD, threadId: 'd', title: 'Try a monorepo' };

/** The list over a thread, as the host sends it. */
function threadList(rows: readonly ThreadRow[], clicks: readonly string[] = []): PanelScene {
  const { messages } = scene(done(), {}, ['thread-title']);
  return {
    messages: [
      ...messages,
      { type: 'elsewhere', build: BUILD, waiting: 1, running: 1 },
      { type: 'threads', build: BUILD, rows, isFirst: true, isLast: true },
      ...(rows.length === 0 ? [] : [DELETED]),
    ],
    clicks: ['thread-title', ...clicks],
  };
}

/** A patch to many files that a crash interrupted, in its thread. */
function interrupted(more: Partial<InterruptedPatch> = {}): PanelScene {
  const files = [
    ...THREE_FILES.map(({ path, kind }) => ({ path, kind })),
    { path: 'src/http/oldRetry.ts', kind: 'delete' as const },
    ...Array.from({ length: 96 }, (_, index) => ({ path: `src/pages/page${index}.ts`, kind: 'update' as const })),
  ];
  const startedAt = new Date(Date.now() - 5 * 60_000).toISOString();
  const patch: InterruptedPatch = { id: 'p1', startedAt, count: 104, files, settling: null, ...more };
  const { messages } = scene(cut());
  return { messages: [...messages, { type: 'interrupted', build: BUILD, patches: [patch] }] };
}

const HOUR = 3_600_000;

function row(id: string, title: string, hoursAgo: number, more: Partial<ThreadRow> = {}): ThreadRow {
  const updatedAt = new Date(Date.now() - hoursAgo * HOUR).toISOString();
  const common = { status: 'idle', note: null, isPinned: false, model: 'gpt-5-codex', place: 'acme-web' } as const;
  return { id, title, updatedAt, ...common, ...more };
}

const ROWS: readonly ThreadRow[] = [
  row('thread-1', 'Cap retries in the fetch client', 0),
  row('w', 'Upgrade to TypeScript 7', 0.03, { status: 'waiting', note: 'Run npm install typescript@7?' }),
  row('r', 'Compare retry libraries', 0.07, { status: 'running' }),
  row('u', 'Why is the login page slow?', 0.1, { status: 'unread' }),
  row('f', 'Add a Gradle build', 0.2, { status: 'failed', note: 'failed' }),
  row('e1', 'Explain the build pipeline, the cache in front of it and who clears that cache when', 40),
  row('e2', 'Rename Session to Thread', 240, { isPinned: true }),
  row('e3', 'Dark theme for the admin pages', 9_000),
];

/** The rows of a search: each with what was found. */
const FOUND_THREADS: readonly ThreadRow[] = [
  row('thread-1', 'Cap retries in the fetch client', 0, {
    found: { before: 'Cap ', match: 'retries', after: ' in the fetch client' },
  }),
  row('e3', 'Dark theme for the admin pages', 9_000, {
    found: {
      before: 'The request of the colours fails from time to time, so it ',
      match: 'retries',
      after: ' three times before it gives up',
    },
  }),
];

function mentionRow(name: string, label: string, detail: string, more: Partial<MentionRow> = {}): MentionRow {
  const mention = { type: 'mention', kind: 'file', name, path: `/home/mira/acme-web/${name}` } as const;
  return { mention, label, detail, positions: [], ...more };
}

export const MENTION_ROWS: readonly MentionRow[] = [
  mentionRow('src/http/client.ts', 'client.ts', 'src/http'),
  mentionRow('README.md', 'README.md', ''),
  mentionRow('selection', 'Selection', 'src/http/client.ts:14-22', {
    mention: {
      type: 'mention',
      kind: 'selection',
      name: 'selection',
      path: '/home/mira/acme-web/src/http/client.ts',
      lines: { first: 14, last: 22 },
    },
  }),
  mentionRow('problems', 'Problems', '3 errors, 1 warning', {
    mention: { type: 'mention', kind: 'problems', name: 'problems', path: '' },
  }),
  mentionRow('changes', 'Git Changes', '4 files', {
    mention: { type: 'mention', kind: 'changes', name: 'changes', path: '' },
  }),
  mentionRow('terminal', 'Terminal Output', 'bash', {
    mention: { type: 'mention', kind: 'terminal', name: 'terminal', path: '', id: 'bash' },
  }),
  mentionRow('.env', '.env', '', { refused: '.env may not be read (sandbox.unreadable: **/.env)' }),
  mentionRow('media/logo.svg', 'logo.svg', 'media'),
  mentionRow('packages/a-very-long-name-of-a-package/src/', 'src/', 'packages/a-very-long-name-of-a-package', {
    mention: {
      type: 'mention',
      kind: 'folder',
      name: 'packages/a-very-long-name-of-a-package/src/',
      path: '/home/mira/acme-web/packages/a-very-long-name-of-a-package/src',
    },
  }),
  mentionRow('thread:Upgrade to TypeScript 7', 'Upgrade to TypeScript 7', 'Thread', {
    mention: { type: 'mention', kind: 'thread', name: 'thread:Upgrade to TypeScript 7', path: '', id: 'w' },
  }),
];

const FOUND_ROWS: readonly MentionRow[] = [
  mentionRow('src/http/retry.ts', 'retry.ts', 'src/http', { positions: [0, 1, 2] }),
  mentionRow('test/retry.test.ts', 'retry.test.ts', 'test', { positions: [0, 1, 2] }),
  mentionRow('RetryPolicy', 'RetryPolicy', 'src/http/retry.ts:4', {
    mention: {
      type: 'mention',
      kind: 'symbol',
      name: 'RetryPolicy',
      path: '/home/mira/acme-web/src/http/retry.ts',
      lines: { first: 4, last: 9 },
    },
    positions: [0, 1, 2],
  }),
];

/** A blue square. */
const SQUARE =
  'data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAgAAAAICAIAAABLbSncAAAAEklEQVR4nGNgSDmDFTEMLQkAe3BOwbBz6LwAAAAASUVORK5CYII=';
const IMAGE = {
  type: 'image',
  imageUrl: SQUARE,
  thumbnail: SQUARE,
  name: 'Screenshot of the login page.png',
  width: 1_568,
  height: 882,
  bytes: 341_200,
} as const;

const ATTACHED: HostMessage = {
  type: 'insert_text',
  build: BUILD,
  text: 'Make it look like this.',
  attachments: [
    { part: IMAGE, inText: false },
    {
      part: {
        type: 'mention',
        kind: 'file',
        name: 'src/http/client.ts',
        path: '/home/mira/acme-web/src/http/client.ts',
      },
      inText: false,
    },
    {
      part: { type: 'mention', kind: 'folder', name: 'src/http/', path: '/home/mira/acme-web/src/http' },
      inText: false,
    },
  ],
};

const SELECTION: HostMessage = {
  type: 'selection',
  build: BUILD,
  mention: {
    type: 'mention',
    kind: 'selection',
    name: 'src/http/retry.ts:14-22',
    path: '/home/mira/acme-web/src/http/retry.ts',
    lines: { first: 14, last: 22 },
  },
};

function imageSent(): Script {
  return new Script().turn('Make it look like this.', IMAGE).says('Done.').complete();
}

/** A message with all that a mention can become. */
function mentioned(): Script {
  const kinds = { type: 'mention', path: '' } as const;
  return new Script().turn(
    'Why does @src/http/client.ts:14-16 fail with @problems? See @.env and @src/http/',
    {
      ...kinds,
      kind: 'file',
      name: 'src/http/client.ts:14-16',
      path: '/home/mira/acme-web/src/http/client.ts',
      lines: { first: 14, last: 16 },
      text: 'const url = new URL(path, this.options.baseUrl);\nfor (let attempt = 0; ; attempt++) {\n  const response = await fetch(url, { signal });',
      sent: { type: 'text', lines: 3, tokens: 34 },
    },
    {
      ...kinds,
      kind: 'problems',
      name: 'problems',
      text: 'src/http/client.ts:14:7 error: Not a number.',
      sent: { type: 'text', lines: 400, of: 1_210, tokens: 8_192 },
    },
    {
      ...kinds,
      kind: 'file',
      name: '.env',
      path: '/home/mira/acme-web/.env',
      sent: { type: 'refused', reason: '/home/mira/acme-web/.env may not be read (sandbox.unreadable: **/.env)' },
    },
    {
      ...kinds,
      kind: 'folder',
      name: 'src/http/',
      path: '/home/mira/acme-web/src/http',
      text: 'client.ts\nretry.ts',
      sent: { type: 'text', lines: 2, tokens: 5 },
    },
  );
}

/** Models of three providers: one is still being asked, one does not answer. */
function models(id: number, ...groups: readonly ModelGroup[]): HostMessage {
  return { type: 'models', build: BUILD, id, groups };
}

const MODELS = [
  models(
    1,
    {
      provider: 'openai',
      title: 'OpenAI',
      models: ['gpt-5-codex', 'gpt-5.2', 'gpt-5.2-pro', 'gpt-5-mini', 'o4-mini'].map((id) => ({
        id,
        label: id,
        detail: '',
      })),
      isCut: false,
      listing: { type: 'listed' },
      takesNames: true,
    },
    {
      provider: 'ollama',
      title: 'Ollama',
      models: [
        { id: 'qwen3-coder:30b', label: 'qwen3-coder:30b', detail: '32,768 tokens · loaded' },
        { id: 'gemma3:4b', label: 'gemma3:4b', detail: 'no tools: chat only' },
      ],
      isCut: false,
      listing: { type: 'asking' },
      takesNames: true,
    },
    {
      provider: 'gateway.example.com',
      title: 'gateway.example.com',
      models: [{ id: 'team/large', label: 'team/large', detail: '' }],
      isCut: false,
      listing: { type: 'failed', problem: 'The server cannot be reached. connect ECONNREFUSED 10.0.0.7:443' },
      takesNames: true,
    },
  ),
] as const;

const MANY_ROWS = Array.from({ length: 1_000 }, (_, index) => row(`m${index}`, `Thread number ${index}`, index));

export const SCENES = {
  'no-workspace': scene(null, { hasWorkspace: false, model: null }),
  setup: scene(null, { model: null }),
  empty: scene(null, { effort: null }),
  demo: scene(null, { demo: true, demoTask: 'Fix the failing test in sum.js' }),
  restricted: scene(null, { trusted: false, mode: 'chat' }),
  stream: scene(stream()),
  'queue-edit': scene(stream(), {}, ['queued-edit']),
  prose: scene(prose()),
  approve: scene(approve()),
  deny: scene(approve(), {}, ['decision-deny']),
  hosts: scene(hosts(['registry.npmjs.org:443'])),
  'hosts-menu': scene(
    hosts(['registry.npmjs.org:443', 'objects.githubusercontent.com:443', 'npm.packages.acme.dev:8443']),
    {},
    ['decision-more'],
  ),
  always: scene(approvePlain(), {}, ['decision-more', 'decision-approve-always']),
  together: scene(approve(), {}, ['decision-together']),
  'approve-plain': scene(approvePlain()),
  'approve-menu': scene(approvePlain(), {}, ['decision-more']),
  reviewing: scene(inReview()),
  'review-asks': scene(inReview('asks'), {}, ['command']),
  'review-failed': scene(inReview('failed')),
  'reviewer-menu': scene(inReview(), { mode: null, approvalPolicy: 'untrusted', reviewer: 'model' }, ['pick-box']),
  destructive: scene(destructive()),
  offer: offer(),
  'offer-rule': { ...offer(), clicks: ['rule-offer-show'] },
  patch: scene(patch()),
  hunks: hunks(),
  moved: scene(moved()),
  discards: scene(discards()),
  unsaved: scene(unsaved()),
  review: review(),
  'side-copy': sideCopy(),
  done: scene(done()),
  planned: scene(planned(true), { mode: 'plan', sandboxPolicy: { type: 'read-only', networkAccess: false } }),
  planning: scene(planned(false), { mode: 'plan', sandboxPolicy: { type: 'read-only', networkAccess: false } }),
  'edit-sent': editSent(),
  'try-again': scene(done(), {}, ['turn-usage', 'turn-try-again']),
  'long-message': scene(longMessage()),
  commands: scene(commands(), { sandboxPolicy: { type: 'danger-full-access' } }),
  commandChanges: scene(commandChanges(), {}, ['command-changes']),
  processes: scene(commands(), {}, ['processes', 'process']),
  'hidden-characters': scene(hiddenCharacters()),
  script: scene(scriptOfLines()),
  'script-ran': scene(scriptThatRan(), {}, ['command']),
  'long-name': scene(longName()),
  'long-name-denied': scene(longNameDenied()),
  colours: scene(colours()),
  thinking: { ...scene(thinking()), clicks: ['reasoning'] },
  silent: scene(silent()),
  sentence: scene(sentence()),
  stopped: scene(stopped()),
  denied: scene(denied()),
  patches: scene(patches()),
  problems: scene(problems()),
  question: scene(question()),
  questions: scene(questions()),
  cap: scene(cap()),
  mcp: scene(mcp()),
  'mcp-tool': scene(mcpTool()),
  fetch: scene(fetches()),
  agents: scene(agents()),
  'agents-at-work': agentsAtWork(['agents']),
  'agent-asks': agentsAtWork([], [plain('npm test -- retry')]),
  'agent-shown': agentShown({ parentId: 'parent' }),
  'thread-as-agent': agentShown({ agent: 'code-reviewer' }),
  'code-review': scene(codeReview()),
  'comments-to-send': withComments(),
  compaction: scene(compaction(), {}, ['compaction-summary']),
  compacting: scene(compacting()),
  'compaction-failed': scene(compactionFailed()),
  errors: scene(errors()),
  'error-kinds': scene(errorKinds()),
  rejected: scene(rejected(), { providers: { openai: { name: 'Team Gateway' } } }),
  retry: scene(retry()),
  markdown: scene(markdown()),
  answer: scene(answer(), { imageRoot: '.' }),
  meter: scene(done(), {}, ['context-meter']),
  menu: scene(done(), {}, ['more-actions']),
  'mode-menu': scene(done(), {}, ['pick-mode']),
  'sandbox-menu': scene(done(), {}, ['pick-box']),
  'model-menu': { ...scene(done(), {}, ['pick-model']), later: MODELS },
  'model-menu-guessed': {
    ...scene(
      null,
      {
        provider: 'ollama',
        model: 'qwen3-coder:30b',
        efforts: ['low', 'medium', 'high'],
        areEffortsGuessed: true,
        effort: null,
      },
      ['pick-model'],
    ),
    later: MODELS,
  },
  'model-menu-none': { ...scene(null, { model: null, efforts: null }, ['pick-model']), later: [models(1)] },
  find: scene(done(), {}, ['more-actions', 'more-actions-find']),
  long: scene(long()),
  threads: threadList(ROWS),
  'threads-none': threadList([]),
  'threads-found': threadList(FOUND_THREADS),
  'threads-many': threadList(MANY_ROWS),
  cut: scene(cut()),
  interrupted: interrupted(),
  'interrupted-settling': interrupted({ settling: 'roll_back' }),
  'read-only': readOnly(approve()),
  'mention-list': { ...scene(done()), typed: 'Look at @', rows: MENTION_ROWS },
  'mention-found': { ...scene(done()), typed: 'Look at @ret', rows: FOUND_ROWS },
  'mention-none': { ...scene(done()), typed: 'Look at @nothing', rows: [] },
  'command-list': { ...scene(done()), typed: '/' },
  'command-found': { ...scene(done()), typed: '/re' },
  'command-prompts': {
    messages: [
      ...scene(done()).messages,
      {
        type: 'prompts',
        build: BUILD,
        rows: [
          { server: 'notes', name: 'daily summary', help: 'Sums up what was written on one day, in five sentences.' },
          { server: 'issues', name: 'new', help: '' },
        ],
      },
    ],
    typed: '/ne',
  },
  'command-skills': {
    messages: [
      ...scene(done()).messages,
      {
        type: 'skills',
        build: BUILD,
        rows: [
          {
            kind: 'skill',
            name: 'deploy',
            help: 'Deploys the service to one of its environments. Use it for releases and for rollbacks.',
            hint: '[environment]',
            isProposed: false,
          },
          { kind: 'skill', name: 'redo', help: 'Does it again.', hint: '', isProposed: false },
          { kind: 'prompt', name: 'front:test', help: 'Test the front.', hint: '', isProposed: false },
          { kind: 'prompt', name: 'dependencies', help: 'Updates them.', hint: '', isProposed: true },
        ],
      },
    ],
    typed: '/de',
  },
  'command-values': { ...scene(done()), typed: '/mode ' },
  attached: {
    ...scene(done(), { takesImages: true }),
    messages: [...scene(done()).messages, ATTACHED, SELECTION],
  },
  'image-refused': {
    messages: [...scene(done(), { takesImages: false }).messages, ATTACHED, SELECTION],
    clicks: ['selection-toggle'],
  },
  'image-sent': scene(imageSent()),
  'mentions-sent': scene(mentioned(), {}, ['sent-mention']),
} satisfies Record<string, PanelScene>;

/** A scene's thread, folded in plain Node. */
export function threadOf({ messages }: PanelScene) {
  const [snapshot, events] = messages;
  if (snapshot?.type !== 'snapshot' || events?.type !== 'events' || snapshot.thread === null) return null;
  return events.events.reduce(foldPanelEvent, snapshot.thread);
}
