import type { TurnSettings } from '../../protocol/event.ts';
import type { ResponseItem } from '../../protocol/responseItem.ts';
import type { Ports } from '../ports.ts';
import {
  changedFacts,
  type EnvironmentFacts,
  environmentFacts,
  environmentMessage,
} from '../prompt/environmentContext.ts';
import { permissionsMessage } from '../prompt/permissions.ts';
import { projectDocsMessage, readProjectDocs } from '../prompt/projectDocs.ts';

/**
 * What the model is told before the person speaks: everything at first, later only what has changed
 * (codex-behaviour.md §2.3, §3.5). Each is told once; what was told stays where it was told.
 */
export class ContextNews {
  #told: { readonly facts: EnvironmentFacts; readonly permissions: string; readonly docs: string } | undefined;

  async take(
    settings: TurnSettings,
    options: { readonly ports: Ports; readonly projectDocMaxBytes: number; readonly userInstructions: string },
  ): Promise<readonly ResponseItem[]> {
    const { ports, projectDocMaxBytes, userInstructions } = options;
    const { workspace, storage, host, clock } = ports;
    const facts = environmentFacts(settings, host, clock.now());
    const permissions = permissionsMessage(settings);
    const permissionsKey = JSON.stringify(permissions);
    const docs =
      this.#told?.facts.cwd === facts.cwd
        ? this.#told.docs
        : joinDocs(userInstructions, await readProjectDocs(workspace, storage, settings.cwd, projectDocMaxBytes));

    const news: ResponseItem[] = [];
    if (this.#told?.permissions !== permissionsKey) news.push(permissions);
    if (docs !== '' && this.#told?.docs !== docs) news.push(projectDocsMessage(settings.cwd, docs));
    const changed = this.#told ? changedFacts(this.#told.facts, facts) : facts;
    if (changed) news.push(environmentMessage(changed));
    this.#told = { facts, permissions: permissionsKey, docs };
    return news;
  }
}

function joinDocs(...docs: readonly string[]): string {
  return docs
    .map((doc) => doc.trim())
    .filter((doc) => doc !== '')
    .join('\n\n');
}
