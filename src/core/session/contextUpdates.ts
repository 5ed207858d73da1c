import type { TurnSettings } from '../../protocol/event.ts';
import { type MessageItem, type ResponseItem, textOf } from '../../protocol/responseItem.ts';
import type { Ports } from '../ports.ts';
import { type AllowedPrefix, allowedPrefixesMessage, isAllowedPrefixesMessage } from '../prompt/allowedPrefixes.ts';
import {
  changedFacts,
  type EnvironmentFacts,
  environmentFacts,
  environmentMessage,
  factsIn,
} from '../prompt/environmentContext.ts';
import { isSkillListMessage, type ListedSkill, noSkillsMessage, skillList } from '../prompt/skillList.ts';
import { isMemoryListMessage, type ListedMemory, memoryListMessage } from '../prompt/memoryList.ts';
import { isPermissionsMessage, permissionsMessage } from '../prompt/permissions.ts';
import { planModeIn, planModeMessage } from '../prompt/planMode.ts';
import { isToolInstructionsMessage, toolInstructionsMessage } from '../prompt/toolInstructions.ts';
import type { ToolThread } from '../tools/handler.ts';
import { secretNames } from '../tools/files/readGuard.ts';
import type { ToolInstructions } from '../tools/toolProvider.ts';
import { temporaryIn } from '../tools/temporaryPaths.ts';
import { isProjectDocsMessage, projectDocsMessage, readProjectDocs } from '../prompt/projectDocs.ts';

/**
 * The context messages before a message of the user: all of them at first, later only what has changed
 * (codex-behaviour.md §2.3, §3.5). Each is sent once and stays in the history, so a resumed thread reads from its
 * history what the model has already.
 */
export class ContextUpdates {
  #facts: Partial<EnvironmentFacts> = {};
  #permissions = '';
  #allowed = '';
  #tools = '';
  #skills = '';
  #docs = '';
  #planMode = false;
  #hasMemories = false;
  /** The folder whose instructions were read in this process, and the byte limit they were read with. */
  #docsReadIn: string | undefined;
  /** The text that `readDocs` has read for the next `take`. */
  #docsAhead: { readonly place: string; readonly text: Promise<string> } | undefined;

  #docsNote: string | undefined;

  constructor(history: readonly ResponseItem[]) {
    this.reset(history);
  }

  /** Sets the history that the model reads from now on: only its content is known to the model. */
  reset(history: readonly ResponseItem[]): void {
    this.#facts = {};
    this.#permissions = '';
    this.#allowed = '';
    this.#tools = '';
    this.#skills = '';
    this.#docs = '';
    this.#planMode = false;
    this.#hasMemories = false;
    this.#docsReadIn = undefined;
    for (const item of history) if (item.type === 'message') this.#recall(item);
  }

  /** Sentences for the user on the instructions that were read last. */
  get notes(): readonly string[] {
    return this.#docsNote === undefined ? [] : [this.#docsNote];
  }

  /**
   * Reads the instructions of the project; the next `take` in the same folder uses what this call has read. @throws
   * Error of the workspace
   */
  readDocs(options: DocsOptions): Promise<string> {
    const place = docsPlace(options);
    if (this.#docsAhead?.place !== place) {
      const { ports, cwd, projectDocMaxBytes: maxBytes, projectDocFallbackFilenames: fallbackFilenames } = options;
      this.#docsNote = undefined;
      const onCut = (files: readonly string[]) => {
        this.#docsNote = `The instructions of the project have more than ${maxBytes} bytes (projectDocMaxBytes): the model does not get all of ${files.join(', ')}.`;
      };
      const isSecret = secretNames(options.unreadable, ports.host.platform);
      const limits = { maxBytes, fallbackFilenames, isSecret, onCut };
      const text = readProjectDocs(ports.workspace, ports.storage, cwd, limits);
      this.#docsAhead = { place, text };
    }
    return this.#docsAhead.text;
  }

