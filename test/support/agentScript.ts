/** A scripted model for a thread and its sub-agents, whose requests may arrive in any order. */
import { isFinal } from '../../src/core/tools/agents/agentStatus.ts';
import type { Event } from '../../src/protocol/event.ts';
import type { ModelRequest, ModelScript, Step } from './modelServer.ts';
import type { Scenario } from './startScenario.ts';

type Response = readonly Step[] | ((request: ModelRequest) => readonly Step[]);

/**
 * Returns a script with the responses of each thread. The key is a text that only the user messages of that thread
 * contain; if several keys match, the last one applies. A request for which no response is left breaks the script.
 */
export function agentScript(threads: Readonly<Record<string, readonly Response[]>>): ModelScript {
  const next = new Map<string, number>();
  return (request) => {
    // The environment may contain a folder with a random name, and a list of agents contains the texts of others:
    // neither identifies the thread.
    const texts = userTexts(request).filter((text) => !/^<(?:environment_context|open_work)>/.test(text));
    const name = Object.keys(threads).findLast((known) => texts.some((text) => text.includes(known)));
    if (name === undefined) throw new Error(`No thread of the script has sent this: ${texts.join(' | ')}`);
    const index = next.get(name) ?? 0;
    next.set(name, index + 1);
    const response = threads[name]?.[index];
    if (response === undefined) throw new Error(`The thread ${name} has no response ${index + 1}.`);
    return typeof response === 'function' ? response(request) : response;
  };
}

/** Returns the texts of the user messages in a request, notices included. */
export function userTexts({ input }: ModelRequest): readonly string[] {
  return input.flatMap(({ role, content }) => {
    if (role !== 'user') return [];
    const parts = typeof content === 'string' ? [{ text: content }] : (content as readonly { text?: string }[]);
    return parts.flatMap(({ text }) => text ?? []);
  });
}

/** Returns the outputs of the calls in a request, oldest first. */
export function outputsOf({ input }: ModelRequest): readonly string[] {
  return input.filter(({ type }) => String(type).endsWith('_output')).map(({ output }) => String(output));
}

/** Returns the ids of the agents that a thread has spawned, oldest first, from the outputs of its calls. */
export function agentIds(request: ModelRequest): readonly string[] {
  return outputsOf(request).flatMap((output) => /^\{"agent_id":"([^"]+)"\}$/.exec(output)?.[1] ?? []);
}

/** Resolves with the next matching event of any thread of the process. */
export function nextEvent({ service }: Pick<Scenario, 'service'>, matches: (event: Event) => boolean): Promise<Event> {
  return new Promise((resolve) => {
    const listener = service.live.onEvent(({ event }) => {
      if (!matches(event)) return;
      listener.dispose();
      resolve(event);
    });
  });
}

/** Resolves when the thread has at least one agent and all of them have ended. */
export async function agentsEnd(chat: Scenario): Promise<void> {
  const isOver = () => chat.state.agents.length > 0 && chat.state.agents.every(isFinal);
  while (!isOver()) await chat.next('agent_status');
}
