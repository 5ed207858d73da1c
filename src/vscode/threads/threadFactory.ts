import { readFile } from 'node:fs/promises';
import * as vscode from 'vscode';
import { ModelFault } from '../../core/model/client.ts';
import type { ModelClientFactory } from '../../core/model/modelClientFactory.ts';
import type { Log } from '../../core/ports.ts';
import { shownState } from '../../core/rollout/replay.ts';
import type { Session } from '../../core/session/session.ts';
import type { ThreadHost, ThreadSettings } from '../../core/session/sessionOptions.ts';
import type { AgentService } from '../../core/agent/agentService.ts';
import { threadAsAgent } from '../../core/agent/agentThread.ts';
import type { AgentRole } from '../../core/tools/agents/agents.ts';
import type { Question } from '../../core/agent/askModel.ts';
import { editHost, editSettings } from '../../core/agent/editThread.ts';
import {
  sandboxPolicyOf,
  approvalSettingsOf,
  threadSettingsOf,
  type ThreadSurroundings,
  turnSettingsOf,
} from '../../core/agent/threadSettings.ts';
import type { CopiedFolder } from '../../core/sideCopies/sideCopy.ts';
import type { TurnSettings } from '../../protocol/event.ts';
import type { TurnOverrides } from '../../protocol/op.ts';
import type { SandboxMode, SandboxPolicy } from '../../protocol/policy.ts';
import type { Settings } from '../../protocol/settings.ts';
import type { ReadOnlyReason } from '../../protocol/threads.ts';
import type { Opened, OpenHow, ThreadSource } from '../../core/agent/shownThread.ts';

export interface ThreadFactoryDeps
  extends Pick<ThreadHost, 'sandboxFor' | 'proposals' | 'allowsTakeOver' | 'makeSideCopy'> {
  readonly service: AgentService;
  /** Undefined when the settings name an unknown provider. */
  readonly modelsOf: (settings: Settings) => ModelClientFactory | undefined;
  /** By the id of a thread's provider. */
  readonly modelsById: (provider: string) => ModelClientFactory | undefined;
  readonly settings: () => Settings;
  /** Further tools of each thread. */
  readonly toolProviders: () => NonNullable<ThreadHost['toolProviders']>;
  readonly hooks: NonNullable<ThreadHost['hooks']>;
  readonly agentRoles: NonNullable<ThreadHost['agentRoles']>;
  readonly skills: NonNullable<ThreadHost['skills']>;
  readonly homeDirectory: string;
  readonly log: Log;
}

type Places = Required<Pick<ThreadSurroundings, 'cwd' | 'writable'>>;

/** The first folder, and the others as writable folders. */
function placesIn([first, ...others]: readonly Pick<CopiedFolder, 'copy'>[]): Places {
  return { cwd: first?.copy ?? '', writable: others.map(({ copy }) => copy) };
}

type StartedWith = readonly [settings: ThreadSettings, host: ThreadHost];

/** Maximum attempts to open a thread that a previous extension host may still own, and the pause between them. */
const RELOAD_LOOKS = 5;
const RELOAD_PAUSE_MS = 200;

/** Creates threads from the user's settings and the choices made in the panel. */
export class ThreadFactory implements ThreadSource {
  readonly #deps: ThreadFactoryDeps;
  /** Chosen in the panel: for every thread started from now on, until the window closes. */
  #chosen: TurnOverrides = {};

  constructor(deps: ThreadFactoryDeps) {
    this.#deps = deps;
  }

  choose(overrides: TurnOverrides): void {
    this.#chosen = { ...this.#chosen, ...overrides };
  }

  /** New threads begin in the mode of the settings again. */
  forgetMode(): void {
    const { policy: _policy, box: _box, planMode: _planMode, ...others } = this.#chosen;
    this.#chosen = others;
  }

  /** The settings of the next thread; the model may still be missing. */
  get settings(): TurnSettings {
    const settings = this.#deps.settings();
    const model = this.#modelOf(settings) ?? '';
    return this.#withChoices(turnSettingsOf(settings, { model, ...this.#places(), sandboxFor: this.#deps.sandboxFor }));
  }

