import type { TurnSettings } from '../../protocol/event.ts';
import type { SandboxPolicy } from '../../protocol/policy.ts';

/** Whether commands can be boxed on this machine, found out by trying. */
export type SandboxSupport =
  | { readonly type: 'works'; readonly box: 'bubblewrap' | 'seatbelt' }
  /** `cause`: one plain sentence with the remedy. */
  | { readonly type: 'fails'; readonly cause: string };

/**
 * What surrounds a command under a policy. Without a working box a policy that wants one gets `none` with the cause, and
 * the decision table asks for everything not known to be safe (design decision 9: fail closed, never outside instead).
 */
export function resolveSandbox(
  policy: SandboxPolicy,
  support: () => SandboxSupport,
): Pick<TurnSettings, 'box' | 'noBoxCause'> {
  switch (policy.type) {
    case 'danger-full-access':
      return { box: 'none', noBoxCause: undefined };
    case 'external-sandbox':
      return { box: 'external', noBoxCause: undefined };
    case 'read-only':
    case 'workspace-write': {
      const found = support();
      return found.type === 'works'
        ? { box: found.box, noBoxCause: undefined }
        : { box: 'none', noBoxCause: found.cause };
    }
  }
}
