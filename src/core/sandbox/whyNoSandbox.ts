/** Why commands cannot be boxed here, in one sentence that says what to do. For the person, and for the model's refusals. */

/** What was seen when a box was tried on Linux. */
export interface SandboxTrial {
  /** Where bubblewrap was found; `null` where it was not. */
  readonly bwrap: string | null;
  /** Whether the numbers of system calls are known for this machine. */
  readonly hasFilter: boolean;
  readonly architecture: string;
  /** What bubblewrap said when it failed. */
  readonly stderr: string;
  /** /proc/sys/kernel/apparmor_restrict_unprivileged_userns is 1 (Ubuntu 23.10 and newer). */
  readonly appArmorRestricts: boolean;
  /** /proc/sys/kernel/unprivileged_userns_clone is 0 or /proc/sys/user/max_user_namespaces is 0. */
  readonly namespacesDisabled: boolean;
  /** The process itself runs in a container. */
  readonly inContainer: boolean;
}

export function whyNoSandbox(trial: SandboxTrial): string {
  if (trial.bwrap === null) {
    return 'bubblewrap is not installed: install the package "bubblewrap" (sudo apt install bubblewrap, sudo dnf install bubblewrap).';
  }
  if (!trial.hasFilter) {
    return `There is no system call filter for ${trial.architecture} processors, only for x64 and arm64.`;
  }
  const said = lastLine(trial.stderr);
  if (trial.inContainer) {
    return `This container forbids the user namespaces that bubblewrap needs${said}: start it with --security-opt seccomp=unconfined --security-opt apparmor=unconfined (and for Docker --security-opt systempaths=unconfined), or choose the external-sandbox mode if the container is all the protection you want.`;
  }
  if (trial.appArmorRestricts) {
    return `AppArmor keeps programs without a profile from making user namespaces, as Ubuntu does since 24.04${said}: give /usr/bin/bwrap a profile (sudo apt install apparmor-profiles, then sudo ln -s /usr/share/apparmor/extra-profiles/bwrap-userns-restrict /etc/apparmor.d/ and sudo systemctl reload apparmor), or run sudo sysctl kernel.apparmor_restrict_unprivileged_userns=0.`;
  }
  if (trial.namespacesDisabled) {
    return `User namespaces are switched off on this machine${said}: run sudo sysctl kernel.unprivileged_userns_clone=1 user.max_user_namespaces=15000.`;
  }
  return `bubblewrap does not work on this machine${said}.`;
}

function lastLine(stderr: string): string {
  const line = stderr.trim().split('\n').at(-1)?.trim() ?? '';
  return line === '' ? '' : ` (${line})`;
}

export const NO_BOX_ON_WINDOWS =
  'Windows has no sandbox that Tiller could use: open the folder in WSL2 or in a Dev Container.';

export function whyNoSeatbelt(stderr: string): string {
  return `/usr/bin/sandbox-exec does not work on this Mac${lastLine(stderr)}.`;
}