  /** The policy for a sandbox mode, with the other settings and the folders of this window, or those of a side copy. */
  policyOf(mode: SandboxMode, folders?: readonly Pick<CopiedFolder, 'copy'>[]): SandboxPolicy {
    return sandboxPolicyOf(this.#deps.settings(), folders ? placesIn(folders) : this.#places(), mode);
  }

  /** @throws ModelFault of kind `config` when no model is selected. */
  async start(): Promise<Session> {
    return this.#deps.service.start(...(await this.#thread()));
  }

  /** A thread in a side copy. @throws ModelFault as `start` */
  async startIn(folders: readonly Pick<CopiedFolder, 'copy'>[]): Promise<Session> {
    const [settings, host] = await this.#thread(undefined, placesIn(folders));
    return this.#deps.service.start(settings, host);
  }

  /** A thread that works as this agent from its first turn on. @throws ModelFault as `start` */
  async startAs(role: AgentRole): Promise<Session> {
    const [given, host] = await this.#thread();
    const { settings, agent } = threadAsAgent(given, role);
    return this.#deps.service.start(settings, host, undefined, { agent, forksContext: false });
  }

  /** A thread of models that are not those of the settings. */
  async startWith(models: ModelClientFactory): Promise<Session> {
    const [settings, host] = await this.#thread(models);
    return this.#deps.service.start(settings, host);
  }

  /**
   * A thread for one edit at the cursor. `tooLate`: see `ThreadHost`. @throws ModelFault of kind `config` when no model
   * is selected.
   */
  async startEdit(tooLate: NonNullable<ThreadHost['tooLate']>): Promise<Session> {
    const [settings, host] = await this.#thread();
    return this.#deps.service.start(editSettings(settings), editHost(host, tooLate));
  }

  /** Asks the selected model one question, see `askModel`. @throws ModelFault of kind `config` when no model is selected */
  async ask(question: Question, signal: AbortSignal): Promise<string> {
    return this.#deps.service.ask(question, ...(await this.#thread()), signal);
  }

  async open(id: string, how: OpenHow): Promise<Opened> {
    if (how === 'read') return this.#read(id, 'owned');
    const { service, log } = this.#deps;
    const thread = await this.#threadIfAny();
    if (thread === undefined) return this.#read(id, 'no_model');
    const resumed = await (how === 'ask' ? service.takeOver(id, ...thread) : this.#resume(id, how, thread));
    if (resumed.type === 'resumed') return { type: 'live', session: resumed.session };
    if (resumed.type === 'refused') log.warn(resumed.message);
    return this.#read(id, resumed.type === 'owned' ? 'owned' : 'newer_format');
  }

  async #resume(id: string, how: OpenHow, thread: StartedWith): ReturnType<AgentService['resume']> {
    for (let look = 0; ; look++) {
      const resumed = await this.#deps.service.resume({ id }, ...thread);
      if (resumed.type !== 'owned' || how !== 'after_reload' || look === RELOAD_LOOKS) return resumed;
      await new Promise((resolve) => setTimeout(resolve, RELOAD_PAUSE_MS));
    }
  }

  async #read(id: string, reason: ReadOnlyReason['type']): Promise<Opened> {
    const opened = await this.#deps.service.catalog.read(id);
    if (opened.type === 'unreadable') return { type: 'missing' };
    const { reader } = opened;
    return {
      type: 'read_only',
      reason,
      reader: {
        get state() {
          return shownState(reader.thread);
        },
        poll: () => reader.poll(),
      },
    };
  }

  /** @throws Error with the reason. */
  async fork(id: string, itemId: string | null) {
    const forked = await this.#deps.service.fork({ id }, itemId, ...(await this.#thread()));
    if (forked.type === 'resumed') return forked;
    throw new Error(forked.type === 'owned' ? vscode.l10n.t('This thread is open in another window.') : forked.message);
  }

