/** A program for attacks on paths: swaps two names atomically and repeatedly (rename(2), RENAME_EXCHANGE). */

/** The program calls renameat2, which Node does not have: its number is 316 on x64 and 276 on arm64. */
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

/**
 * Returns a command for a shell or `spawn`. It runs until it is killed. `pauseMs`: milliseconds between two exchanges.
 */
export function exchangeForever(one: string, other: string, pauseMs = 0): readonly [program: string, ...string[]] {
  return ['perl', '-e', PROGRAM, one, other, String(pauseMs / 1000)];
}
