import type { TurnOverrides } from '../../protocol/op.ts';
import type { ChatMode, SandboxMode, SandboxPolicy } from '../../protocol/policy.ts';
import type { RememberedModel } from './modeMemory.ts';
import { MODES } from './modes.ts';

/** Returns the settings of a mode, with the model that was used in it last. */
export function modeOverrides(
  mode: ChatMode,
  policyOf: (mode: SandboxMode) => SandboxPolicy,
  lastModel: (mode: ChatMode) => RememberedModel | undefined,
): TurnOverrides | undefined {
  const bundle = MODES.find((candidate) => candidate.mode === mode);
  if (bundle === undefined) return undefined;
  return { policy: bundle.policy, box: policyOf(bundle.sandbox), planMode: mode === 'plan', ...lastModel(mode) };
}
