import type { EventMsg } from '../../protocol/event.ts';
import type { Ports } from '../ports.ts';
import { Recorder } from './recorder.ts';

/**
 * Appends events outside of turns to the rollout of a thread without a session. The caller keeps other processes from the
 * thread. @throws the error of the disk
 */
export async function appendEvents(
  rollout: string,
  msgs: readonly EventMsg[],
  ports: Pick<Ports, 'storage' | 'clock'>,
): Promise<void> {
  const recorder = new Recorder(rollout, ports);
  await recorder.open();
  try {
    for (const msg of msgs) {
      recorder.record({ type: 'event_msg', payload: { turnId: null, submissionId: null, msg } });
    }
    await recorder.sync();
  } finally {
    await recorder.close();
  }
}
