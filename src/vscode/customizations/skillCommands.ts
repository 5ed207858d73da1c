import * as vscode from 'vscode';
import { skillList } from '../../core/prompt/skillList.ts';
import { offeredSkills } from '../../core/skills/offeredSkills.ts';
import type { SelectedSkill, SelectedSkills } from '../../core/skills/selectSkills.ts';
import type { Disposable } from '../../core/util/disposable.ts';
import type { TrustDecision } from '../../core/trust/trust.ts';
import type { SkillRow } from '../../protocol/wire.ts';
import { announceOnce } from '../ui/announceOnce.ts';
import { approveText } from '../ui/approveText.ts';
import { withoutLinks } from '../ui/escapeUiText.ts';
import {
  decisionItems,
  type ListItem,
  listItem,
  type StateLabel,
  openItem,
  problemItem,
  showList,
  unusedStateLabel,
} from '../ui/proposalList.ts';
import type { ReadOnlyTexts } from '../ui/readOnlyTexts.ts';

export interface SkillCommandDeps {
  readonly current: () => Promise<SelectedSkills>;
  readonly decide: (hash: string, decision: TrustDecision) => Promise<void>;
  readonly memento: vscode.Memento;
  /** Shows a file before it is approved. */
  readonly texts: Pick<ReadOnlyTexts, 'open'>;
  /** The setting `skills.maxTokens`. */
  readonly maxTokens: () => number;
}

/** Proposals that were shown in a notification, by hash. */
const SEEN = 'tiller.seenSkills';

/** "Show Skills": the list of skills and prompt files, where those of a workspace are approved and refused. */
export class SkillCommands implements Disposable {
  readonly #deps: SkillCommandDeps;
  readonly #decided = new vscode.EventEmitter<void>();
  /** Fires when `rows` may be others, because the user has approved or refused one. */
  readonly onDidDecide = this.#decided.event;

  constructor(deps: SkillCommandDeps) {
    this.#deps = deps;
  }

  dispose(): void {
    this.#decided.dispose();
  }

  async showSkills(): Promise<void> {
    const { skills, problems } = await this.#deps.current();
    const left = this.#leftOut(skills);
    const none: ListItem = {
      label: vscode.l10n.t('There are no skills and no prompt files'),
      detail: vscode.l10n.t(
        'A skill is a folder with a SKILL.md, such as ~/.agents/skills/deploy or .agents/skills/deploy.',
      ),
    };
    const wrong = problems.map(({ source, message }) => problemItem(message, source));
    const items = [...skills.map((skill) => this.#itemOf(skill, left)), ...wrong];
    await showList(items.length === 0 ? [none] : items, {
      title: vscode.l10n.t('Skills and Prompt Files'),
      placeHolder: vscode.l10n.t('Select one to open it, or to approve or refuse it'),
    });
  }

  /** Notifies the user of each skill and prompt that a file of the workspace proposes, once. */
  async announce({ skills }: SelectedSkills): Promise<void> {
    const proposed = skills.filter(({ state }) => state === 'proposed');
    await announceOnce(proposed, {
      memento: this.#deps.memento,
      key: SEEN,
      sentence: (first, count) => {
        const file = vscode.workspace.asRelativePath(first.file.source);
        if (count > 1) {
          return vscode.l10n.t(
            '{0} skills and prompts of this workspace are not used until you approve them, the first in {1}.',
            count,
            file,
          );
        }
        return first.skill.kind === 'skill'
          ? vscode.l10n.t('{0} describes a skill that Tiller does not use until you approve it.', file)
          : vscode.l10n.t('{0} is a prompt that Tiller does not use until you approve it.', file);
      },
      button: vscode.l10n.t('Show Skills'),
      show: () => this.showSkills(),
    });
  }

  /** Resolves to the rows that the composer offers at a `/`. */
  async rows(): Promise<readonly SkillRow[]> {
    return offeredSkills((await this.#deps.current()).skills);
  }

  /** Names of skills that do not fit into the list that the model gets. */
  #leftOut(skills: readonly SelectedSkill[]): ReadonlySet<string> {
    const listed = skills.flatMap(({ skill, state }) => (state === 'used' && skill.forModel ? [skill] : []));
    return new Set(skillList(listed, this.#deps.maxTokens()).left);
  }

  #itemOf(selected: SelectedSkill, left: ReadonlySet<string>): ListItem {
    const { skill, file, state, notes } = selected;
    const isLeft = state === 'used' && skill.forModel && left.has(skill.name);
    const more = isLeft
      ? [
          vscode.l10n.t(
            'The model does not get it in its list, which is full (tiller.skills.maxTokens); /{0} runs it.',
            skill.name,
          ),
        ]
      : [];
    return listItem({
      ...(state === 'used' ? usedStateLabel(skill) : unusedStateLabel(state)),
      name: skill.name,
      source: file.source,
      detail: [...more, ...notes, skill.description].join(' '),
      run: () => this.#act(selected),
    });
  }

  async #approve({ skill, file, hash }: SelectedSkill): Promise<void> {
    const question = withoutLinks(
      skill.kind === 'skill'
        ? vscode.l10n.t('May the model use the skill {0}, as its file says it?', skill.name)
        : vscode.l10n.t('May /{0} send this text to the model?', skill.name),
    );
    const name = vscode.workspace.asRelativePath(file.source);
    const decision = await approveText({ hash, name, text: file.text ?? '', question }, this.#deps.texts);
    if (decision !== undefined) await this.#decide(hash, decision);
  }

  async #decide(hash: string, decision: TrustDecision): Promise<void> {
    await this.#deps.decide(hash, decision);
    this.#decided.fire();
  }

  async #act(selected: SelectedSkill): Promise<void> {
    const { skill, file, hash, state } = selected;
    const approve = {
      detail: vscode.l10n.t(
        'Shows the whole file first. It is used until the file changes. Programs in its folder are not covered: they run like any command.',
      ),
      run: () => this.#approve(selected),
    };
    const isOpen = file.origin === 'workspace' && state !== 'shadowed';
    const decisions = isOpen
      ? decisionItems({ state, approve, decide: (decision) => this.#decide(hash, decision) })
      : [];
    await showList([...decisions, openItem(file.source)], {
      title: skill.kind === 'skill' ? vscode.l10n.t('Skill {0}', skill.name) : vscode.l10n.t('Prompt {0}', skill.name),
      placeHolder: skill.description,
    });
  }
}

function usedStateLabel({ kind, forModel, forUser }: SelectedSkill['skill']): StateLabel {
  if (kind === 'prompt') return { icon: 'note', word: vscode.l10n.t('Prompt') };
  const icon = 'mortar-board';
  if (!forModel) return { icon, word: vscode.l10n.t('Skill, only by its name') };
  return { icon, word: forUser ? vscode.l10n.t('Skill') : vscode.l10n.t('Skill, only for the model') };
}
