import type { AuditEntry } from '../../protocol/audit.ts';
import type { AuditJournal, Clock, Log } from '../ports.ts';
import type { Auditor } from '../tools/auditor.ts';
import { StorageFailure } from './failure.ts';

/**
 * Writes the audit log of one turn. A decision that cannot be written stops the turn before the call runs. The end of a
 * call that cannot be written is only logged: the call has run, and the next decision fails the same way.
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
