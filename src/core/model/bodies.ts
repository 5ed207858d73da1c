import type { WireApi } from '../../protocol/providers.ts';
import { assertNever } from '../util/assertNever.ts';
import type { ServerFacts } from './abilities.ts';
import type { Prompt } from './client.ts';
import { ChatBodies } from './chatBody.ts';
import type { RefusedFields } from './fieldFallback.ts';
import { MessagesBodies } from './messages/messagesBody.ts';
import type { RequestBody } from './requestBody.ts';
import { ResponsesBodies } from './responsesBody.ts';

/** Builds the requests of a wire without sending them. */
export function bodiesOf(
  wire: WireApi,
  server: ServerFacts,
  refused: RefusedFields,
): { build(prompt: Prompt): RequestBody } {
  switch (wire) {
    case 'chat':
      return new ChatBodies(server, refused);
    case 'messages':
      return new MessagesBodies(server, refused);
    case 'responses':
      return new ResponsesBodies(server, refused);
    default:
      return assertNever(wire);
  }
}
