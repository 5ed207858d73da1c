import { isRunByText } from '../../protocol/draft.ts';
import type { EventMsg, TurnSettings } from '../../protocol/event.ts';
import type { UserInput } from '../../protocol/item.ts';
import { textOfInput, type ThreadState } from '../../protocol/thread.ts';
import { hookedTool } from '../hooks/hookedTool.ts';
import type { ListedSkill } from '../prompt/skillList.ts';
import { skillCalledIn, textOfCall } from '../skills/callSkill.ts';
import { isListed, type ListableCall } from '../skills/listedTools.ts';
import type { Skill } from '../skills/skillFile.ts';
import type { ToolCall } from '../tools/handler.ts';
import type { HookVerdict } from '../tools/hookVerdict.ts';
import { MENTION_LIMITS, withinBudget } from './mentions.ts';
import type { SessionOptions } from './sessionOptions.ts';

/** The fields of a running skill or prompt that a turn keeps. */
type RunSkill = Pick<Skill, 'kind' | 'name' | 'allowedTools'>;
/** Calls that it does not list are asked about. */
type LimitingSkill = RunSkill & { readonly allowedTools: readonly string[] };

/** State of a thread's skills that is kept between turns. */
export class SkillMemory {
  /** The skills that restrict the last turn with a message; `undefined` if this process ran no such turn. */
  limiting: readonly LimitingSkill[] | undefined;
}

/** The session and the turn of it that run skills. */
export interface SkillTurn {
  readonly turnId: string;
  readonly settings: Pick<TurnSettings, 'cwd'>;
  /** The thread as it was before this process. */
  readonly before: Pick<ThreadState, 'turns'>;
  readonly emit: (msg: EventMsg) => void;
}

/**
 * Skills and prompts that the user runs in one turn. From then on, until the turn ends, a call that such a skill does
 * not list in its `allowed-tools` needs approval.
 */
export class TurnSkills {
  readonly #options: Pick<SessionOptions, 'host' | 'ports' | 'meta'>;
  readonly #memory: SkillMemory;
  readonly #turn: SkillTurn;
  #limiting: readonly LimitingSkill[] = [];

  constructor(options: Pick<SessionOptions, 'host' | 'ports' | 'meta'>, memory: SkillMemory, turn: SkillTurn) {
    this.#options = options;
    this.#memory = memory;
    this.#turn = turn;
  }

  /** The skills because of which calls may be asked about. */
  get limiting(): readonly LimitingSkill[] {
    return this.#limiting;
  }

  /**
   * Restores the limits of a turn that goes on without a message: one that is tried again, or one of an earlier
   * process.
   */
  async recover(): Promise<void> {
    const { before, turnId } = this.#turn;
    if (this.#memory.limiting !== undefined) {
      this.#limiting = this.#memory.limiting;
      return;
    }
    const items = (before.turns.find(({ id }) => id === turnId) ?? before.turns.at(-1))?.items ?? [];
    for (const item of items) if (item.type === 'user_message') this.#limitBy(await this.#ranBy(item.content));
  }

  /** The message, with the text of the skill or prompt that it runs. */
  async run(input: readonly UserInput[]): Promise<readonly UserInput[]> {
    const { host, ports } = this.#options;
    if (host.skills === undefined) return input;
    // A message that is sent again still has the skills that it ran before.
    const own = input.filter((part) => !isRunByText(part));
    const call = await this.#calledIn(own);
    this.#limitBy(call?.skill);
    this.#memory.limiting = this.#limiting;
    if (call === undefined) return own;
    const { kind, name, source, allowedTools } = call.skill;
    const { text, warnings } = textOfCall(call, this.#turn.settings.cwd);
    for (const message of warnings) this.#turn.emit({ type: 'warning', message });
    const found = { type: 'text' as const, text: ports.keys.hide(text) };
    const mention = {
      type: 'mention' as const,
      kind,
      name,
      path: source,
      allowedTools: allowedTools && [...allowedTools],
    };
    return [...own, withinBudget(mention, found, MENTION_LIMITS.message)];
  }

  /** `names`: of the tool. */
  verdict(call: ToolCall, names: readonly string[]): HookVerdict {
    if (this.#limiting.length === 0) return { type: 'none' };
    const called = listable(call, names, { cwd: this.#turn.settings.cwd, host: this.#options.ports.host });
    const skill = this.#limiting.find(({ allowedTools }) => !isListed(allowedTools, called));
    if (skill === undefined) return { type: 'none' };
    const text = `The ${skill.kind} ${skill.name} does not list this call among its tools.`;
    return { type: 'ask', reason: { source: 'policy', id: `unlisted-tool:${skill.name}`, text } };
  }

  async #calledIn(input: readonly UserInput[]) {
    const { host, meta } = this.#options;
    const text = textOfInput(input);
    // Only the user runs skills: the messages of a sub-agent come from the model.
    if (meta.originator === 'sub_agent' || !text.trimStart().startsWith('/')) return undefined;
    return skillCalledIn(text, (await host.skills?.()) ?? []);
  }

  /** The skills that a recorded message ran: as recorded, or for older rollouts from the current files. */
  async #ranBy(input: readonly UserInput[]): Promise<RunSkill | undefined> {
    const ran = input.find(isRunByText);
    if (ran?.allowedTools === undefined) return (await this.#calledIn(input))?.skill;
    return { ...ran, allowedTools: ran.allowedTools };
  }

  #limitBy(ran: RunSkill | undefined): void {
    if (ran === undefined || ran.allowedTools === null) return;
    const { kind, name, allowedTools } = ran;
    this.#limiting = [...this.#limiting, { kind, name, allowedTools }];
  }
}

function listable(call: ToolCall, names: readonly string[], place: Parameters<typeof hookedTool>[2]): ListableCall {
  const tool = hookedTool(call, names, place);
  const input = tool?.own.input ?? {};
  // Reading the output of a running command, or the answer of a language server, needs no entry in a list.
  if (names[0] === 'write_stdin' && (input['chars'] ?? '') === '') return { names, uses: [] };
  if (names[0] === 'code_navigation') return { names, uses: input['op'] === 'rename' ? [{ name: 'Edit' }] : [] };
  const faces =
    tool === undefined || tool.claude.length === 0 ? [{ name: names[0] ?? call.name, input: {} }] : tool.claude;
  const uses = faces.map(({ name, input }: { name: string; input: Readonly<Record<string, unknown>> }) => {
    const command = name === 'Bash' ? input['command'] : undefined;
    return typeof command === 'string' ? { name, command } : { name };
  });
  return { names, uses };
}

/** The skills that the model of a thread may read by itself: none where it has no tool to read files. */
export async function skillsForModel({
  host,
  settings,
}: Pick<SessionOptions, 'host' | 'settings'>): Promise<readonly ListedSkill[]> {
  if (host.listedSkills !== undefined) return host.listedSkills();
  const { allowed, denied = [] } = settings.tools;
  const isOffered = (name: string) =>
    (allowed?.includes(name) ?? true) && !denied.includes(name) && !denied.includes('*');
  const mayRead = ['read_file', 'exec_command'].some(isOffered);
  if (!host.isTrusted() || !mayRead || host.skills === undefined) return [];
  return (await host.skills()).filter(({ forModel }) => forModel);
}
