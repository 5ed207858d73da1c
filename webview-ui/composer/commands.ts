/** The commands that begin with `/`, for the list in the composer. */
import { fuzzyMatch } from '../../src/protocol/text/fuzzyMatch.ts';
import { firstLine } from '../../src/protocol/text/truncate.ts';
import { textOfInput } from '../../src/protocol/thread.ts';
import { fork, interrupt, type PanelCommand, runCommand, sendText, submit } from '../actions.ts';
import { post } from '../bridge.ts';
import { t } from '../l10n.ts';
import { isOwn, isRunning, prompts, proposedPlan, review, settings, skills, threadId, title, turns } from '../store.ts';
import { openFind, openPopup } from '../view.ts';
import {
  approvalChoices,
  type Choice,
  choose,
  effortChoices,
  modeChoices,
  reviewChoices,
  reviewerChoices,
  sandboxChoices,
} from './choices.ts';
import { openSearch } from './historySearch.ts';

export interface SlashCommand {
  readonly name: string;
  readonly icon: string;
  /** One line of help. */
  readonly help: string;
  readonly run?: () => void;
  /**
   * Returns the values of the argument that fit the text written so far. A command that has values does not run without
   * one. A command that has neither `run` nor `values` begins a message.
   */
  readonly values?: (written: string) => readonly Choice[];
}

/** The message of `/init`. It is English, like all that Tiller writes for the model. */
const INIT_REQUEST = `Write AGENTS.md, the instructions for coding agents that work in this repository. If there is one, improve it.

- First read what is known: README, manifests, build and CI files, and instructions for other agents such as CLAUDE.md, .github/copilot-instructions.md or .cursorrules.
- State the commands that build, lint and test, and how to run one test.
- State the structure in a few lines: what a reader cannot see from a single file.
- State the conventions of this project that differ from what is usual.
- Write nothing that you have not found in the files, and no general advice. At most 60 lines.`;

/** Returns the commands that are possible now, in the order of the list. */
export function offeredCommands(): readonly SlashCommand[] {
  const hasThread = threadId.value !== null;
  const mayChange = hasThread && isOwn.value;
  const rests = mayChange && !isRunning.value;
  const { trusted = false, efforts = null, model = null } = settings.value ?? {};
  const own = [
    command('new', 'add', t('Start a new thread'), host('newThread')),
    ...when(
      rests,
      command('compact', 'fold', t('Replace the history that the model reads by a summary'), () =>
        submit({ type: 'compact' }),
      ),
      command('undo', 'discard', t('Undo what the last turn changed, with a preview'), host('undoTurn')),
      command('redo', 'redo', t('Revert the last undo, with a preview'), host('redoTurn')),
      choice('rewind', 'history', t('Go back to before one of your messages'), rewindValues),
    ),
    ...when(
      trusted && rests && proposedPlan.value !== null,
      command('runplan', 'play', t('Run the proposed plan in Agent mode'), host('runPlan')),
    ),
    ...when(
      trusted && !isRunning.value && isOwn.value,
      textCommand('review', 'eye', t('Have an agent look for faults in changes'), codeReviewValues),
    ),
    ...when(
      review.value.changes > 0,
      choice('changes', 'diff-multiple', t('Applied changes that wait for Keep or Undo'), reviewValues),
    ),
    ...when(
      trusted && !isRunning.value && isOwn.value,
      command('init', 'new-file', t('Have an AGENTS.md written for this project'), () => sendText(INIT_REQUEST)),
    ),
    command('model', 'hubot', t('Select the model of the next turn'), () => (openPopup.value = 'model')),
    ...when(
      efforts !== null && model !== null,
      choice('effort', 'lightbulb', t('How much the model reasons'), effortChoices),
    ),
    ...when(
      trusted,
      command('plan', 'checklist', t('Plan mode: only read, then propose a plan'), () =>
        choose({ type: 'mode', mode: 'plan' }),
      ),
      choice('mode', 'comment-discussion', t('Chat, Agent, Plan or Full access'), modeChoices),
      choice('approvals', 'law', t('When Tiller asks before it acts'), approvalChoices),
      choice('sandbox', 'shield', t('What commands may write'), sandboxChoices),
      ...when(
        reviewerChoices().length > 0,
        choice('reviewer', 'eye', t('Who answers about commands in the sandbox'), reviewerChoices),
      ),
      ...when(
        reviewChoices().length > 0,
        choice('patches', 'diff', t('When you review patches: before or after they are applied'), reviewChoices),
      ),
    ),
    command('threads', 'list-unordered', t('Open, search, rename or delete a thread'), host('threads')),
    ...when(mayChange, textCommand('rename', 'edit', t('Give this thread another name'), renameValues)),
    ...when(
      hasThread,
      command('fork', 'repo-forked', t('Continue in a copy of this thread'), () => fork(null)),
      command('export', 'save-as', t('Save this thread as Markdown or JSON'), host('exportThread')),
      command('delete', 'trash', t('Move this thread to the trash'), host('deleteThread')),
    ),
    command('import', 'cloud-download', t('Open a rollout of Codex or Tiller'), host('importThread')),
    ...when(hasThread, command('find', 'search', t('Find in this thread'), openFind)),
    command('history', 'history', t('Search your earlier messages'), openSearch),
    command('processes', 'server-process', t('Commands that run in the background'), host('backgroundProcesses')),
    ...when(isRunning.value && isOwn.value, command('stop', 'debug-stop', t('Stop the turn'), interrupt)),
    command('rules', 'law', t('Rules and remembered approvals'), host('showRules')),
    command('mcp', 'plug', t('MCP servers and their state'), host('mcpServers')),
    command('agents', 'robot', t('Agents that the model can start'), host('showAgents')),
    command('hooks', 'zap', t('Programs that run at points of a turn'), host('showHooks')),
    command('tools', 'extensions', t('Tools from other extensions'), host('chooseTools')),
    command('memories', 'notebook', t('What is kept of earlier threads'), host('showMemories')),
    command('audit', 'checklist', t('What was allowed and denied, and why'), host('showAudit')),
    command('abilities', 'info', t('What the model can do, and how Tiller knows'), host('showAbilities')),
    command('usage', 'graph', t('Tokens and costs of today and this month'), host('showUsage')),
    command('test', 'plug', t('Send one short request to the model'), host('testConnection')),
    command('key', 'key', t('Set the API key'), host('setApiKey')),
    command('settings', 'settings-gear', t('Open the settings of Tiller'), host('openSettings')),
    command('help', 'question', t('Open the walkthrough'), host('openWalkthrough')),
    command('log', 'output', t('Show the log'), host('showLog')),
    command('report', 'report', t('Report an issue'), host('reportIssue')),
    command('skills', 'mortar-board', t('Skills and prompt files'), host('showSkills')),
    ...when(isOwn.value, ...promptCommands()),
  ];
  return [...own, ...when(isOwn.value, ...skillCommands(own.map(({ name }) => name)))];
}

