/** Ways into the message of the panel from other places of VS Code: terminals, Source Control, tests. */
import { createHash } from 'node:crypto';
import * as vscode from 'vscode';
import type { ReadRefusals } from '../../core/tools/files/readGuard.ts';
import { type Attachment, COPY_ID } from '../../protocol/draft.ts';
import type { Mention, UserInput } from '../../protocol/item.ts';
import type { LineRange } from '../../protocol/lineRange.ts';
import { inOneLine, shortened } from '../../protocol/text/truncate.ts';
import {
  isUntracked,
  type Repository,
  repositories,
  repositoryOf,
  withoutUnreadable,
} from '../workspace/gitChanges.ts';
import { pathOf } from '../workspace/places.ts';
import { type FailingTest, failingTest } from './failingTest.ts';
import { terminalSelection } from './terminalSelection.ts';

export interface EntryPointDeps {
  readonly refusals: ReadRefusals;
  /** `Mentions.insert`. */
  readonly insert: (attachments: readonly Attachment[]) => Promise<void>;
  /** Attaches whole files, as from the Explorer. */
  readonly attachFiles: (uris: readonly vscode.Uri[]) => Promise<void>;
  readonly failedCommand: () => FailedCommand | undefined;
  /** Resolves to what a command or a test has printed, without secrets, see `redactPrinted`. Never rejects. */
  readonly redact: (text: string, cwds: readonly string[]) => Promise<string>;
  /** The lines as an attachment; `undefined` for a document that is not a file. */
  readonly mentionOf: (document: Pick<vscode.TextDocument, 'uri'>, lines: LineRange) => Mention | undefined;
  /** Sends the message to the shown thread and shows the panel. */
  readonly send: (input: readonly UserInput[]) => Promise<void>;
  /** By default those of VS Code's git extension. */
  readonly repositories?: () => readonly Repository[];
}

/** A command in a terminal, with its output. */
interface FailedCommand {
  readonly command: string;
  readonly text: string;
  /** Its working directory, if the shell reports it. */
  readonly cwds: readonly string[];
}

/** In characters, of a test's message. */
const MAX_MESSAGE = 20_000;
const NAME_LENGTH = 60;

export class EntryPoints {
  readonly #deps: EntryPointDeps;

  constructor(deps: EntryPointDeps) {
    this.#deps = deps;
  }

  /** Attaches the selection of the active terminal. */
  async addTerminalSelection(): Promise<void> {
    const { activeTerminal } = vscode.window;
    const selected = activeTerminal === undefined ? '' : await terminalSelection();
    if (selected.trim() === '') return tell(vscode.l10n.t('Select text in a terminal first.'));
    const text = await this.#deps.redact(selected, cwdsOf(activeTerminal));
    const name = vscode.l10n.t('terminal: {0}', inOneLine(text, NAME_LENGTH));
    await this.#deps.insert([copied('terminal', name, text)]);
  }

  /** Attaches the last command of a terminal that has failed, with its output. */
  async addFailedCommand(): Promise<void> {
    const failed = this.#deps.failedCommand();
    if (failed === undefined) {
      return tell(
        vscode.l10n.t(
          'No command has failed in a terminal since Tiller was first used. Terminals need shell integration.',
        ),
      );
    }
    await this.#deps.insert([await this.#attached(failed)]);
  }

  /**
   * Attaches the changes of files since the last commit; without `states`, rows of the Source Control view, those of the active
   * editor. A file that git does not know yet is attached as a file.
   */
  async addChanges(states: readonly Pick<vscode.SourceControlResourceState, 'resourceUri'>[]): Promise<void> {
    const active = vscode.window.activeTextEditor?.document.uri;
    const uris =
      states.length > 0 ? states.map(({ resourceUri }) => resourceUri) : active === undefined ? [] : [active];
    const refused = await this.#deps.refusals(uris.map(pathOf));
    if (refused.size > 0) void vscode.window.showWarningMessage([...refused.values()].join('\n'));
    const readable = uris.filter((uri) => !refused.has(pathOf(uri)));
    const attachments: Attachment[] = [];
    const unknown: vscode.Uri[] = [];
    for (const uri of readable) {
      const diff = await this.#diffOf(uri);
      if (diff === undefined) continue;
      const name = vscode.l10n.t('changes in {0}', vscode.workspace.asRelativePath(uri));
      if (diff === '') unknown.push(uri);
      else attachments.push(copied('changes', name, diff));
    }
    const files = unknown.filter((uri) => isUntracked(uri, this.#all()));
    if (attachments.length + files.length === 0) {
      return refused.size > 0 ? undefined : tell(vscode.l10n.t('Git has no changes there.'));
    }
    if (attachments.length > 0) await this.#deps.insert(attachments);
    if (files.length > 0) await this.#deps.attachFiles(files);
  }

  /** Sends a failing test; without one, the output of the last failed command in a terminal. */
  async fixTest(given: unknown): Promise<void> {
    const test = failingTest(given);
    if (test !== undefined) return this.#fix(test);
    const failed = this.#deps.failedCommand();
    if (failed === undefined) {
      return tell(vscode.l10n.t('Choose a test in the Testing view, or run the tests in a terminal first.'));
    }
    const text = vscode.l10n.t('Fix the failing test. The output of the test run is attached.');
    await this.#deps.send([{ type: 'text', text }, (await this.#attached(failed)).part]);
  }

  async #attached({ command, text, cwds }: FailedCommand) {
    const [ran, printed] = await Promise.all([command, text].map((part) => this.#deps.redact(part, cwds)));
    return copied('terminal', vscode.l10n.t('failed: {0}', inOneLine(ran ?? '', NAME_LENGTH)), printed ?? '');
  }

  async #fix({ name, uri, lines, message }: FailingTest): Promise<void> {
    const refused = uri && (await this.#deps.refusals([pathOf(uri)])).get(pathOf(uri));
    if (refused !== undefined) return void vscode.window.showWarningMessage(refused);
    const asks = vscode.l10n.t('Fix this failing test: {0}', name);
    const printed = message === '' ? '' : await this.#deps.redact(message, []);
    const text = printed === '' ? asks : `${asks}\n\n${shortened(printed, MAX_MESSAGE)}`;
    const mention = uri && this.#deps.mentionOf({ uri }, lines ?? { first: 1, last: 1 });
    await this.#deps.send([{ type: 'text', text }, ...(mention === undefined ? [] : [mention])]);
  }

  #all(): readonly Repository[] {
    return (this.#deps.repositories ?? repositories)();
  }

  /** Empty without a difference; `undefined` outside of repositories. Rejects when git does. */
  async #diffOf(uri: vscode.Uri): Promise<string | undefined> {
    const repository = repositoryOf(uri, this.#all());
    if (repository === undefined) return undefined;
    const diff = await repository.diffWithHEAD(uri.fsPath);
    return withoutUnreadable(diff, repository.rootUri.fsPath, this.#deps.refusals);
  }
}

/** A text as it is now, which is not read again when the message is sent. */
function copied(
  kind: 'terminal' | 'changes',
  name: string,
  text: string,
): { readonly part: Mention; readonly inText: false } {
  const id = COPY_ID + createHash('sha256').update(text).digest('hex').slice(0, 16);
  return { part: { type: 'mention', kind, name, path: '', id, text }, inText: false };
}

function cwdsOf(terminal: vscode.Terminal | undefined): readonly string[] {
  const cwd = terminal?.shellIntegration?.cwd;
  return cwd === undefined ? [] : [cwd.fsPath];
}

function tell(message: string): void {
  void vscode.window.showInformationMessage(message);
}
