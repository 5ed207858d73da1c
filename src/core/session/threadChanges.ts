import type { EventMsg, TurnSettings } from '../../protocol/event.ts';
import type { SandboxMechanism } from '../../protocol/policy.ts';
import type { AgentTurn, RecordedChange } from '../../protocol/baseline.ts';
import type { ChangeLedger, OpenCommand, WindowChanges } from '../baseline/changeLedger.ts';
import { ChangeRecords } from '../baseline/changeRecords.ts';
import type { BaselineStore, Clock, Log, Storage, Workspace } from '../ports.ts';
import { madeFolders, removedFolders } from '../tools/madeFolders.ts';
import { describeChanges, type DescribedChanges } from '../tools/describeChanges.ts';
import type { ChangeWatch } from '../tools/handler.ts';
import { messageOf } from '../util/fileErrors.ts';
import { isBelow } from '../util/pathBelow.ts';

/** Maximum wait of a turn's first command for the recording: a workspace is copied once. */
const FIRST_WAIT_MS = 5_000;
/** Maximum wait of any other command: the last look is recent, and file times show later changes. */
const WAIT_MS = 10;
/** Maximum wait of a turn's end for the last look. */
const SETTLE_MS = 3_000;

export interface ThreadChangesDeps {
  /** `ledger` and `store`: without one of them nothing is recorded. */
  readonly ledger: ChangeLedger | undefined;
  readonly store: BaselineStore | undefined;
  readonly storage: Storage;
  readonly workspace: Workspace;
  readonly clock: Clock;
  readonly log: Log;
  readonly threadId: string;
  readonly maxBytes: number;
  /** Resolves to those of these files that have secrets by now: their lines belong neither into events nor into the rollout. */
  readonly secretsAmong: (files: readonly string[], cwd: string) => Promise<Pick<ReadonlySet<string>, 'has'>>;
  /** News that belong to no turn. */
  readonly emit: (msg: EventMsg) => void;
}

export interface TurnChanges extends ChangeWatch {
  /** Resolves when the changes of ended commands are emitted, or after a few seconds. Never rejects. */
  settled(): Promise<void>;
}

interface WatchedTurn {
  readonly turnId: string;
  readonly settings: TurnSettings;
  readonly signal: AbortSignal;
  /** Called with the changes of a command, for the diff of the turn. */
  readonly onChanges: (changes: DescribedChanges) => void;
}

/** A command whose end, and with it the record of its changes, an earlier process has not written. */
export interface CutOffCommand {
  readonly turnId: string;
  readonly itemId: string;
  readonly cwd: string;
  readonly box: SandboxMechanism;
  /** Start of its turn, ISO 8601. */
  readonly startedAt: string;
  readonly settings: TurnSettings;
}

/** Collects the changes of one thread's commands and patches, records them for undo and emits them as events. */
export class ThreadChanges {
  readonly records: ChangeRecords;
  readonly #deps: ThreadChangesDeps;
  /** `undefined` where nothing is recorded. */
  readonly #ledger: ChangeLedger | undefined;
  readonly #pending = new Set<Promise<void>>();
  /** Changes that are being recorded and reported. Never rejects. */
  #lastReport: Promise<void> = Promise.resolve();
  #problem: string | undefined;

  constructor(deps: ThreadChangesDeps) {
    this.#deps = deps;
    this.#ledger = deps.maxBytes === 0 ? undefined : deps.ledger;
    this.records = new ChangeRecords(deps.storage, deps.threadId);
  }

