import type * as vscode from 'vscode';
import { PreparedEdit } from '../core/agent/editThread.ts';
import type { ReadRefusals } from '../core/tools/files/readGuard.ts';
import type { DisposableStore } from '../core/util/disposable.ts';
import { cwdOf } from '../protocol/thread.ts';
import type { ChatView } from '../vscode/chat/chatView.ts';
import type { MessageSender } from '../vscode/chat/messageSender.ts';
import { CodeReview } from '../vscode/codeReview/codeReview.ts';
import { FindingThreads } from '../vscode/comments/findingThreads.ts';
import { EditAtCursor } from '../vscode/edits/editAtCursor.ts';
import { CommitMessage } from '../vscode/entryPoints/commitMessage.ts';
import { type EntryPointDeps, EntryPoints } from '../vscode/entryPoints/entryPoints.ts';
import { mentionOfLines } from '../vscode/mentions/editorPlaces.ts';
import { plainMention } from '../vscode/mentions/findMentions.ts';
import type { Mentions } from '../vscode/mentions/mentions.ts';
import type { ModelChoice } from '../vscode/models/modelChoice.ts';
import { ProblemActions } from '../vscode/entryPoints/problemActions.ts';
import type { ShownCopy } from '../vscode/sideCopies/shownCopy.ts';
import type { Agent } from './createAgent.ts';
import type { Editors } from './createEditors.ts';
import type { Host } from './createHost.ts';

/** Actions that start outside the panel: in editors, terminals, Source Control and the Testing view. */
export interface EditorActions {
  readonly problems: ProblemActions;
  readonly entryPoints: EntryPoints;
  readonly commitMessage: CommitMessage;
  readonly edits: EditAtCursor;
  readonly codeReview: CodeReview;
  readonly findings: FindingThreads;
}

export interface EditorActionsDeps {
  readonly refusals: ReadRefusals;
  readonly redact: EntryPointDeps['redact'];
  readonly view: ChatView;
  readonly sender: MessageSender;
  readonly mentions: Mentions;
  readonly choice: ModelChoice;
  readonly shownCopy: ShownCopy;
  readonly showThread: (threadId: string) => Promise<void>;
}

/** Builds the actions that begin in an editor and end in a message. `store` disposes of them. */
export function createEditorActions(
  context: vscode.ExtensionContext,
  host: Host,
  editors: Editors,
  agent: Agent,
  deps: EditorActionsDeps,
  store: DisposableStore,
): EditorActions {
  const { report } = host;
  const { threads, factory, current } = agent;
  const { refusals, redact, view, sender, mentions, choice, shownCopy } = deps;
  const send = async (...[input]: Parameters<MessageSender['sendInput']>) => void (await sender.sendInput(input));
  /** For actions outside the shown thread, which may have a model of its own. */
  const hasDefaultModel = () => choice.ensure(() => factory.settings.model);
  const problems = new ProblemActions({ refusals, mentionOf: mentionOfLines, send });
  store.add(problems.register());
  const entryPoints = new EntryPoints({
    refusals,
    insert: (attachments) => mentions.insert(attachments),
    attachFiles: (uris) => mentions.attach(uris),
    failedCommand: () => mentions.failedCommand,
    redact,
    mentionOf: mentionOfLines,
    send,
  });
  const commitMessage = new CommitMessage({
    refusals,
    hasModel: hasDefaultModel,
    ask: (question, signal) => factory.ask(question, signal),
    askInPanel: (text) => mentions.insert([{ part: plainMention('changes'), inText: false }], text),
    report,
  });
  const edits = store.add(createEdits(context, host, editors, agent, deps, hasDefaultModel));
  const codeReview = new CodeReview({
    refusals,
    cwd: () => (threads.state && cwdOf(threads.state)) || current().cwd,
    isInSideCopy: () => shownCopy.copy !== undefined,
    isRunning: () => threads.state !== null && threads.state.activeTurnId !== null,
    hasModel: () => choice.ensure(() => current().model),
    target: () => threads.target,
    reveal: () => view.reveal(),
    send: (op, target) => threads.send(op, target),
  });
  const findings = store.add(
    new FindingThreads({
      threads,
      sendMessage: (input, target) => sender.sendInput(input, target),
      send: (op, target) => threads.send(op, target),
      quote: (text) => {
        view.insertText(text);
        view.focusComposer();
      },
      report,
    }),
  );
  return { problems, entryPoints, commitMessage, edits, codeReview, findings };
}

/** Edits at the cursor, each in a thread of its own. `hasModel`: see `EditAtCursorDeps`. */
function createEdits(
  context: vscode.ExtensionContext,
  { node, settings, report }: Host,
  { review, proposalTabs }: Editors,
  { threads, service, factory }: Agent,
  { refusals, view, showThread }: EditorActionsDeps,
  hasModel: () => Promise<boolean>,
): EditAtCursor {
  return new EditAtCursor({
    refusals,
    isPlanMode: () => factory.settings.planMode === true,
    hasModel,
    prepare: () =>
      new PreparedEdit({
        ids: node.ids,
        settings,
        start: (tooLate) => factory.startEdit(tooLate),
        begin: (session) => void service.live.begin(session),
        suspend: (session) => threads.suspend(session),
        send: (threadId, op) => {
          threads
            .send(op, { threadId, starting: undefined })
            .then((isSent) => isSent || view.giveBack(op.input, threadId))
            .catch(report);
        },
      }),
    cwd: () => factory.settings.cwd,
    answer: (threadId, approvalId, decision) =>
      threads.submitTo(threadId, {
        type: 'approval',
        approvalIds: [approvalId],
        decision: decision === 'approved' ? 'approved' : { denied: {} },
      }),
    showProposal: (approvalId) => proposalTabs.show(approvalId, { focus: true }),
    showThread,
    review,
    memento: context.globalState,
    keepsInstructions: () => settings()['history.persistence'] !== 'none',
    report,
  });
}
