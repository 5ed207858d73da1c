/** Short names of Windows (8.3): `ENV~1` opens `.env` on a disk where Windows makes them. */

/** Characters of a long name in its short one, before `~`; fewer where Windows adds a checksum. */
const [KEPT, KEPT_BEFORE_CHECKSUM] = [6, 2];
const [MAX_BASE, MAX_ENDING] = [8, 3];
const NUMBER = '~[0-9]{,[0-9]}';

/**
 * Returns a glob of the short names that a file may have whose long name this glob matches: `{env~[0-9],…}` for `.env`.
 * `undefined` where the long name is a short one already, and for a glob with braces or brackets. `glob`: of one name.
 */
export function shortNameGlob(glob: string): string | undefined {
  if (/[[\]{},]/.test(glob) || glob.includes('**')) return undefined;
  const bare = glob.replace(/^\.+/, '');
  const dot = bare.lastIndexOf('.');
  const [base, ending] = dot < 0 ? [bare, ''] : [bare.slice(0, dot), bare.slice(dot + 1)];
  const kept = base.replaceAll(/[. ]/g, '');
  const isShort = bare === glob && kept === base && base.length <= MAX_BASE && ending.length <= MAX_ENDING;
  if (kept === '' || (isShort && !/[*?]/.test(base))) return undefined;
  if (isShort && base === '*') return undefined;
  const end = ending === '' ? '' : `.${ending.includes('*') ? '*' : ending.slice(0, MAX_ENDING)}`;
  const digit = '[0-9a-f]';
  const names = [
    `${start(kept, KEPT)}${NUMBER}${end}`,
    `${start(kept, KEPT_BEFORE_CHECKSUM)}${digit.repeat(4)}${NUMBER}${end}`,
  ];
  return `{${names.join(',')}}`;
}

/** The first characters of a name, or what stands before its first `*`, with that. */
function start(name: string, length: number): string {
  const fixed = /^[^*]*/.exec(name)?.[0] ?? '';
  return fixed.length < Math.min(length, name.length) ? `${fixed}*` : name.slice(0, length);
}

/** The glob of a path with the short names of each of its parts. */
export function withShortNames(glob: string): string {
  return glob
    .split('/')
    .map((part) => {
      const short = shortNameGlob(part);
      return short === undefined ? part : `{${part},${short}}`;
    })
    .join('/');
}
