import { agentNotice, copyStatus, isAgentNoticeOf } from '../prompt/notices.ts';
import { type CopyNotice, dropCopyNotices, readCopyNotices } from '../rollout/copyNotices.ts';
import type { SessionParts } from './sessionParts.ts';

type Parts = Pick<SessionParts, 'agentNotices' | 'conversation' | 'remember' | 'recorder'> & {
  readonly options: Pick<SessionParts['options'], 'ports' | 'meta'>;
};

/**
 * Records news about the thread's agents for the model: those that have ended, and changes of their side copies that
 * the user has brought home. A notice is removed from the disk when the rollout has it, so that a crash loses none and
 * repeats none. Rejects as `remember` throws; notices that cannot be read are kept for a later request.
 */
export async function rememberNotices({ options, agentNotices, conversation, remember, recorder }: Parts) {
  for (const notice of agentNotices.take()) remember(notice);
  const { storage, log } = options.ports;
  const { id } = options.meta;
  const warn = (error: unknown) => log.warn('Notices of side copies cannot be read', error);
  const kept = await readCopyNotices(storage, id).catch((error: unknown): readonly CopyNotice[] => {
    warn(error);
    return [];
  });
  if (kept.length === 0) return;
  for (const notice of kept) {
    const { agentId } = notice;
    const status = copyStatus(notice);
    const isKnown = conversation.history.items.some((item) => isAgentNoticeOf(item, agentId, status));
    if (!isKnown) remember(agentNotice(agentId, status));
  }
  await recorder.sync();
  await dropCopyNotices(storage, id, kept).catch(warn);
}