  forTurn(turn: WatchedTurn): TurnChanges {
    let isFirst = true;
    return {
      settled: () => this.settled(),
      commandStarts: async ({ itemId, cwd, box }) => {
        if (this.#ledger === undefined || isConfinedToReading(turn.settings, box)) return () => {};
        const waitMs = isFirst ? FIRST_WAIT_MS : WAIT_MS;
        isFirst = false;
        try {
          const { maxBytes } = this.#deps;
          const roots = await this.#rootsFor(cwd, turn.settings);
          const command = await this.#ledger.begin({ id: itemId, roots, waitMs, maxBytes }, turn.signal);
          return () => this.#track(this.#finish(command, { itemId, box }, turn));
        } catch (error) {
          turn.signal.throwIfAborted();
          this.#tell(error);
          return () => {};
        }
      },
      patchApplies: (patch, apply, isApplied) => this.#patch(patch, apply, isApplied, turn),
    };
  }

  /** Records that a turn of this thread has started a turn of a sub-agent, whose changes are undone with its own. */
  noteAgentTurn(link: Omit<AgentTurn, 'type' | 'at'>): void {
    if (this.#ledger === undefined) return;
    this.#track(this.records.append({ type: 'agent_turn', at: this.#deps.clock.now().toISOString(), ...link }));
  }

  /** Resolves when the changes of ended commands are emitted, or after a few seconds. Never rejects. */
  async settled(): Promise<void> {
    if (this.#pending.size === 0) return;
    const tooLate = new AbortController();
    const waited = this.#deps.clock.sleep(SETTLE_MS, tooLate.signal).catch(() => {});
    await Promise.race([Promise.all(this.#pending), waited]);
    tooLate.abort();
  }

  /**
   * Finds and emits the changes of commands that an earlier process did not see to their end. Call once, before the first
   * turn.
   */
  recover(commands: readonly CutOffCommand[]): void {
    if (this.#ledger === undefined) return;
    for (const command of commands) {
      if (!isConfinedToReading(command.settings, command.box)) this.#track(this.#recover(command, this.#ledger));
    }
  }

  async #recover(command: CutOffCommand, ledger: ChangeLedger): Promise<void> {
    const { turnId, itemId, cwd, box, settings } = command;
    const steps = (await this.records.read()).filter((record) => record.type === 'step');
    const known = steps.find((step) => step.itemId === itemId);
    if (known !== undefined) {
      await this.#describe(known.changes, command);
      return;
    }
    const roots = await this.#rootsFor(cwd, settings);
    const startedAt = new Date(command.startedAt);
    const found = await ledger.recover({ id: itemId, roots, startedAt, maxBytes: this.#deps.maxBytes });
    // Recorded even without changes: otherwise the next process would attribute later changes to the command.
    await this.#record(found, { turnId, itemId, box, at: this.#deps.clock.now().toISOString() });
    await this.#describe(found.changes, command);
  }

  async #finish(
    command: OpenCommand,
    { itemId, box }: { readonly itemId: string; readonly box: SandboxMechanism },
    { turnId, settings, onChanges }: WatchedTurn,
  ): Promise<void> {
    const found = await command.end();
    const { changes, newFolders, goneFolders, problem } = found;
    if (problem !== undefined) this.#tell(problem);
    if (changes.length + newFolders.length + goneFolders.length === 0) return;
    const at = this.#deps.clock.now().toISOString();
    await this.#inOrder(async () => {
      await this.#record(found, { turnId, itemId, box, at });
      const described = await this.#describe(changes, { turnId, itemId, settings });
      if (described !== undefined) onChanges(described);
    });
  }

  async #record(
    { changes, newFolders, goneFolders }: WindowChanges,
    { turnId, itemId, box, at }: Pick<CutOffCommand, 'turnId' | 'itemId' | 'box'> & { readonly at: string },
  ): Promise<void> {
    await this.records.append({
      type: 'step',
      turnId,
      itemId,
      source: 'command',
      at,
      changes: [...changes],
      newFolders: [...madeFolders(newFolders, box)],
      goneFolders: removedFolders(goneFolders),
    });
  }

  /** Emits what a command changed; `undefined` where nothing of it is shown. */
  async #describe(
    changes: readonly RecordedChange[],
    { turnId, itemId, settings }: Pick<CutOffCommand, 'turnId' | 'itemId' | 'settings'>,
  ): Promise<DescribedChanges | undefined> {
    const { store, workspace, emit, secretsAmong } = this.#deps;
    if (store === undefined) return undefined;
    // The recorded paths are real ones.
    const cwd = await workspace.realPath(settings.cwd).catch(() => settings.cwd);
    const described = await describeChanges(
      changes,
      cwd,
      (hash) => store.read(hash),
      (files) => secretsAmong(files, cwd),
    );
    if (described.summary.total === 0) return undefined;
    emit({ type: 'files_changed', turnId, itemId, changed: described.summary });
    return described;
  }

  /**
   * Applies a patch, also if its changes cannot be recorded. Resolves when the changes of commands before it are reported.
   * @throws the signal's reason when it aborts while the patch waits for a look
   */
  async #patch<Result>(
    { itemId, paths }: { readonly itemId: string; readonly paths: readonly string[] },
    apply: () => Promise<Result>,
    isApplied: (result: Result) => boolean,
    { turnId, signal }: Pick<WatchedTurn, 'turnId' | 'signal'>,
  ): Promise<Result> {
    if (this.#ledger === undefined) return apply();
    let applying: Promise<Result> | undefined;
    try {
      const written = await this.#ledger.write(paths, () => (applying = apply()), signal);
      const { result, changes, newFolders } = written;
      const earlier = this.#lastReport;
      if (isApplied(result) && changes.length > 0) {
        const at = this.#deps.clock.now().toISOString();
        const step = { type: 'step', turnId, itemId, source: 'patch', at } as const;
        const record = { ...step, changes: [...changes], newFolders: [...newFolders] };
        this.#track(this.#inOrder(() => this.records.append(record)));
      }
      await earlier;
      return result;
    } catch (error) {
      if (applying === undefined) signal.throwIfAborted();
      const result = await (applying ?? apply());
      this.#tell(error);
      return result;
    }
  }

  /** Records and reports changes in the order in which the ledger has found them. Settles as `report` does. */
  #inOrder(report: () => Promise<void>): Promise<void> {
    const reported = this.#lastReport.then(report);
    this.#lastReport = reported.catch(() => {});
    return reported;
  }

  #track(work: Promise<void>): void {
    const tracked = work.catch((error: unknown) => this.#tell(error)).finally(() => this.#pending.delete(tracked));
    this.#pending.add(tracked);
  }

  /** Real paths of the folders that commands may write, none inside another. */
  async #rootsFor(cwd: string, { cwd: workdir, sandboxPolicy }: TurnSettings): Promise<readonly string[]> {
    const { workspace } = this.#deps;
    const isConfined = sandboxPolicy.type === 'workspace-write';
    const folders = [workdir, ...workspace.roots, ...(isConfined ? sandboxPolicy.writableRoots : [cwd])];
    const real = await Promise.all(folders.map((folder) => workspace.realPath(folder).catch(() => undefined)));
    const found = [...new Set(real.filter((folder) => folder !== undefined))];
    return found.filter((folder) => !found.some((other) => other !== folder && isBelow(folder, other)));
  }

  /** Reports a message once, until there is another. */
  #tell(error: unknown): void {
    const { log, emit } = this.#deps;
    const message =
      typeof error === 'string' ? error : `What commands change could not be recorded: ${messageOf(error)}`;
    if (typeof error !== 'string') log.warn('What a command or a patch changed could not be recorded', error);
    if (message === this.#problem) return;
    this.#problem = message;
    emit({ type: 'warning', message });
  }
}

function isConfinedToReading({ sandboxPolicy }: TurnSettings, box: SandboxMechanism): boolean {
  return sandboxPolicy.type === 'read-only' && box !== 'none';
}
