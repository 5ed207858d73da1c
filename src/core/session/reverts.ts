import type { ChangeRecord } from '../../protocol/baseline.ts';
import type { EventMsg } from '../../protocol/event.ts';
import type { OpOf } from '../../protocol/op.ts';
import type { ChangeLedger } from '../baseline/changeLedger.ts';
import { changesOfWholeRedo, changesOfWholeTurns, withAgentTurns } from '../baseline/agentTurns.ts';
import type { ChangeRecords } from '../baseline/changeRecords.ts';
import { keptContents } from '../baseline/keptContents.ts';
import { movedRecords } from '../baseline/movedRecords.ts';
import {
  changesOfPlan,
  performRevert,
  planRevert,
  revertFailure,
  type Reverted,
  type RevertOptions,
  type RevertPlan,
} from '../baseline/revert.ts';
import { isEmpty, lastUndo, type StandingChanges } from '../baseline/standingChanges.ts';
import type { BaselineStore, Clock, RestoreResult, Workspace } from '../ports.ts';
import { diffOfChanges } from '../tools/describeChanges.ts';
import { pathBelow } from '../util/pathBelow.ts';
import { describeFileError } from '../util/fileErrors.ts';
import type { AgentThreads, NamedAgent } from './agentThreads.ts';

export interface RevertsDeps {
  readonly store: BaselineStore | undefined;
  readonly workspace: Workspace;
  readonly ledger: ChangeLedger | undefined;
  readonly records: ChangeRecords;
  readonly agentThreads: AgentThreads | undefined;
  readonly clock: Clock;
  readonly maxBytes: number;
  readonly cwd: () => string;
  /** The folders in which earlier processes worked. */
  readonly formerFolders: readonly string[];
  /** Resolves when the changes of all commands are recorded. */
  readonly settled: () => Promise<void>;
}

type Request = Pick<OpOf<'redo'>, 'preview' | 'includeUncertain' | 'overwrite' | 'exclude'>;

/** The events to emit, in order. */
export interface RevertOutcome {
  readonly msgs: readonly EventMsg[];
  /** `empty`: there was no change. `failed`: no file was changed, and the warning has the reason. */
  readonly type: 'done' | 'empty' | 'failed';
}

/** The changes to revert, and the agents that must not work while they are. */
interface Found {
  readonly changes: StandingChanges | undefined;
  readonly agents?: readonly NamedAgent[] | undefined;
  readonly inSideCopies?: readonly string[];
  /** The reason if nothing is reverted, a sentence. */
  readonly refusal?: string;
}

interface RestoreParts {
  readonly store: BaselineStore;
  readonly restore: NonNullable<Workspace['restore']>;
}

const REDO_IN_PARENT = 'It was undone with a turn of the thread that has started this agent: redo it there.';
const NO_FILES = 'There are no files here that can be restored.';
const NOT_KEPT = 'Nothing is kept of what commands and patches change: see the setting undo.maxBytes.';

/** Undo and redo of a thread on disk, as ops. Never rejects: a failure is a warning. */
export class Reverts {
  readonly #deps: RevertsDeps;

  constructor(deps: RevertsDeps) {
    this.#deps = deps;
  }

