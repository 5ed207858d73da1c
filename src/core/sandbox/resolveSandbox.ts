import type { TurnSettings } from '../../protocol/event.ts';
import type { SandboxPolicy } from '../../protocol/policy.ts';

/** The availability of a sandbox on this machine, determined by a trial. */
export type SandboxSupport =
  | { readonly type: 'works'; readonly box: 'bubblewrap' | 'seatbelt' }
  /** `cause`: one plain sentence with the remedy. */
  | { readonly type: 'fails'; readonly cause: string };

/**
 * The sandbox mechanism for commands under a policy. When no sandbox works, a policy that requires one gets `none` with
 * the cause, and the decision table asks for every command not known to be safe (design decision 9: fail closed, never
 * run outside instead).
 */
export function resolveSandbox(
  policy: SandboxPolicy,
  support: () => SandboxSupport,
): Pick<TurnSettings, 'box' | 'noSandboxCause'> {
  switch (policy.type) {
    case 'danger-full-access':
      return { box: 'none', noSandboxCause: undefined };
    case 'external-sandbox':
      return { box: 'external', noSandboxCause: undefined };
    case 'read-only':
    case 'workspace-write': {
      const found = support();
      return found.type === 'works'
        ? { box: found.box, noSandboxCause: undefined }
        : { box: 'none', noSandboxCause: found.cause };
    }
  }
}
