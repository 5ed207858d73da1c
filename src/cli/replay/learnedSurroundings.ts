import path from 'node:path';
import type { ListedSkill } from '../../core/prompt/skillList.ts';
import { surroundingsIn } from '../../core/replay/surroundings.ts';
import { formatMemory } from '../../core/rollout/memoryFile.ts';
import { memoryPath } from '../../core/rollout/threadMemories.ts';
import type { ResponseItem } from '../../protocol/responseItem.ts';
import type { ReplayWorld } from './ports.ts';

/** Puts the facts about machine and workspace that recorded items contain into the world of a replay. */
export class LearnedSurroundings {
  readonly #world: ReplayWorld;
  /** The last instructions of the project that were sent. */
  #lastDocs: string | undefined;
  #skills: readonly ListedSkill[] = [];

  constructor(world: ReplayWorld) {
    this.#world = world;
  }

  /** The skills that were listed to the model last. */
  get skills(): readonly ListedSkill[] {
    return this.#skills;
  }

  /** `cwd`: the working directory under which the items were recorded. */
  learn(items: readonly ResponseItem[], cwd: string): void {
    const { files, stored } = this.#world;
    const file = path.join(cwd, 'AGENTS.md');
    for (const item of items) {
      const { shell, timeZone, rules, memories = [], skills, docs, files: named } = surroundingsIn(item);
      if (skills !== undefined) this.#skills = skills;
      if (shell !== undefined) this.#world.shell = shell;
      if (timeZone !== undefined) this.#world.timeZone = timeZone;
      if (rules !== undefined) stored.set('rules.json', rules);
      for (const [index, { threadId, title, updatedAt }] of memories.entries()) {
        // The list is sorted by time and shows only the day: invented times keep its order.
        const at = `${updatedAt}T${String(99 - index).padStart(2, '0')}`;
        const memory = { threadId, title, folder: cwd, updatedAt: at, trace: '', summary: '-' };
        stored.set(memoryPath(threadId) ?? '', formatMemory(memory));
      }
      if (docs !== undefined) {
        files.set(path.join(docs.cwd, 'AGENTS.md'), Buffer.from(docs.text));
        this.#lastDocs = docs.text;
      }
      for (const [name, content] of named) files.set(path.resolve(cwd, name), content);
    }
    // The session would send a file again that differs from the last instructions, which the recording did not.
    const known = files.get(file);
    if (known !== undefined && String(known) !== this.#lastDocs) files.delete(file);
  }
}