/** Returns a command that takes no argument. */
function command(name: string, icon: string, help: string, run: () => void): SlashCommand {
  return { name, icon, help, run };
}

/** Returns a command whose argument is one of a few values. The text written so far filters them by their labels. */
function choice(name: string, icon: string, help: string, choices: () => readonly Choice[]): SlashCommand {
  const values = (written: string) => {
    const wanted = written.trim();
    return choices().filter(({ label }) => fuzzyMatch(wanted, label) !== undefined);
  };
  return { name, icon, help, values };
}

/** Returns a command whose argument is a text of the user; its values are made from that text. */
function textCommand(
  name: string,
  icon: string,
  help: string,
  values: (written: string) => readonly Choice[],
): SlashCommand {
  return { name, icon, help, values };
}

/** Runs a command of VS Code. */
function host(id: PanelCommand): () => void {
  return () => runCommand(id);
}

function when(isOffered: boolean, ...commands: readonly SlashCommand[]): readonly SlashCommand[] {
  return isOffered ? commands : [];
}

/**
 * Returns a command for each skill and prompt file. If another command has the same name, the skill is offered as
 * `/skill:name`.
 */
function skillCommands(others: readonly string[]): readonly SlashCommand[] {
  const taken = new Set(others);
  return skills.value.map(({ kind, name, help, hint, isProposed }): SlashCommand => {
    const shown = taken.has(name) ? `${kind}:${name}` : name;
    taken.add(shown);
    if (isProposed) {
      const run = () => runCommand('showSkills');
      return { name: shown, icon: 'question', help: t('Not used until you approve it'), run };
    }
    const icon = kind === 'skill' ? 'mortar-board' : 'note';
    return { name: shown, icon, help: firstLine([hint, help].filter(Boolean).join(' · '), 200) };
  });
}

/** Returns a command for each prompt of the MCP servers; of two prompts with the same name only the first. */
function promptCommands(): readonly SlashCommand[] {
  const byName = new Map<string, SlashCommand>();
  for (const { server, name, help } of prompts.value) {
    const shown = `${server}:${name}`.replaceAll(/[^\w:.-]/g, '-');
    const run = () => post({ type: 'use_prompt', server, name });
    if (!byName.has(shown)) byName.set(shown, { name: shown, icon: 'plug', help: firstLine(help, 200), run });
  }
  return [...byName.values()];
}

export interface CommandQuery {
  /** The name, without the slash. */
  readonly name: string;
  /** The text after the command's name; `null` while the name is being written. */
  readonly written: string | null;
}

/**
 * Parses the draft as a command. Returns `undefined` if it is none: it does not begin with a slash, or has several
 * lines.
 */
