import * as vscode from 'vscode';
import { skillList } from '../../core/prompt/skillList.ts';
import { offeredSkills } from '../../core/skills/offeredSkills.ts';
import type { SelectedSkill, SelectedSkills } from '../../core/skills/selectSkills.ts';
import { assertNever } from '../../core/util/assertNever.ts';
import { inOneLine } from '../../protocol/text/truncate.ts';
import type { SkillRow } from '../../protocol/wire.ts';
import { announceOnce } from '../ui/announceOnce.ts';
import { approveText } from '../ui/approveText.ts';
import { withoutIcons, withoutLinks } from '../ui/escapeUiText.ts';
import type { ReadOnlyTexts } from '../ui/readOnlyTexts.ts';

export interface SkillCommandDeps {
  readonly current: () => Promise<SelectedSkills>;
  readonly decide: (hash: string, accepted: boolean | null) => Promise<void>;
  readonly memento: vscode.Memento;
  /** Shows a file before it is approved. */
  readonly texts: Pick<ReadOnlyTexts, 'open'>;
  /** The setting `skills.maxTokens`. */
  readonly maxTokens: () => number;
}

interface SkillItem extends vscode.QuickPickItem {
  readonly run?: () => unknown;
}

/** Proposals that were shown in a notification, by hash. */
const SEEN = 'tiller.seenSkills';

/** "Skills": the list of skills and prompt files, where those of a workspace are approved and refused. */
export class SkillCommands {
  readonly #deps: SkillCommandDeps;

  constructor(deps: SkillCommandDeps) {
    this.#deps = deps;
  }

  async showSkills(): Promise<void> {
    const { skills, problems } = await this.#deps.current();
    const left = this.#leftOut(skills);
    const wrong = problems.map(
      ({ source, message }): SkillItem => ({
        label: `$(error) ${withoutIcons(vscode.workspace.asRelativePath(source))}`,
        detail: withoutIcons(inOneLine(message, 300)),
        // Some are about a whole folder.
        ...(source.endsWith('.md') && { run: () => vscode.window.showTextDocument(vscode.Uri.file(source)) }),
      }),
    );
    const none: SkillItem = {
      label: vscode.l10n.t('There are no skills and no prompt files'),
      detail: vscode.l10n.t(
        'A skill is a folder with a SKILL.md, such as ~/.agents/skills/deploy or .agents/skills/deploy.',
      ),
    };
    const items = [...skills.map((one) => this.#itemOf(one, left)), ...wrong];
    const chosen = await vscode.window.showQuickPick(items.length === 0 ? [none] : items, {
      title: vscode.l10n.t('Skills and Prompt Files'),
      placeHolder: vscode.l10n.t('Select one to open it, or to approve or refuse it'),
      matchOnDescription: true,
      matchOnDetail: true,
    });
    await chosen?.run?.();
  }

  /** Says once for each skill and prompt that a file of the workspace proposes it. */
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

  /** What the composer offers at a `/`. */
  async rows(): Promise<readonly SkillRow[]> {
    return offeredSkills((await this.#deps.current()).skills);
  }

  /** Names of skills that do not fit into the list that the model gets. */
  #leftOut(skills: readonly SelectedSkill[]): ReadonlySet<string> {
    const listed = skills.flatMap(({ skill, state }) => (state === 'used' && skill.forModel ? [skill] : []));
    return new Set(skillList(listed, this.#deps.maxTokens()).left);
  }

  #itemOf(selected: SelectedSkill, left: ReadonlySet<string>): SkillItem {
    const { skill, file, state, notes } = selected;
    const { icon, word } = wordsOf(selected);
    const isLeft = state === 'used' && skill.forModel && left.has(skill.name);
    const more = isLeft
      ? [
          vscode.l10n.t(
            'The model does not get it in its list, which is full (tiller.skills.maxTokens); /{0} runs it.',
            skill.name,
          ),
        ]
      : [];
    return {
      label: `$(${icon}) ${withoutIcons(skill.name)}`,
      description: withoutIcons(`${word} · ${vscode.workspace.asRelativePath(file.source)}`),
      detail: withoutIcons(inOneLine([...more, ...notes, skill.description].join(' '), 300)),
      run: () => this.#act(selected),
    };
  }

  async #approve({ skill, file, hash }: SelectedSkill): Promise<void> {
    const question = withoutLinks(
      skill.kind === 'skill'
        ? vscode.l10n.t('May the model use the skill {0}, as its file says it?', skill.name)
        : vscode.l10n.t('May /{0} send this text to the model?', skill.name),
    );
    const name = vscode.workspace.asRelativePath(file.source);
    const decision = await approveText({ hash, name, text: file.text ?? '', question }, this.#deps.texts);
    if (decision !== undefined) await this.#deps.decide(hash, decision);
  }

  async #act(selected: SelectedSkill): Promise<void> {
    const { skill, file, hash, state } = selected;
    const open: SkillItem = {
      label: vscode.l10n.t('$(go-to-file) Open File'),
      run: () => vscode.window.showTextDocument(vscode.Uri.file(file.source)),
    };
    const approve: SkillItem = {
      label: vscode.l10n.t('$(check) Approve…'),
      detail: vscode.l10n.t(
        'Shows the whole file first. It is used until the file changes. Programs in its folder are not covered: they run like any command.',
      ),
      run: () => this.#approve(selected),
    };
    const refuse: SkillItem = {
      label: vscode.l10n.t('$(circle-slash) Refuse'),
      run: () => this.#deps.decide(hash, false),
    };
    const remove: SkillItem = {
      label: vscode.l10n.t('$(discard) Remove Approval'),
      detail: vscode.l10n.t('It is a proposal again, and is not used.'),
      run: () => this.#deps.decide(hash, null),
    };
    const isOpen = file.origin === 'workspace' && state !== 'shadowed';
    const choices = isOpen
      ? [open, ...(state === 'used' ? [remove] : [approve]), ...(state === 'proposed' ? [refuse] : [])]
      : [open];
    const title = vscode.l10n.t('Skill {0}', skill.name);
    const chosen = await vscode.window.showQuickPick(choices, {
      title: skill.kind === 'skill' ? title : vscode.l10n.t('Prompt {0}', skill.name),
      placeHolder: withoutIcons(inOneLine(skill.description, 200)),
    });
    await chosen?.run?.();
  }
}

function wordsOf({ skill, state }: SelectedSkill): { readonly icon: string; readonly word: string } {
  switch (state) {
    case 'used':
      return skill.kind === 'skill'
        ? { icon: 'mortar-board', word: usedText(skill) }
        : { icon: 'note', word: vscode.l10n.t('Prompt') };
    case 'proposed':
      return { icon: 'question', word: vscode.l10n.t('Proposed, not used') };
    case 'refused':
      return { icon: 'circle-slash', word: vscode.l10n.t('Refused') };
    case 'shadowed':
      return { icon: 'circle-slash', word: vscode.l10n.t('Another file has this name') };
    default:
      return assertNever(state);
  }
}

function usedText({ forModel, forUser }: SelectedSkill['skill']): string {
  if (forModel) return forUser ? vscode.l10n.t('Skill') : vscode.l10n.t('Skill, only for the model');
  return vscode.l10n.t('Skill, only by its name');
}
