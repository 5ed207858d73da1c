import type { Box, SandboxPolicy } from '../../protocol/policy.ts';

/**
 * What surrounds a command under a policy. No box is built yet, so a policy that wants one gets `none`, and the decision
 * table then asks for everything that is not known to be safe (design decision 9: fail closed, never outside instead).
 */
export function resolveBox(policy: SandboxPolicy): Box {
  return policy.type === 'external-sandbox' ? 'external' : 'none';
}