export function commandQuery(text: string): CommandQuery | undefined {
  const [, name, space, written] = /^\/([\p{L}\p{N}_:.-]*)(?:( +)(.*))?$/u.exec(text) ?? [];
  return name === undefined ? undefined : { name, written: space === undefined ? null : (written ?? '') };
}

/** The names that other agents give to these commands. A text that begins one of them finds the command, too. */
const OTHER_NAMES: Readonly<Record<string, readonly string[]>> = {
  new: ['clear', 'reset'],
  compact: ['smol', 'summarize'],
  rewind: ['restore', 'checkpoint'],
  approvals: ['permissions'],
  threads: ['resume', 'sessions', 'tasks'],
  processes: ['ps', 'bashes'],
  memories: ['memory'],
  usage: ['cost', 'status', 'context'],
  key: ['login'],
  settings: ['config'],
  report: ['bug', 'feedback'],
};

/** The shortest text that is compared with `OTHER_NAMES`: a single letter begins too many names. */
const MIN_OTHER_NAME = 2;

export interface FoundCommand {
  readonly command: SlashCommand;
  readonly positions: readonly number[];
}

/**
 * Returns the commands that match the query. Those whose name begins with the query come first, then those that other
 * agents call so.
 */
export function findCommands(query: string): readonly FoundCommand[] {
  const offered = offeredCommands();
  const found = offered.flatMap((command, index) => {
    const match = fuzzyMatch(query, command.name);
    return match === undefined ? [] : [{ command, positions: match.positions, score: match.score, index }];
  });
  if (query === '') return found;
  const best = found.toSorted((one, other) => other.score - one.score || one.index - other.index);
  const wanted = query.toLowerCase();
  const begins = ({ command }: FoundCommand) => command.name.toLowerCase().startsWith(wanted);
  const renamed = offered.flatMap((command) => {
    const isMeant =
      wanted.length >= MIN_OTHER_NAME && OTHER_NAMES[command.name]?.some((name) => name.startsWith(wanted));
    return isMeant && !best.some((one) => one.command === command) ? [{ command, positions: [] }] : [];
  });
  return [...best.filter(begins), ...renamed, ...best.filter((one) => !begins(one))];
}

/**
 * Returns the values of a command for the text after its name; empty if the command does not exist or takes no values.
 */
export function findValues({ name, written }: CommandQuery): readonly Choice[] {
  const found = offeredCommands().find((command) => command.name === name);
  return found?.values?.(written ?? '') ?? [];
}

/**
 * Returns the values of `/review`. Text that is not the beginning of a value becomes the instructions to the reviewer.
 */
function codeReviewValues(written: string): readonly Choice[] {
  const wish = written.trim();
  const start = (what: 'uncommitted' | 'branch' | 'commit', instructions: string) => () =>
    post({ type: 'review_changes', what, instructions });
  const kinds = [
    { what: 'uncommitted', label: t('Uncommitted Changes'), detail: t('Staged, not staged, and new files') },
    { what: 'branch', label: t('Changes Against a Branch…'), detail: t('All changes since the two diverged') },
    { what: 'commit', label: t('A Commit…'), detail: t('The changes of one commit') },
  ] as const;
  const named = kinds.filter(({ label }) => label.toLowerCase().includes(wish.toLowerCase()));
  if (named.length > 0) return named.map(({ what, label, detail }) => ({ label, detail, run: start(what, '') }));
  return kinds.map(({ what, label }) => ({ label, detail: t('Looks at: {0}', wish), run: start(what, wish) }));
}

function reviewValues(): readonly Choice[] {
  return [
    { label: t('Next'), detail: t('Go to the next change'), run: () => runCommand('review.next') },
    { label: t('Show All'), detail: t('All changes as diffs'), run: () => runCommand('review.showAll') },
    { label: t('Keep All'), detail: t('Keep all changes'), run: () => runCommand('review.keepAll') },
    { label: t('Undo All'), detail: t('Undo all changes'), run: () => runCommand('review.undoAll') },
  ];
}

/** Returns the messages that began a turn, newest first. */
function rewindValues(): readonly Choice[] {
  return turns.value
    .flatMap(({ items }) => {
      const message = items.find(({ type }) => type === 'user_message');
      return message?.type === 'user_message' ? [message] : [];
    })
    .toReversed()
    .map(({ id, content }) => ({
      label: firstLine(textOfInput(content), 100),
      detail: '',
      run: () => post({ type: 'revert', what: { type: 'rewind', itemId: id } }),
    }));
}

function renameValues(written: string): readonly Choice[] {
  const name = written.trim().slice(0, 200);
  const id = threadId.value;
  if (id === null) return [];
  if (name === '') return [{ label: title.value ?? t('Untitled'), detail: t('Write the new name'), run: () => {} }];
  return [
    { label: name, detail: t('The new name'), run: () => post({ type: 'rename_thread', threadId: id, title: name }) },
  ];
}
