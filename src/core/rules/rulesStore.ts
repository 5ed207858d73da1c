import path from 'node:path';
import type { Rule, RuleScope } from '../../protocol/policy.ts';
import { isSameRule, ruleMeaning } from '../../protocol/policy.ts';
import type { RuleProposal, RulesOverview, Uses } from '../../protocol/rules.ts';
import { addRule, removeRule, replaceRule } from '../policy/editRules.ts';
import {
  definitionHash,
  type LoadedRule,
  type LoadedRules,
  parseRulesFile,
  ruleIdentity,
  splitWorkspaceRules,
} from '../policy/rules.ts';
import type { Clock, Log, SideCopyPlaces, Storage, Workspace } from '../ports.ts';
import type { Disposable } from '../util/disposable.ts';
import { Emitter } from '../util/emitter.ts';
import { describeFileError, errorCode } from '../util/fileErrors.ts';
import { isBelow } from '../util/pathBelow.ts';
import { withoutByteOrderMark } from '../util/textBytes.ts';
import { approvalName, describeApproval } from './approvals.ts';
import { checkRule } from './checkRule.ts';
import { FileWatch } from './fileWatch.ts';
import { type Problem, RuleFiles, USER_RULES } from './ruleFiles.ts';
import { UseCounts } from './useCounts.ts';
import { changeWorkspaceRules, NOTHING_SETTLED, type Settled, WORKSPACE_RULES } from './workspaceRules.ts';

/** The place of a command, as far as rules need it. */
export interface RulesPlace {
  /** Absolute. */
  readonly cwd: string;
  /** False when the workspace's own rules are ignored. */
  readonly trusted: boolean;
}

/** Remembered approvals and rules of a thread (design §2): kept in its rollout, not here. */
export interface ThreadMemory {
  readonly threadId: string;
  readonly keys: readonly string[];
  readonly rules: readonly Rule[];
}

export interface RulesInForce {
  readonly rules: LoadedRules;
  readonly problems: readonly Problem[];
}

interface Layers extends RulesInForce {
  readonly proposals: readonly RuleProposal[];
}

/**
 * All rules of this process: the user's for everywhere (`rules.json`), for a workspace and for a thread, and those of
 * the workspace itself, which only tighten. Read before each decision, so a change applies from the next decision on,
 * whichever process made it.
 */
