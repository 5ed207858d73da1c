import type { McpElicitation, McpElicitationAnswer } from '../../mcp/connection.ts';
import type { Elicit } from '../../mcp/mcpServer.ts';
import { assertNever } from '../../util/assertNever.ts';
import type { ToolContext } from '../handler.ts';
import type { QuestionAnswer } from '../inquiry.ts';

/**
 * Asks the user of the thread whose call runs. Only the user can accept: without a user, and under a policy that never
 * asks, it is declined.
 */
export function elicitIn(server: string, { settings, inquire, signal: turn }: ToolContext): Elicit {
  return async (request, signal) => {
    if (settings.approvalPolicy === 'never') return { action: 'decline' };
    const asked = AbortSignal.any([signal, turn]);
    return answerOf(await inquire(questionOf(server, request), asked));
  };
}

function questionOf(server: string, request: McpElicitation): Parameters<ToolContext['inquire']>[0] {
  const { message } = request;
  if (request.mode === 'url') return { source: 'mcp', server, message, requestedSchema: {}, url: request.url };
  return { source: 'mcp', server, message, requestedSchema: { ...request.requestedSchema } };
}

function answerOf(answer: QuestionAnswer): McpElicitationAnswer {
  switch (answer.type) {
    case 'accepted':
      return { action: 'accept', content: answer.content };
    case 'declined':
      return { action: 'decline' };
    case 'cancelled':
      return { action: answer.by === 'user' ? 'cancel' : 'decline' };
    case 'answered':
      return { action: 'cancel' };
    default:
      return assertNever(answer);
  }
}
