import type { AuditEntry } from '../../protocol/audit.ts';
import type { AuditJournal, Clock, Log } from '../ports.ts';
import type { Auditor } from '../tools/auditor.ts';
import { StorageFailure } from './failure.ts';

/**
 * The audit log as one turn writes it. A decision that cannot be written stops the turn before anything comes of it; an
 * end that cannot is only logged, for it has happened, and the next decision meets the same fault.
 */
export function auditTrail(
  whose: Pick<AuditEntry, 'threadId' | 'agentId' | 'turnId'>,
  ports: { readonly audit: AuditJournal; readonly clock: Clock; readonly log: Log },
  stop: (failure: StorageFailure) => void,
): Auditor {
  const head = () => ({ v: 1 as const, at: ports.clock.now().toISOString(), ...whose });
  return {
    decided(decision) {
      try {
        ports.audit.append({ ...head(), type: 'decision', ...decision });
      } catch (error) {
        const failure = new StorageFailure(error, 'The audit log could not be written, and nothing runs unaudited.');
        stop(failure);
        throw failure;
      }
    },
    ended(end) {
      try {
        ports.audit.append({ ...head(), type: 'end', ...end });
      } catch (error) {
        ports.log.error('The end of a call could not be written to the audit log', error);
      }
    },
  };
}