  /** The turns with those of the sub-agents that they have started. */
  undo(turnIds: readonly string[], request: Request): Promise<RevertOutcome> {
    return this.#carryOut('undo', request, async () => {
      const whole = await withAgentTurns(await this.#records(), turnIds, (agentId) => this.#recordsOf(agentId));
      return { changes: changesOfWholeTurns(whole, turnIds), agents: whole.agents, inSideCopies: whole.inSideCopies };
    });
  }

  redo(request: Request): Promise<RevertOutcome> {
    return this.#carryOut('redo', request, async () => {
      const records = await this.#records();
      if (lastUndo(records)?.partOf !== undefined) return { changes: undefined, refusal: REDO_IN_PARENT };
      const changes = await changesOfWholeRedo(records, (agentId) => this.#recordsOf(agentId));
      return { changes, agents: changes?.agents };
    });
  }

  async #records(): Promise<readonly ChangeRecord[]> {
    return this.#moved(await this.#deps.records.read());
  }

  async #recordsOf(agentId: string): Promise<readonly ChangeRecord[]> {
    const { records, agentThreads } = this.#deps;
    await agentThreads?.settle(agentId);
    return this.#moved(await records.of(agentId).read());
  }

  /** The records with present paths where the workspace has moved since. */
  #moved(records: readonly ChangeRecord[]): Promise<readonly ChangeRecord[]> {
    const { formerFolders, workspace, cwd } = this.#deps;
    return movedRecords(records, formerFolders, cwd(), workspace);
  }

  async #carryOut(
    direction: RevertOptions['direction'],
    request: Request,
    find: () => Promise<Found>,
  ): Promise<RevertOutcome> {
    const { store, workspace, settled, agentThreads } = this.#deps;
    const restore = workspace.restore?.bind(workspace);
    if (store === undefined) return warning(NOT_KEPT);
    if (restore === undefined) return warning(NO_FILES);
    try {
      await settled();
      const found = await find();
      if (found.refusal !== undefined) return warning(found.refusal);
      const revert = () => this.#revert(direction, request, found, { store, restore });
      if (agentThreads === undefined) return await revert();
      const outcome = await agentThreads.whileFree(found.agents ?? [], revert);
      return outcome.type === 'done' ? outcome.result : warning(outcome.message);
    } catch (error) {
      return warning(`Nothing was changed: ${describeFileError(error, 'what is kept of the changes')}`);
    }
  }

  async #revert(
    direction: RevertOptions['direction'],
    { preview = false, includeUncertain = false, overwrite = [], exclude = [] }: Request,
    { changes, inSideCopies = [] }: Found,
    { store, restore }: RestoreParts,
  ): Promise<RevertOutcome> {
    const { workspace, cwd, maxBytes } = this.#deps;
    if (changes === undefined || isEmpty(changes)) {
      if (preview && maxBytes > 0) return { msgs: [nothingPlanned(direction, inSideCopies)], type: 'done' };
      return { ...warning(maxBytes === 0 ? NOT_KEPT : `There is nothing to ${direction}.`), type: 'empty' };
    }
    // The recorded paths are real ones.
    const here = await workspace.realPath(cwd()).catch(cwd);
    const options = { direction, cwd: here, includeUncertain, overwrite, exclude };
    const plan = await planRevert(changes, options, { store });
    if (preview) return { msgs: [await this.#planned(plan, options, store, inSideCopies)], type: 'done' };
    const result = await this.#perform(plan, options, store, restore);
    if (!('type' in result)) await this.#tellAgents(direction, result);
    return reverted(plan, result);
  }

  async #tellAgents(direction: RevertOptions['direction'], { agents }: Reverted): Promise<void> {
    for (const { agentId, turnIds, paths, skipped } of agents) {
      const msg = { type: 'files_reverted' as const, direction, paths: [...paths], skipped: [...skipped] };
      await this.#deps.agentThreads?.emit(
        agentId,
        turnIds.map((turnId) => ({ ...msg, turnId })),
      );
    }
  }

  async #planned(
    plan: RevertPlan,
    options: RevertOptions,
    store: BaselineStore,
    inSideCopies: readonly string[],
  ): Promise<EventMsg> {
    // A file that needs the user's choice is shown as it would become, and is no part of the diff.
    const asked = await changesOfPlan(plan, { includeUncertain: true }, { store });
    const shown = new Map(asked.map(({ path, before, after }) => [path, keptContents(before, after)]));
    const uncertain = plan.files.filter(({ file }) => file.uncertain === true).map(({ change }) => change.path);
    const left = new Set(options.includeUncertain ? [] : uncertain);
    const changes = asked.filter(({ path }) => !left.has(path));
    const files = plan.files.map(({ file, change, now }) => {
      const contents = file.state === 'conflict' ? keptContents(now, change.before) : shown.get(change.path);
      return { ...file, ...(contents === undefined ? {} : { contents }) };
    });
    const folders = [...plan.newFolders, ...plan.goneFolders.map(({ path }) => path)].map(
      (folder) => pathBelow(options.cwd, folder) ?? folder,
    );
    return {
      type: 'revert_planned',
      turnIds: [...plan.turnIds],
      direction: plan.direction,
      files,
      ...(folders.length === 0 ? {} : { folders }),
      ...(inSideCopies.length === 0 ? {} : { inSideCopies: [...inSideCopies] }),
      unifiedDiff: await diffOfChanges(changes, options.cwd, (hash) => store.read(hash)),
    };
  }

  /** Changes of the undo are not attributed to commands that run at the same time. */
  #perform(
    plan: RevertPlan,
    options: RevertOptions,
    store: BaselineStore,
    restore: NonNullable<Workspace['restore']>,
  ): Promise<Reverted | Exclude<RestoreResult, { type: 'restored' }>> {
    const { ledger, records, clock } = this.#deps;
    return performRevert(plan, options, {
      store,
      records,
      clock,
      restore: async (files, folders) => {
        if (ledger === undefined) return restore(files, folders);
        const paths = files.map(({ path }) => path);
        return (await ledger.write(paths, () => restore(files, folders))).result;
      },
    });
  }
}

function nothingPlanned(direction: RevertOptions['direction'], inSideCopies: readonly string[]): EventMsg {
  const copies = inSideCopies.length === 0 ? {} : { inSideCopies: [...inSideCopies] };
  return { type: 'revert_planned', turnIds: [], direction, files: [], ...copies, unifiedDiff: '' };
}

function reverted(
  { direction, turnIds }: RevertPlan,
  result: Reverted | Exclude<RestoreResult, { type: 'restored' }>,
): RevertOutcome {
  if (!('type' in result)) {
    const { paths, skipped } = result;
    const msg = { type: 'files_reverted' as const, direction, paths: [...paths], skipped: [...skipped] };
    return { msgs: turnIds.map((turnId) => ({ ...msg, turnId })), type: 'done' };
  }
  return warning(revertFailure(result));
}

function warning(message: string): RevertOutcome {
  return { msgs: [{ type: 'warning', message }], type: 'failed' };
}