  /** @throws Error with the reason. */
  async importThread(text: string): Promise<Session> {
    const imported = await this.#deps.service.importThread(text, ...(await this.#thread()));
    if (imported.type === 'resumed') return imported.session;
    throw new Error(
      imported.type === 'refused' ? imported.message : vscode.l10n.t('No thread was found in this file.'),
    );
  }

  /** `undefined` when no model is selected. */
  async #threadIfAny(): Promise<StartedWith | undefined> {
    try {
      return await this.#thread();
    } catch (error) {
      if (error instanceof ModelFault && error.kind === 'config') return undefined;
      throw error;
    }
  }

  async #thread(given?: ModelClientFactory, places = this.#places()): Promise<StartedWith> {
    const settings = this.#deps.settings();
    const models = given ?? this.#deps.modelsOf(settings);
    const model = models?.defaultModel ?? settings.model;
    if (!models || model === null) {
      const message = vscode.l10n.t('No model is selected.');
      throw new ModelFault('config', message, { retryable: false, action: 'select_model' });
    }
    const file = settings.baseInstructionsFile;
    const baseInstructions = file === null ? null : await readFile(file, 'utf8');
    const { sandboxFor, proposals, allowsTakeOver, makeSideCopy } = this.#deps;
    const thread = threadSettingsOf(settings, {
      ...places,
      model,
      baseInstructions,
      review: settings.review,
      sandboxFor,
    });
    const host: ThreadHost = {
      models,
      modelsOf: this.#deps.modelsById,
      interactive: true,
      keepsSettings: true,
      sandboxFor,
      isAttended: () => vscode.window.state.focused,
      isTrusted: () => vscode.workspace.isTrusted,
      unreadable: () => this.#deps.settings()['sandbox.unreadable'],
      review: () => this.#deps.settings().review,
      approvals: () => approvalSettingsOf(this.#deps.settings()),
      toolProviders: this.#deps.toolProviders(),
      hooks: this.#deps.hooks,
      agentRoles: this.#deps.agentRoles,
      skills: this.#deps.skills,
      ...(proposals && { proposals }),
      ...(allowsTakeOver && { allowsTakeOver }),
      ...(makeSideCopy && { makeSideCopy }),
    };
    return [{ ...thread, turn: this.#withChoices(thread.turn, places) }, host];
  }

  #modelOf(settings: Settings): string | null {
    return this.#deps.modelsOf(settings)?.defaultModel ?? settings.model;
  }

  #places(): Places {
    return { cwd: this.#workingDirectory(), writable: this.#otherFolders() };
  }

  #withChoices(settings: TurnSettings, places = this.#places()): TurnSettings {
    const { policy, box, effort, planMode = settings.planMode } = this.#chosen;
    const { planMode: _, ...others } = settings;
    // A choice made in the panel names the folders of the window.
    const sandboxPolicy =
      box === undefined ? settings.sandboxPolicy : sandboxPolicyOf(this.#deps.settings(), places, box.type);
    return {
      ...others,
      ...(planMode === true ? { planMode } : {}),
      approvalPolicy: policy ?? settings.approvalPolicy,
      effort: effort === undefined ? settings.effort : effort,
      sandboxPolicy,
      ...this.#deps.sandboxFor(sandboxPolicy),
    };
  }

  /** The first folder; the path of an untrusted workspace is not sent to the model. */
  #workingDirectory(): string {
    const [folder] = vscode.workspace.workspaceFolders ?? [];
    return vscode.workspace.isTrusted && folder ? folder.uri.fsPath : this.#deps.homeDirectory;
  }

  /** The other folders of the window are writable, too; commands cannot reach other file systems. */
  #otherFolders(): string[] {
    const [, ...others] = vscode.workspace.isTrusted ? (vscode.workspace.workspaceFolders ?? []) : [];
    return others.filter(({ uri }) => uri.scheme === 'file').map(({ uri }) => uri.fsPath);
  }
}
