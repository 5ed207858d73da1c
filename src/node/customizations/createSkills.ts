/** Skills and prompts that files of the user and of a workspace describe. */
import { readdir, realpath, stat } from 'node:fs/promises';
import path from 'node:path';
import type { Ports } from '../../core/ports.ts';
import { skillFolder } from '../../core/sandbox/temporary.ts';
import type { Skill, SkillFile } from '../../core/skills/skillFile.ts';
import { NO_SKILLS, selectSkills, type SelectedSkills } from '../../core/skills/selectSkills.ts';
import { Trust, type TrustDecision } from '../../core/trust/trust.ts';
import { isBelow } from '../../core/util/pathBelow.ts';
import { productFolder } from '../../core/util/productFolder.ts';
import { markdownIn, readShort } from '../host/markdownFiles.ts';

export interface SkillsHost {
  readonly ports: Pick<Ports, 'storage' | 'log' | 'host'>;
  /** The folders of the workspace; none while it is not trusted. */
  readonly roots: () => readonly string[];
  /** Names of the tools that extensions offer. */
  readonly otherTools?: () => readonly string[];
}

/** The skills and prompts of files of this process. */
export interface Skills {
  /** Reads the files now. Never rejects: unreadable ones are left out. */
  current(): Promise<SelectedSkills>;
  /** The skills in use, from `found` or else read now; the same array while nothing has changed. Never rejects. */
  used(found?: SelectedSkills): Promise<readonly Skill[]>;
  /** Approves or refuses one of a workspace; `null` takes the decision back. */
  decide(hash: string, decision: TrustDecision): Promise<void>;
}

/** Reads the skills anew at each call. Never rejects: after a failure there are none, and the log has the reason. */
export function createSkills({ ports, roots, otherTools }: SkillsHost): Skills {
  const { storage, log, host } = ports;
  const trust = new Trust('skills.json', storage, log);
  let made: { readonly key: string; readonly skills: readonly Skill[] } = { key: '[]', skills: [] };
  const current = async () => {
    try {
      return await selectSkills(await readSkillFiles(roots(), storage.home, host), trust, otherTools?.());
    } catch (error) {
      log.error('The skills cannot be read', error);
      return NO_SKILLS;
    }
  };
  return {
    current,
    async used(found) {
      const { skills } = found ?? (await current());
      const used = skills.flatMap(({ skill, state }) => (state === 'used' ? [skill] : []));
      const key = JSON.stringify(used);
      if (made.key !== key) made = { key, skills: used };
      return made.skills;
    },
    decide: (hash, decision) => trust.decide(hash, 'proposal', decision),
  };
}

/** Maximum skills of one folder, and maximum entries that are visited. */
const MAX_SKILLS = 100;
const MAX_ENTRIES = 1_000;
/** Maximum commands in all folders below one, and maximum of these folders. */
const MAX_COMMANDS = 200;
const MAX_FOLDERS = 100;
/** Folders of commands inside each other. */
const MAX_DEPTH = 4;

/** A file before it is read. */
type Found = Pick<SkillFile, 'kind' | 'source' | 'given' | 'group' | 'unread'>;
type Find = (folder: string) => Promise<readonly Found[]>;

/** Folders in a folder of a workspace, in the order of their precedence. */
const IN_WORKSPACE: readonly { readonly folder: readonly string[]; readonly find: Find }[] = [
  ...['.tiller', '.agents', '.claude', '.github'].map((name) => ({ folder: [name, 'skills'], find: skillsIn })),
  { folder: ['.github', 'prompts'], find: (folder) => promptsIn(folder, '.prompt.md') },
  { folder: ['.claude', 'commands'], find: commandsIn },
];

/** The files of skills and prompts in a folder of a workspace, relative to it, without looking into them. Never rejects. */
export async function skillFilesIn(root: string): Promise<readonly string[]> {
  const found = await Promise.all(IN_WORKSPACE.map(({ folder, find }) => find(path.join(root, ...folder))));
  return found.flat().map(({ source }) => path.relative(root, source));
}

