import { randomFillSync, randomInt } from 'node:crypto';
import type { Ids } from '../../core/ports.ts';

const COUNTER_LIMIT = 0x1000;

/**
 * UUIDs of version 7 (RFC 9562 §5.7) that strictly increase within this process: the 12 bits after the time count the
 * ids of one millisecond, and a clock that is set back is not followed.
 */
export function createIds(now: () => number = Date.now): Ids {
  let lastTime = 0;
  let counter = 0;
  let issued = 0;
  const processPart = randomInt(36 ** 6)
    .toString(36)
    .padStart(6, '0');

  return {
    uuid() {
      const time = now();
      if (time > lastTime) {
        lastTime = time;
        counter = 0;
      } else if (++counter === COUNTER_LIMIT) {
        lastTime++;
        counter = 0;
      }
      return formatUuid7(lastTime, counter);
    },
    next: (prefix) => `${prefix}_${processPart}${(issued++).toString(36)}`,
    random: () => Math.random(),
  };
}

function formatUuid7(time: number, counter: number): string {
  const bytes = randomFillSync(Buffer.alloc(16));
  bytes.writeUIntBE(time, 0, 6);
  bytes.writeUInt16BE(0x7000 | counter, 6);
  bytes.writeUInt8(0x80 | (bytes.readUInt8(8) & 0x3f), 8);
  const hex = bytes.toString('hex');
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join('-');
}
