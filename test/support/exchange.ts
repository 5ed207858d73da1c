/** The attack: a program that swaps two names atomically and repeatedly (rename(2), RENAME_EXCHANGE). */

/** 316 on x64, 276 on arm64: renameat2, which Node does not have. */
const PROGRAM = `
my ($one, $other, $pause) = @ARGV;
my $renameat2 = \`uname -m\` =~ /aarch64/ ? 276 : 316;
$| = 1;
print "swapping\\n";
while (1) {
  syscall($renameat2, -100, $one, -100, $other, 2) == 0 or die "renameat2: $!\\n";
  select(undef, undef, undef, $pause) if $pause;
}
`;

/** Returns a program for a shell or \`spawn\`; it ends only when it is killed. \`pauseMs\`: between two exchanges; none where it is 0. */
export function exchangeForever(one: string, other: string, pauseMs = 0): readonly [program: string, ...string[]] {
  return ['perl', '-e', PROGRAM, one, other, String(pauseMs / 1000)];
}
