/**
 * Escapes from the sandbox. Each script tries one and exits 0 when it believes that it succeeded. In the environment: WS the workspace,
 * OUT a folder beside it, SECRET an unreadable file, SOCK and ABSTRACT unix sockets, PORT a TCP port, HOST_PID a process of
 * the machine.
 */
export interface Escape {
  readonly name: string;
  readonly script: string;
  /** Tried only where the workspace may be written. */
  readonly writing?: true;
}

/** Numbers of system calls are those of x64; elsewhere the call fails, which is the expected result. */
const call = (...words: (string | number)[]) =>
  `perl -e 'my ($number, @words) = (${words.join(', ')}); exit(syscall($number, @words) == -1)'`;

export const ESCAPES: readonly Escape[] = [
  // ---- files
  { name: 'write beside the workspace', script: 'echo x > "$OUT/new"' },
  { name: 'append to a file beside it', script: 'echo x >> "$OUT/file"' },
  { name: 'write by ..', script: 'echo x > "$WS/../outside/new"' },
  { name: 'write into /etc', script: 'echo x > /etc/tiller-escape' },
  { name: 'write into /usr', script: 'echo x > /usr/tiller-escape' },
  { name: 'write into the home folder', script: 'echo x >> "$HOME/.bashrc" && test -w "$HOME/.bashrc"' },
  { name: 'write into the root folder', script: 'echo x > /tiller-escape' },
  { name: 'delete beside the workspace', script: 'rm -f "$OUT/file"' },
  { name: 'rename beside the workspace', script: 'mv "$OUT/file" "$OUT/other"' },
  { name: 'chmod beside the workspace', script: 'chmod 777 "$OUT/file"' },
  { name: 'set times beside the workspace', script: 'touch -d @1 "$OUT/file"' },
  { name: 'truncate beside the workspace', script: 'truncate -s 0 "$OUT/file"' },
  { name: 'write through a new link', script: 'ln -s "$OUT" way && echo x > way/new', writing: true },
  { name: 'write through a link that was there', script: 'echo x > "$WS/linked/new"' },
  { name: 'hard link to a file beside it', script: 'ln "$OUT/file" here && echo x >> here', writing: true },
  { name: 'hard link into the folder beside it', script: 'echo x > mine && ln mine "$OUT/new"', writing: true },
  { name: 'rename into the folder beside it', script: 'echo x > mine && mv mine "$OUT/new"', writing: true },
  { name: 'swap the workspace', script: 'mv "$WS" "$WS-old" && mkdir "$WS"' },
  { name: 'write by /proc/self/root', script: 'echo x > "/proc/self/root$OUT/new"' },
  { name: 'write by /proc/1/root', script: 'echo x > "/proc/1/root$OUT/new"' },
  { name: 'write by /proc/1/cwd', script: 'echo x > /proc/1/cwd/../outside/new' },
  { name: 'make a device', script: 'mknod "$WS/disk" b 8 0', writing: true },
  { name: 'write to a disk', script: 'for d in /dev/vda /dev/sda /dev/nvme0n1; do test -w $d && exit 0; done; exit 1' },
  { name: 'read kernel memory', script: 'head -c1 /dev/mem || head -c1 /dev/kmem || head -c1 /dev/port' },
  { name: 'see the temporary files of others', script: 'ls /tmp/tiller-escape-witness' },
  { name: 'see what runs', script: 'ls -A /run | grep -q .' },
  // ---- files that git, editors and agents run
  { name: 'write a hook', script: 'echo x > .git/hooks/pre-commit', writing: true },
  { name: 'write the configuration', script: 'echo "[core] fsmonitor=x" >> .git/config', writing: true },
  { name: 'write by git config', script: 'git config core.fsmonitor x', writing: true },
  { name: 'write info/attributes', script: 'mkdir -p .git/info && echo x > .git/info/attributes', writing: true },
  { name: 'rename .git', script: 'mv .git git && mkdir .git', writing: true },
  { name: 'delete .git', script: 'rm -rf .git/config', writing: true },
  { name: 'exchange .git', script: `mkdir fake; ${call(316, -100, '".git"', -100, '"fake"', 2)}`, writing: true },
  { name: 'rename around .git', script: 'mv sub/other sub/gone; echo x >> sub/gone/.git/config', writing: true },
  { name: 'write a nested hook', script: 'echo x > sub/repo/.git/hooks/post-checkout', writing: true },
  { name: 'write the configuration of a bare repository', script: 'echo x >> bare.git/config', writing: true },
  { name: 'turn the pointer of a worktree', script: 'echo "gitdir: /tmp/x" > tree/.git', writing: true },
  { name: 'write where a worktree points', script: 'echo x >> store/config', writing: true },
  { name: 'write existing settings', script: 'echo {} > sub/.vscode/settings.json', writing: true },
  { name: 'make settings', script: 'mkdir -p .vscode && echo {} > .vscode/tasks.json', writing: true },
  { name: 'put a file in place of the settings', script: 'rmdir .vscode; echo x > .vscode', writing: true },
  { name: 'put a link in place of the settings', script: 'rmdir .vscode; ln -s sub .vscode', writing: true },
  { name: 'rename a folder onto the settings', script: 'mkdir mine; mv -T mine .vscode', writing: true },
  { name: 'write existing rules for agents', script: 'echo x > .agents/rules', writing: true },
  // ---- processes
  { name: 'see a process of the machine', script: 'kill -0 "$HOST_PID"' },
  { name: 'read the environment of a process', script: 'grep -q . "/proc/$HOST_PID/environ"' },
  { name: 'trace a process of the machine', script: call(101, 16, '$ENV{HOST_PID}', 0, 0) },
  { name: 'become somebody else', script: 'sudo -n true || su -c true nobody </dev/null' },
  { name: 'gain a capability', script: 'grep CapEff /proc/self/status | grep -qv 0000000000000000' },
  { name: 'gain rights by a program', script: 'grep -q "NoNewPrivs:.0" /proc/self/status' },
  { name: 'leave a program with our rights', script: 'cp /bin/true mine; chmod u+s mine', writing: true },
  { name: 'make a program with our rights', script: 'install -m 4755 /bin/true mine', writing: true },
  { name: 'open a program with our rights', script: call(2, '"made"', '0x41', '04755'), writing: true },
  // ---- the kernel
  { name: 'a user namespace', script: 'unshare -r true' },
  { name: 'a mount namespace', script: call(272, 0x20000) },
  { name: 'a namespace by clone', script: call(56, 0x10000000 + 17, 0, 0, 0, 0) },
  { name: 'join a namespace', script: 'nsenter -t 1 -m true' },
  { name: 'mount', script: 'mount -t tmpfs none "$WS"' },
  { name: 'remount', script: 'mount -o remount,rw /' },
  { name: 'unmount', script: 'umount "$WS/.git" || umount -l "$WS/.vscode" || umount /tmp' },
  { name: 'change the root', script: 'chroot / true' },
  { name: 'pivot the root', script: call(155, '"."', '"."') },
  { name: 'open by handle', script: call(304, -100, '"x" x 128', 0) },
  { name: 'the new mount calls', script: `${call(428, -100, '"/"', 1)} || ${call(430, '"tmpfs"', 0)}` },
  { name: 'io_uring', script: call(425, 1, '"\\0" x 120') },
  { name: 'userfaultfd', script: `${call(323, 0)} || ${call(323, 1)}` },
  { name: 'bpf', script: call(321, 0, '"\\0" x 120', 72) },
  { name: 'perf', script: call(298, '"\\0" x 120', 0, -1, -1, 0) },
  { name: 'keys', script: `${call(250, 0, -3, 1)} || ${call(248, '"user"', '"a"', '"b"', 1, -3)}` },
  { name: 'load a module', script: call(313, 0, '""', 0) },
  { name: 'another ABI', script: call('0x40000000 + 39') },
  { name: 'core_pattern', script: 'f=/proc/sys/kernel/core_pattern; v=$(cat $f) && echo "$v" > $f' },
  { name: 'a sysctl', script: 'f=/proc/sys/vm/swappiness; v=$(cat $f) && echo "$v" > $f' },
  { name: 'sysrq', script: 'test -w /proc/sysrq-trigger && echo h > /proc/sysrq-trigger' },
  {
    name: 'a control group',
    script: 'mkdir /sys/fs/cgroup/tiller-escape || mkdir /sys/fs/cgroup/unified/tiller-escape',
  },
  { name: 'hot plug', script: 'test -w /sys/kernel/uevent_helper' },
  // ---- other programs of the machine, and the network
  {
    name: 'a unix socket by name',
    script: `perl -MIO::Socket::UNIX -e 'exit(!IO::Socket::UNIX->new(Peer => $ENV{SOCK}))'`,
  },
  {
    name: 'an abstract unix socket',
    script: `perl -MIO::Socket::UNIX -e 'exit(!IO::Socket::UNIX->new(Peer => "\\0$ENV{ABSTRACT}"))'`,
  },
  {
    name: 'a socket of one end of a pair, which can be sent to any address',
    script: `perl -MSocket -e 'exit !(socketpair(A, B, AF_UNIX, SOCK_DGRAM, 0) || socketpair(A, B, AF_UNIX, SOCK_RAW, 0))'`,
  },
  { name: 'the socket of Docker', script: 'test -S /var/run/docker.sock || test -S /run/docker.sock' },
  { name: 'a server of the machine', script: 'echo > "/dev/tcp/127.0.0.1/$PORT"' },
  { name: 'a server elsewhere', script: 'timeout 2 bash -c "echo > /dev/tcp/1.1.1.1/53"' },
  { name: 'a name elsewhere', script: 'timeout 2 getent hosts example.org' },
  { name: 'UDP', script: 'echo x > /dev/udp/1.1.1.1/53' },
  { name: 'raw packets', script: `${call(41, 17, 3, 0)} || ${call(41, 2, 3, 1)}` },
  { name: 'vsock', script: call(41, 40, 1, 0) },
  { name: 'Bluetooth', script: call(41, 31, 3, 0) },
  // ---- secrets
  { name: 'an unreadable file', script: 'grep -q words "$SECRET"' },
  { name: 'an unreadable file by a link', script: 'ln -s "$SECRET" "$WS/s" 2>/dev/null; grep -q words "$WS/s"' },
  { name: 'the passwords of the machine', script: 'test -s /etc/shadow && cat /etc/shadow' },
  { name: 'the keys of the machine', script: 'cat /etc/ssh/ssh_host_*_key | grep -q .' },
  { name: 'memory as a file', script: 'head -c1 /proc/kcore | grep -q .' },
  { name: 'the home of Tiller', script: 'grep -q words "$HOME/tiller/settings.json"' },
  { name: 'write into the home of Tiller', script: 'echo x > "$HOME/tiller/rules.json"' },
  { name: 'a key in the environment', script: 'env | grep -q "hush"' },
  {
    name: 'the key in the environment of the first process',
    script: 'tr "\\0" "\\n" < /proc/1/environ | grep -q hush',
  },
  { name: 'a loader variable', script: 'env | grep -qE "^(LD_PRELOAD|BASH_ENV|NODE_OPTIONS)="' },
];
