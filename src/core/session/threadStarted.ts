import path from 'node:path';
import type { EventMsgOf, TurnSettings } from '../../protocol/event.ts';
import type { SessionOptions } from './sessionOptions.ts';

/** The first event of a session. `settings`: those of the next turn. */
export function threadStarted(
  { meta, replayed, ports, rolloutPath }: SessionOptions,
  { cwd, model, approvalPolicy, sandboxPolicy, box, noSandboxCause }: TurnSettings,
): EventMsgOf<'thread_started'> {
  return {
    type: 'thread_started',
    cwd,
    model,
    approvalPolicy,
    sandbox: sandboxPolicy.type,
    box,
    ...(noSandboxCause === undefined ? {} : { noSandboxCause }),
    rolloutPath: path.join(ports.storage.home, rolloutPath),
    provider: meta.provider,
    ...(replayed === null ? {} : { resumed: true }),
    ...(meta.forked_from_id === undefined ? {} : { forkedFrom: meta.forked_from_id }),
    ...(meta.parent_id === undefined ? {} : { parentId: meta.parent_id }),
    ...(meta.parent_id === undefined && meta.agent ? { agent: meta.agent.role } : {}),
  };
}