async function readSkillFiles(
  roots: readonly string[],
  home: string,
  host: Ports['host'],
): Promise<readonly SkillFile[]> {
  const { homeDirectory } = host;
  const [claude, codex] = [productFolder('claude', host), productFolder('codex', host)];
  const ofUser = [
    skillsIn(skillFolder(home)),
    skillsIn(path.join(homeDirectory, '.agents', 'skills')),
    skillsIn(path.join(claude, 'skills')),
    promptsIn(path.join(home, 'prompts'), '.md'),
    commandsIn(path.join(claude, 'commands')),
    promptsIn(path.join(codex, 'prompts'), '.md'),
  ];
  const inWorkspace = roots
    .filter((root) => root !== homeDirectory)
    .flatMap((root) =>
      IN_WORKSPACE.map(async ({ folder, find }) => ({ root, found: await find(path.join(root, ...folder)) })),
    );
  const [own, theirs] = await Promise.all([Promise.all(ofUser), Promise.all(inWorkspace)]);
  const files = await Promise.all([
    ...own.flat().map((found) => readFound(found, undefined)),
    ...theirs.flatMap(({ root, found }) => found.map((file) => readFound(file, root))),
  ]);
  // A folder of skills may be a link to another one.
  const places = new Set<string>();
  return files.flatMap(({ file, place }) => {
    if (places.has(place)) return [];
    places.add(place);
    return [file];
  });
}

/** `root`: of the workspace. A link out of it would put a file of the user into the requests. */
async function readFound(
  found: Found,
  root: string | undefined,
): Promise<{ readonly file: SkillFile; readonly place: string }> {
  const { source } = found;
  const origin = root === undefined ? 'user' : 'workspace';
  if (found.unread !== undefined) return { file: { ...found, origin, text: undefined }, place: source };
  const place = await realpath(source).catch(() => source);
  const inside = root === undefined ? undefined : await realpath(root).catch(() => root);
  if (inside !== undefined && !isBelow(place, inside)) {
    const unread = 'it is a link that leads out of the workspace';
    return { file: { ...found, origin, text: undefined, unread }, place };
  }
  return { file: { ...found, origin, ...(await readShort(source)) }, place };
}

/** `NAME/SKILL.md` for each folder NAME. */
async function skillsIn(folder: string): Promise<readonly Found[]> {
  const names = await visibleNames(folder);
  const looked = await Promise.all(
    names.slice(0, MAX_ENTRIES).map(async (given): Promise<readonly Found[]> => {
      const source = path.join(folder, given, 'SKILL.md');
      const isThere = await stat(source).then(
        () => true,
        () => false,
      );
      return isThere ? [{ kind: 'skill', source, given, group: '' }] : [];
    }),
  );
  const found = looked.flat();
  const isCut = found.length > MAX_SKILLS || names.length > MAX_ENTRIES;
  const limit = `only its first ${MAX_SKILLS} skills among its first ${MAX_ENTRIES} entries are read`;
  return [...found.slice(0, MAX_SKILLS), ...(isCut ? [leftOut('skill', folder, limit)] : [])];
}

/** Adds the problem of a folder that is read only in part. */
function leftOut(kind: SkillFile['kind'], folder: string, unread: string): Found {
  return { kind, source: folder, given: path.basename(folder), group: '', unread };
}

async function promptsIn(folder: string, ending: string): Promise<readonly Found[]> {
  const { names, leftOut: unread } = await markdownIn(folder, { ending });
  const found = names.map((name) => promptOf(folder, name, ending, ''));
  return unread === undefined ? found : [...found, leftOut('prompt', folder, unread)];
}

function promptOf(folder: string, name: string, ending: string, group: string): Found {
  return { kind: 'prompt', source: path.join(folder, name), given: name.slice(0, -ending.length), group };
}

/** Includes commands in folders below, whose name is the group of a command. */
async function commandsIn(folder: string): Promise<readonly Found[]> {
  const found: Found[] = [];
  let folders = 0;
  let isCut = false;
  const look = async (below: readonly string[]): Promise<void> => {
    if (found.length >= MAX_COMMANDS || folders === MAX_FOLDERS || below.length > MAX_DEPTH) {
      isCut = true;
      return;
    }
    folders++;
    const here = path.join(folder, ...below);
    const { names: files, leftOut: unread } = await markdownIn(here, { limit: MAX_COMMANDS - found.length });
    for (const name of files) found.push(promptOf(here, name, '.md', below.join(':')));
    isCut ||= unread !== undefined;
    const entries = await readdir(here, { withFileTypes: true }).catch(() => []);
    // No links: one could lead to a folder around this one.
    const names = entries.filter((entry) => entry.isDirectory()).map(({ name }) => name);
    for (const name of names.filter((child) => !child.startsWith('.')).toSorted()) await look([...below, name]);
  };
  await look([]);
  const limit = `only ${MAX_COMMANDS} files, in ${MAX_FOLDERS} folders at most ${MAX_DEPTH} deep, are read`;
  return isCut ? [...found, leftOut('prompt', folder, limit)] : found;
}

async function visibleNames(folder: string): Promise<readonly string[]> {
  const names = await readdir(folder).catch(() => []);
  return names.filter((name) => !name.startsWith('.')).toSorted();
}
