/** Files that programs write and users do not read: their changes are listed, and not marked for review. */

const LOCK_FILES: ReadonlySet<string> = new Set([
  'Cargo.lock',
  'Gemfile.lock',
  'Pipfile.lock',
  'bun.lock',
  'bun.lockb',
  'composer.lock',
  'flake.lock',
  'go.sum',
  'npm-shrinkwrap.json',
  'package-lock.json',
  'pnpm-lock.yaml',
  'poetry.lock',
  'uv.lock',
  'yarn.lock',
]);
const GENERATED_NAME = /\.generated\.|\.(?:min\.(?:js|css)|map|pb\.go|g\.dart|designer\.cs)$|_pb2(?:_grpc)?\.py$/i;
/** The marks of generators, as in https://go.dev/s/generatedcode. */
const GENERATED_TEXT = /@generated|Code generated .* DO NOT EDIT/;
/** Characters at the beginning of a file in which such a mark counts. */
const HEAD = 1_000;

/** `text`: `null` where it is not text. */
export function isGenerated(path: string, text: string | null): boolean {
  const name = path.split(/[\\/]/).at(-1) ?? '';
  if (LOCK_FILES.has(name) || GENERATED_NAME.test(name)) return true;
  return text !== null && GENERATED_TEXT.test(text.slice(0, HEAD));
}
