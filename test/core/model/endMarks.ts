import type { Wire } from '../../support/modelServer.ts';

/** The text by which a server marks that an answer with calls is complete. */
export const END_MARKS: Readonly<Record<Wire, string>> = {
  responses: '"type":"response.completed"',
  chat: '"finish_reason":"tool_calls"',
  messages: '"stop_reason":"tool_use"',
};
