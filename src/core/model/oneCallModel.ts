import { textOf } from '../../protocol/responseItem.ts';
import type { Ids } from '../ports.ts';
import type { Prompt, ResponseEvent } from './client.ts';
import { familyOf } from './families.ts';
import type { ModelClientFactory } from './modelClientFactory.ts';

/** The id of these models in a rollout. */
const PROVIDER = 'one-call';

export interface OneCall {
  /** The name of one of our tools. */
  readonly tool: string;
  readonly arguments: Readonly<Record<string, unknown>>;
}

/**
 * A model that makes one call and ends: an action of other code runs with it as a thread, under policy, review and
 * audit like any call of a model. `onOutput` gets the output of the call.
 */
export function oneCallModel(
  call: OneCall,
  ids: Pick<Ids, 'next'>,
  onOutput: (text: string) => void,
): ModelClientFactory {
  async function* stream({ input }: Prompt): AsyncGenerator<ResponseEvent> {
    yield { type: 'created' };
    const output = input.findLast((item) => item.type === 'function_call_output');
    if (output === undefined) {
      yield { type: 'item_started', key: 'call', kind: 'tool_call', name: call.tool };
      const item = { type: 'function_call', call_id: ids.next('call'), name: call.tool } as const;
      yield { type: 'item_done', key: 'call', item: { ...item, arguments: JSON.stringify(call.arguments) } };
    } else onOutput(textOf(output.output));
    yield { type: 'completed', usage: null, endTurn: true };
  }
  return {
    id: PROVIDER,
    defaultModel: PROVIDER,
    connect: () => ({ client: { stream }, family: { ...familyOf(PROVIDER), applyPatch: 'function' }, prices: null }),
  };
}