  async take(
    settings: TurnSettings,
    options: Omit<DocsOptions, 'cwd'> & {
      readonly thread: Pick<ToolThread, 'id' | 'home'>;
      /** A sub-agent in plan mode changes nothing and writes no plan: its parent does. */
      readonly isSubAgent: boolean;
      readonly userInstructions: string;
      readonly allowedPrefixes: readonly AllowedPrefix[];
      /** Hosts that commands may reach without network. */
      readonly allowedHosts: readonly string[];
      /** Lists the memories that the model may read. Called only while the history lists none. */
      readonly memories: () => Promise<readonly ListedMemory[]>;
      readonly toolInstructions: readonly ToolInstructions[];
      /** The skills that the model may read. */
      readonly skills: readonly ListedSkill[];
      readonly skillTokens: number;
    },
  ): Promise<readonly ResponseItem[]> {
    const { ports, thread, userInstructions, allowedPrefixes, allowedHosts } = options;
    const news: MessageItem[] = [];
    const permissions = permissionsMessage(settings, temporaryIn({ settings, thread }), allowedHosts);
    if (textOf(permissions.content) !== this.#permissions) news.push(permissions);
    const isPlanMode = settings.planMode === true;
    if (!options.isSubAgent && isPlanMode !== this.#planMode) news.push(planModeMessage(isPlanMode));
    const allowed = allowedPrefixesMessage(allowedPrefixes);
    const isUpdate = textOf(allowed.content) !== this.#allowed;
    if (isUpdate && (allowedPrefixes.length > 0 || this.#allowed !== '')) news.push(allowed);
    news.push(...this.takeToolInstructions(options.toolInstructions));
    const place = docsPlace({ ...options, cwd: settings.cwd });
    if (this.#docsReadIn !== place) {
      const reading = this.readDocs({ ...options, cwd: settings.cwd });
      this.#docsAhead = undefined;
      const docs = ports.keys.hide(joinDocs(userInstructions, await reading));
      const message = projectDocsMessage(settings.cwd, docs);
      if (docs !== '' && textOf(message.content) !== this.#docs) news.push(message);
      this.#docsReadIn = place;
    }
    const { message: skills = this.#skills === '' ? undefined : noSkillsMessage() } = skillList(
      options.skills,
      options.skillTokens,
    );
    if (skills !== undefined && textOf(skills.content) !== this.#skills) news.push(skills);
    // Later ones would change the list in the middle of a thread, and with it what the server has cached.
    if (!this.#hasMemories) {
      const list = memoryListMessage(await options.memories());
      if (list !== undefined) news.push(list);
      this.#hasMemories = true;
    }
    const changed = changedFacts(this.#facts, environmentFacts(settings, ports.host, ports.clock.now()));
    if (changed) news.push(environmentMessage(changed));
    for (const message of news) this.#recall(message);
    return news;
  }

  /** The message with the instructions of tools, where the model has another one or none. */
  takeToolInstructions(instructions: readonly ToolInstructions[]): readonly MessageItem[] {
    const message = toolInstructionsMessage(instructions);
    const isNew = textOf(message.content) !== this.#tools;
    if (!isNew || (instructions.length === 0 && this.#tools === '')) return [];
    this.#recall(message);
    return [message];
  }

  #recall(message: MessageItem): void {
    const text = textOf(message.content);
    if (isPermissionsMessage(message)) this.#permissions = text;
    else if (isAllowedPrefixesMessage(message)) this.#allowed = text;
    else if (isToolInstructionsMessage(message)) this.#tools = text;
    else if (isSkillListMessage(message)) this.#skills = text;
    else if (isProjectDocsMessage(message)) this.#docs = text;
    else if (isMemoryListMessage(message)) this.#hasMemories = true;
    else if (planModeIn(message) !== undefined) this.#planMode = planModeIn(message) === true;
    else if (message.role === 'user') this.#facts = { ...this.#facts, ...factsIn(text) };
  }
}

interface DocsOptions {
  readonly ports: Ports;
  readonly cwd: string;
  readonly projectDocMaxBytes: number;
  readonly projectDocFallbackFilenames: readonly string[];
  /** The setting `sandbox.unreadable`. */
  readonly unreadable: readonly string[];
}

function docsPlace({ projectDocMaxBytes, cwd }: DocsOptions): string {
  return `${projectDocMaxBytes} ${cwd}`;
}

/** Instructions of the project keep their text, the last line break included. */
function joinDocs(userInstructions: string, project: string): string {
  return [userInstructions.trim(), project].filter((doc) => doc !== '').join('\n\n');
}
