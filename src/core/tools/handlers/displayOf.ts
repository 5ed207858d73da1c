/**
 * Shows `bash -lc SCRIPT` as its script if the program is a system shell; otherwise quotes arguments as a shell needs
 * it.
 */
export function displayOf(argv: readonly string[]): string {
  const [program, flag, script] = argv;
  if (
    argv.length === 3 &&
    script !== undefined &&
    /^(\/(usr\/)?bin\/)?(ba|z)?sh$/.test(program ?? '') &&
    /^-l?c$/.test(flag ?? '')
  ) {
    return script;
  }
  return argv.map((word) => (/^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`)).join(' ');
}
