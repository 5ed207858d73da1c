import type { FetchResponse } from '../ports.ts';
import type { Attempt } from './attempt.ts';
import { ModelFault, type ResponseEvent } from './client.ts';
import type { ClientParts } from './clientParts.ts';
import { describeRefusal, type Dispensable, refusedBy } from './fieldFallback.ts';
import { rateLimitsIn } from './rateLimits.ts';
import type { RequestBody } from './requestBody.ts';

/**
 * Opens the response. A field that the server refuses by name is remembered, reported, and left out of the next
 * attempt; each can be refused once, so the loop ends. The fault in a warning is
 * redacted as faults are (`createModelClient`). `leavesOut` may leave a refused field out of this thread alone: then it
 * is not remembered for the model. @throws ModelFault
 */
export async function* openWithFallback(
  { provider, transport, refused, clock, log }: ClientParts,
  attempt: Attempt,
  path: string,
  model: string,
  build: () => RequestBody,
  leavesOut: (field: Dispensable) => boolean = () => false,
): AsyncGenerator<ResponseEvent, FetchResponse, undefined> {
  while (true) {
    const body = build();
    try {
      const response = await attempt.open((signal) => transport.post(path, body.text, signal));
      const limits = rateLimitsIn(response.headers, clock.now());
      if (limits) yield { type: 'rate_limits', limits };
      return response;
    } catch (error) {
      const field = error instanceof ModelFault ? refusedBy(error, body.sent) : undefined;
      if (field === undefined) throw error;
      const { detail } = error as ModelFault;
      if (!leavesOut(field)) refused.add(model, field);
      log.warn(`${provider.id} refused ${field} for ${model}`);
      yield { type: 'warning', message: describeRefusal(provider.id, model, field, detail) };
    }
  }
}
