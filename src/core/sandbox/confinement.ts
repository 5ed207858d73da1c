import type { Box, SandboxPolicy } from '../../protocol/policy.ts';
import type { Confinement } from '../ports.ts';
import { type Surroundings, writableRoots } from './writableRoots.ts';

/** The walls around a command that runs in `box` under a policy; none where the decision was to run it without. */
export function confine(box: Box, policy: SandboxPolicy, surroundings: Surroundings): Confinement {
  if (box === 'none' || box === 'external') return { type: 'none' };
  const writable = writableRoots(policy, surroundings);
  if (writable.type === 'everything') return { type: 'none' };
  return {
    type: 'box',
    walls: {
      writableRoots: writable.roots,
      network: 'networkAccess' in policy && policy.networkAccess,
      unreadable: [],
      temporaryFolder: null,
    },
  };
}