export class RulesStore {
  readonly #ports: {
    readonly storage: Storage;
    readonly workspace: Workspace;
    readonly clock: Clock;
    readonly log: Log;
    readonly sideCopies?: SideCopyPlaces;
  };
  readonly #files: RuleFiles;
  readonly #uses: UseCounts;
  readonly #changes: Emitter<void>;
  readonly #watch: FileWatch;

  constructor(ports: {
    readonly storage: Storage;
    readonly workspace: Workspace;
    readonly clock: Clock;
    readonly log: Log;
    readonly sideCopies?: SideCopyPlaces;
  }) {
    this.#ports = ports;
    this.#files = new RuleFiles(ports);
    this.#uses = new UseCounts(ports);
    this.#changes = new Emitter((error) => ports.log.error('A listener of the rules failed', error));
    this.#watch = new FileWatch(
      ports.clock,
      () => this.#files.stamp(),
      () => this.#changes.fire(),
    );
  }

  /** Fires when a rule was added, changed or removed: through this store or, while it is watched, in any other way. */
  get onChange(): Emitter<void>['event'] {
    return this.#changes.event;
  }

  /**
   * Makes `onChange` also report changes to the user's rules by other windows and by hand, until the returned object is
   * disposed.
   */
  watch(): Disposable {
    return this.#watch.open();
  }

  /** The rules that apply. A broken file gives no rules and a problem (codex-behaviour.md §6.9). */
  async inForce(place: RulesPlace, memory: ThreadMemory | null): Promise<RulesInForce> {
    const { rules, problems } = await this.#layers(place, memory);
    return { rules, problems };
  }

  async overview(place: RulesPlace, memory: ThreadMemory | null): Promise<RulesOverview> {
    const [{ rules, problems, proposals }, usesOf] = await Promise.all([this.#layers(place, memory), this.#uses.all()]);
    return {
      rules: rules.map((loaded) => entryOf(loaded, usesOf)),
      approvals: (memory?.keys ?? []).flatMap((key) => {
        const shown = describeApproval(key);
        return shown ? [{ key, ...shown, uses: usesOf(approvalName(memory?.threadId ?? '', key)) }] : [];
      }),
      proposals,
      problems,
    };
  }

  /** Counts the use of rules; saved with the next `flush`. */
  noteUse(rules: LoadedRules): void {
    this.#uses.note(rules.map(ruleIdentity));
  }

  noteApprovals(threadId: string, keys: readonly string[]): void {
    this.#uses.note(keys.map((key) => approvalName(threadId, key)));
  }

  flush(): Promise<void> {
    return this.#uses.flush();
  }

  /**
   * Adds a rule of the user; one that exists is not added again.
   * @throws Error with a message for the user: a banned rule, a broken file, or a file that cannot be written.
   */
  async add(scope: Exclude<RuleScope, 'thread'>, rule: Rule, place: RulesPlace): Promise<void> {
    checkRule(rule);
    if (scope === 'user') await this.#editUser((text, rules) => (has(rules, rule) ? text : addRule(text, rule)));
    else await this.#editWorkspace(place, (settled) => withRule(settled, rule));
    this.#changes.fire();
  }

  /** @throws Error as `add`, and when the rule no longer exists. */
  async replace(id: string, rule: Rule | null, place: RulesPlace): Promise<void> {
    if (rule !== null) checkRule(rule);
    const { rules } = await this.#layers(place, null);
    const known = rules.find((loaded) => ruleIdentity(loaded) === id);
    if (known?.layer === 'user') {
      await this.#editUser((text = '', now) => {
        const at = now.findIndex((candidate) => ruleIdentity(candidate) === id);
        if (at === -1) throw new Error(GONE);
        return rule === null ? removeRule(text, at) : replaceRule(text, at, rule);
      });
    } else if (known?.layer === 'workspace') {
      await this.#editWorkspace(place, (settled) => ({
        ...settled,
        rules: settled.rules.flatMap((existing) =>
          isSameRule(existing, known.rule) ? (rule === null ? [] : [rule]) : [existing],
        ),
      }));
    } else if (known?.layer === 'workspace_file') {
      if (rule !== null || known.rule.decision !== 'allow') throw new Error(`Change it in ${known.file}.`);
      await this.settleProposal(definitionHash(known.rule), 'refused', place);
    } else throw new Error(GONE);
    this.#changes.fire();
  }

  /** Keeps the answer of the user to a rule that a workspace proposes. @throws Error when it cannot be written. */
  async settleProposal(hash: string, answer: 'accepted' | 'refused', place: RulesPlace): Promise<void> {
    await this.#editWorkspace(place, ({ rules, accepted, refused }) => ({
      rules,
      accepted: [...accepted.filter((known) => known !== hash), ...(answer === 'accepted' ? [hash] : [])],
      refused: [...refused.filter((known) => known !== hash), ...(answer === 'refused' ? [hash] : [])],
    }));
    this.#changes.fire();
  }

  async #layers(place: RulesPlace, memory: ThreadMemory | null): Promise<Layers> {
    const folders = place.trusted ? this.#foldersFor(place) : [];
    const [user, workspaces, ...brought] = await Promise.all([
      this.#files.user(),
      this.#files.workspaces(),
      ...folders.map((folder) => this.#files.folder(folder)),
    ]);
    const settled = workspaces.content.get(this.#workspaceOf(place)) ?? NOTHING_SETTLED;
    const { inForce, proposals } = splitWorkspaceRules(brought.flatMap(({ content }) => content));
    const accepted = proposals.filter(({ rule }) => settled.accepted.includes(definitionHash(rule)));
    return {
      rules: [
        ...user.content,
        ...settled.rules.map(this.#ofTheWorkspace),
        ...rulesOfThread(memory?.rules ?? []),
        ...inForce,
        ...accepted,
      ],
      problems: [user, workspaces, ...brought].flatMap(({ problem }) => problem ?? []),
      proposals: proposals
        .filter((proposal) => !accepted.includes(proposal))
        .map((proposal) => proposalOf(proposal, settled)),
    };
  }

  readonly #ofTheWorkspace = (rule: Rule, index: number): LoadedRule => ({
    rule,
    index,
    file: path.join(this.#ports.storage.home, WORKSPACE_RULES),
    layer: 'workspace',
  });

  /** All open folders may tighten; without open folders, the working directory. */
  #foldersFor({ cwd }: RulesPlace): readonly string[] {
    const { roots } = this.#ports.workspace;
    return roots.length > 0 ? roots : [cwd];
  }

  /** The open folder that contains the working directory, or that a side copy was made of. */
  #workspaceOf(place: RulesPlace): string {
    const cwd = this.#ports.sideCopies?.homeOf(place.cwd) ?? place.cwd;
    const around = this.#ports.workspace.roots.filter((root) => isBelow(cwd, root));
    return around.toSorted((one, other) => other.length - one.length)[0] ?? cwd;
  }

  #editUser(change: (text: string | undefined, rules: LoadedRules) => string | undefined): Promise<void> {
    const file = path.join(this.#ports.storage.home, USER_RULES);
    return this.#update(USER_RULES, (bytes) => {
      const text = bytes === undefined ? undefined : withoutByteOrderMark(bytes);
      const parsed = text === undefined ? { type: 'rules' as const, rules: [] } : parseRulesFile(text, file);
      if (parsed.type === 'invalid') throw new Error(`${parsed.message} Correct it first.`);
      return change(text, parsed.rules) ?? '';
    });
  }

  #editWorkspace(place: RulesPlace, change: (settled: Settled) => Settled): Promise<void> {
    const folder = this.#workspaceOf(place);
    return this.#update(WORKSPACE_RULES, (text) => changeWorkspaceRules(text, folder, change));
  }

  /** @throws Error with a message for the user. */
  async #update(file: string, change: (text: string | undefined) => string): Promise<void> {
    const { storage } = this.#ports;
    try {
      await storage.updateText(file, change);
    } catch (error) {
      if (errorCode(error) === undefined) throw error;
      throw new Error(describeFileError(error, path.join(storage.home, file)), { cause: error });
    }
  }
}

/**
 * Gives the rules that were approved for the rest of a thread a place among those of files; their file is named
 * `thread`.
 */
export function rulesOfThread(rules: readonly Rule[]): LoadedRules {
  return rules.map((rule, index) => ({ rule, index, file: 'thread', layer: 'thread' }));
}

const GONE = 'This rule no longer exists.';

function has(rules: LoadedRules, rule: Rule): boolean {
  return rules.some((known) => isSameRule(known.rule, rule));
}

function withRule(settled: Settled, rule: Rule): Settled {
  const isKnown = settled.rules.some((known) => ruleMeaning(known) === ruleMeaning(rule));
  return isKnown ? settled : { ...settled, rules: [...settled.rules, rule] };
}

function entryOf(loaded: LoadedRule, usesOf: (name: string) => Uses): RulesOverview['rules'][number] {
  const { layer, rule, file, index } = loaded;
  const id = ruleIdentity(loaded);
  return { id, layer, rule, file: layer === 'thread' ? null : file, index, uses: usesOf(id) };
}

function proposalOf({ rule, file }: LoadedRule, settled: Settled): RuleProposal {
  const hash = definitionHash(rule);
  return { hash, rule, file, state: settled.refused.includes(hash) ? 'refused' : 'new' };
}
