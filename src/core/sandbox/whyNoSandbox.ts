/**
 * The reason why no sandbox works on this machine, in one sentence with the remedy. For the user, and for refusals to
 * the model.
 */

/** The result of a sandbox trial on Linux. */
export interface SandboxTrial {
  /** The path of bubblewrap; `null` where it was not found. */
  readonly bwrap: string | null;
  /** True when the system call numbers of this architecture are known. */
  readonly hasFilter: boolean;
  readonly architecture: string;
  /** The error output of bubblewrap. */
  readonly stderr: string;
  /** /proc/sys/kernel/apparmor_restrict_unprivileged_userns is 1 (Ubuntu 23.10 and newer). */
  readonly appArmorRestricts: boolean;
  /** /proc/sys/kernel/unprivileged_userns_clone is 0 or /proc/sys/user/max_user_namespaces is 0. */
  readonly namespacesDisabled: boolean;
  /** True when Tiller runs in a container. */
  readonly inContainer: boolean;
}

/** Explains to the user why the trial of bubblewrap failed, and what can be done where something can. One sentence. */
export function whyNoSandbox(trial: SandboxTrial): string {
  if (trial.bwrap === null) {
    return 'bubblewrap is not installed: install the package "bubblewrap" (sudo apt install bubblewrap, sudo dnf install bubblewrap).';
  }
  if (!trial.hasFilter) {
    return `There is no system call filter for ${trial.architecture} processors, only for x64 and arm64.`;
  }
  const detail = lastLine(trial.stderr);
  if (trial.inContainer) {
    return `This container forbids the user namespaces that bubblewrap needs${detail}: start it with --security-opt seccomp=unconfined --security-opt apparmor=unconfined (and for Docker --security-opt systempaths=unconfined), or choose the external-sandbox mode if the container is all the protection you want.`;
  }
  if (trial.appArmorRestricts) {
    return `AppArmor keeps programs without a profile from making user namespaces, as Ubuntu does since 24.04${detail}: give /usr/bin/bwrap a profile (sudo apt install apparmor-profiles, then sudo ln -s /usr/share/apparmor/extra-profiles/bwrap-userns-restrict /etc/apparmor.d/ and sudo systemctl reload apparmor), or run sudo sysctl kernel.apparmor_restrict_unprivileged_userns=0.`;
  }
  if (trial.namespacesDisabled) {
    return `User namespaces are switched off on this machine${detail}: run sudo sysctl kernel.unprivileged_userns_clone=1 user.max_user_namespaces=15000.`;
  }
  return `bubblewrap does not work on this machine${detail}.`;
}

function lastLine(stderr: string): string {
  const line = stderr.trim().split('\n').at(-1)?.trim() ?? '';
  return line === '' ? '' : ` (${line})`;
}

export const NO_BOX_ON_WINDOWS = 'Tiller has no sandbox for Windows: open the folder in WSL2 or in a Dev Container.';

/** The same for macOS. `stderr`: of the trial. */
export function whyNoSeatbelt(stderr: string): string {
  return `/usr/bin/sandbox-exec does not work on this Mac${lastLine(stderr)}.`;
}
