/**
 * The architecture as rules about the texts of files: which folder may import which, and what code without side effects
 * may not use.
 */
import path from 'node:path';
import { importsOf, lineAt, scanSource } from './sourceText.ts';
import type { ImportReference, ScannedSource } from './sourceText.ts';

export interface SourceFile {
  /** From the repository's root, with forward slashes. */
  readonly path: string;
  readonly text: string;
}

export interface Violation {
  readonly path: string;
  readonly line: number;
  readonly message: string;
}

const LEAVES = ['exec', 'model', 'history', 'prompt', 'rollout', 'patch', 'policy', 'sandbox', 'trust'];
const CORE = [
  'ports',
  'util',
  'agent',
  'session',
  'tools',
  'rules',
  'changeReview',
  'comments',
  'replay',
  'baseline',
  'mcp',
  'hooks',
  'agentFiles',
  'skills',
  'sideCopies',
  ...LEAVES,
].map((name) => `core/${name}`);
const FOUNDATION = ['protocol', 'core/ports', 'core/util'];

/** Each layer and the layers that it may import besides itself. A layer that is not listed is an error. */
const ARROWS: Readonly<Record<string, readonly string[]>> = {
  protocol: [],
  'core/util': ['protocol'],
  'core/ports': ['protocol', 'core/util'],
  ...Object.fromEntries(LEAVES.map((leaf) => [`core/${leaf}`, FOUNDATION])),
  'core/mcp': [...FOUNDATION, ...inCore('trust')],
  'core/tools': [...FOUNDATION, ...inCore('exec', 'patch', 'policy', 'sandbox', 'mcp', 'trust')],
  'core/hooks': [...FOUNDATION, ...inCore('patch', 'tools', 'trust')],
  'core/agentFiles': [...FOUNDATION, ...inCore('tools', 'trust')],
  'core/skills': [...FOUNDATION, ...inCore('policy', 'tools', 'trust')],
  'core/rules': [...FOUNDATION, ...inCore('policy')],
  'core/changeReview': [...FOUNDATION, ...inCore('patch')],
  'core/comments': FOUNDATION,
  'core/baseline': [...FOUNDATION, ...inCore('patch')],
  'core/sideCopies': [...FOUNDATION, ...inCore('patch')],
  'core/session': [
    ...FOUNDATION,
    ...inCore('baseline', 'exec', 'hooks', 'model', 'tools', 'rules', 'history', 'prompt', 'rollout', 'skills'),
  ],
  'core/agent': [
    ...FOUNDATION,
    ...inCore('session', 'baseline', 'exec', 'model', 'tools', 'rules', 'prompt', 'rollout'),
  ],
  'core/replay': [...FOUNDATION, ...inCore('session', 'model', 'tools', 'history', 'patch', 'prompt', 'rollout')],
  node: ['protocol', ...CORE],
  vscode: ['protocol', ...CORE],
  'extension.ts': ['protocol', ...CORE, 'node', 'vscode'],
  'cli.ts': ['protocol', ...CORE, 'node'],
  'webview-ui': ['protocol'],
};

/**
 * The rooms of a layer: folders and files at its first level. Each is listed with the rooms of the same layer that it
 * may import.
 */
type Rooms = Readonly<Record<string, readonly string[]>>;

const SPINE = ['actions', 'bridge', 'store', 'view', 'l10n', 'facts', 'text'];

const ROOMS: Readonly<Record<string, Rooms>> = {
  'src/node': {
    host: [],
    network: [],
    demoModel: [],
    storage: ['host'],
    process: ['host'],
    sandbox: ['host', 'network'],
    apply: ['host'],
    baseline: ['host'],
    images: [],
    exec: ['host', 'process', 'sandbox'],
    mcp: [],
    customizations: ['host'],
    sideCopies: ['host', 'baseline', 'apply'],
    ports: ['host', 'network', 'storage', 'process', 'sandbox', 'apply', 'baseline', 'images', 'exec'],
    afterKill: ['host', 'process', 'sandbox'],
    starterProgram: ['host', 'process'],
  },
  'src/vscode': {
    settings: [],
    log: [],
    workspace: [],
    ui: [],
    apply: ['workspace'],
    models: ['ui', 'settings'],
    mcp: ['ui', 'settings'],
    languageModelTools: ['ui', 'settings'],
    customizations: ['ui'],
    proposals: ['workspace', 'ui'],
    changeReview: ['workspace', 'ui', 'apply'],
    undo: ['workspace', 'ui', 'apply'],
    plans: ['ui'],
    sideCopies: ['workspace', 'ui', 'apply'],
    ...Object.fromEntries(
      [
        'approvals',
        'chat',
        'languages',
        'edits',
        'entryPoints',
        'codeReview',
        'comments',
        'mentions',
        'processes',
        'recovery',
        'rules',
        'support',
        'threads',
      ].map((feature) => [feature, ['workspace', 'ui']]),
    ),
  },
  'webview-ui': {
    globals: [],
    l10n: [],
    facts: [],
    bridge: [],
    text: ['l10n'],
    store: ['facts', 'l10n', 'text'],
    view: ['store'],
    actions: ['bridge', 'l10n', 'store', 'text', 'view'],
    page: ['bridge', 'l10n'],
    components: SPINE,
    decisions: [...SPINE, 'components'],
    composer: [...SPINE, 'components'],
    transcript: [...SPINE, 'components'],
    threads: [...SPINE, 'components'],
    dock: [...SPINE, 'components', 'composer', 'decisions'],
    app: [...SPINE, 'components', 'dock', 'transcript', 'threads'],
    announce: ['decisions', 'l10n', 'store', 'view'],
    main: ['actions', 'announce', 'app', 'bridge', 'composer', 'store', 'threads', 'view'],
    rules: ['l10n', 'text', 'components', 'page'],
    audit: ['l10n', 'text', 'components', 'page'],
    mathPage: ['components'],
  },
};

/**
 * Modules of Node that have side effects, or use a clock or randomness. The other modules (path, url, util …) only
 * compute.
 */
const WORLDLY = new Set(
  (
    'fs child_process net http http2 https dns tls dgram os worker_threads cluster process timers perf_hooks readline ' +
    'repl vm v8 module inspector tty sqlite'
  ).split(' '),
);

const NODE_GLOBAL_PROCESS = 'env|cwd|platform|argv|hrtime|nextTick|versions?|arch|memoryUsage|exit|uptime|getuid';

/** Expressions that `protocol` and `core` may only use through a port. */
const IMPURE: readonly { readonly pattern: RegExp; readonly name: string }[] = [
  { pattern: /\bDate\s*\.\s*now\b/g, name: 'Date.now' },
  { pattern: /\bnew\s+Date\b(?:\s*\(\s*\)|(?!\s*\())/g, name: 'new Date()' },
  { pattern: /\bMath\s*\.\s*random\b/g, name: 'Math.random' },
  { pattern: /\bperformance\s*\.\s*now\b/g, name: 'performance.now' },
  { pattern: /\b(?:randomUUID|randomBytes|randomInt|getRandomValues)\b/g, name: 'random bytes' },
  { pattern: /(?<!\.\s*)\b(?:setTimeout|setInterval|setImmediate)\b/g, name: 'timers' },
  { pattern: /(?<!\btypeof\s+)\bglobalThis\b/g, name: 'globalThis' },
];

export function findViolations(files: readonly SourceFile[]): Violation[] {
  const violations: Violation[] = [];
  const graph = new Map<string, string[]>();
  for (const file of files) {
    const scanned = scanSource(file.text);
    const imports = importsOf(scanned);
    const report = (line: number, message: string): number => violations.push({ path: file.path, line, message });
    for (const reference of imports) {
      const problem = importProblem(file.path, reference);
      if (problem) report(reference.line, problem);
    }
    for (const { line, name } of impurities(file.path, scanned)) {
      report(
        line,
        `${layerOf(file.path)} must not use ${name}; ${name === 'texts' ? 'a feature shows them' : 'ask a port'}`,
      );
    }
    graph.set(file.path, imports.map(({ specifier }) => resolveImport(file.path, specifier)).filter(isPath));
  }
  for (const cycle of findCycles(graph)) {
    violations.push({ path: cycle[0] ?? '', line: 1, message: `import cycle: ${[...cycle, cycle[0]].join(' → ')}` });
  }
  return violations;
}

export interface RoomMeasure {
  readonly rooms: number;
  /** The length of the longest chain of imports among rooms. Only meaningful if there is no cycle. */
  readonly floors: number;
  /** The number of pairs of rooms of which one imports the other. */
  readonly arrows: number;
}

/** Measures how the rooms of a folder depend on each other. A room is a folder or a loose file of the first level. */
export function measureRooms(folder: string, files: readonly SourceFile[]): RoomMeasure {
  const arrows = new Map<string, Set<string>>();
  for (const file of files.filter((file) => file.path.startsWith(`${folder}/`) && /\.tsx?$/.test(file.path))) {
    const room = roomOf(folder, file.path);
    const others = arrows.get(room) ?? new Set<string>();
    arrows.set(room, others);
    for (const { specifier } of importsOf(scanSource(file.text))) {
      const target = resolveImport(file.path, specifier);
      if (target?.startsWith(`${folder}/`) !== true || target.endsWith('.css')) continue;
      const other = roomOf(folder, target);
      if (other !== room) others.add(other);
    }
  }
  const floorOf = (room: string, above: readonly string[] = []): number => {
    const below = [...(arrows.get(room) ?? [])].filter((other) => !above.includes(other));
    return 1 + Math.max(0, ...below.map((other) => floorOf(other, [...above, room])));
  };
  const rooms = [...arrows.keys()];
  return {
    rooms: rooms.length,
    floors: Math.max(...rooms.map((room) => floorOf(room))),
    arrows: [...arrows.values()].reduce((sum, others) => sum + others.size, 0),
  };
}

/** Returns the layer of a file; null for tests, scripts and other files. */
export function layerOf(file: string): string | null {
  if (file.startsWith('webview-ui/')) return 'webview-ui';
  if (!file.startsWith('src/')) return null;
  const [first = '', second = ''] = file.slice('src/'.length).split('/');
  if (first === 'cli' || first === 'extension') return `${first}.ts`;
  return first === 'core' ? `core/${path.posix.basename(second, '.ts')}` : first;
}

/** Returns the folders of `src/` that its README does not name in the form `folder/`. */
export function foldersMissingFromMap(readme: string, files: readonly SourceFile[]): string[] {
  const folders = files.map((file) => path.posix.dirname(file.path)).filter((folder) => folder.startsWith('src/'));
  return [...new Set(folders)].filter((folder) => !readme.includes(`${path.posix.basename(folder)}/`)).sort();
}

function importProblem(file: string, { specifier }: ImportReference): string | null {
  const layer = layerOf(file);
  if (layer !== null && !ARROWS[layer]) return `${layer} has no place in the house`;
  if (specifier === null) return layer === null ? null : 'an import must name its module literally';
  if (/(?:^|\/)shared\//.test(specifier) && escapesRepository(file, specifier))
    return `${specifier} is not in this repository`;
  if (layer === null) return null;
  if (specifier.startsWith('.')) return arrowProblem(file, layer, resolveImport(file, specifier) ?? '');
  return packageProblem(layer, specifier);
}

function arrowProblem(file: string, layer: string, target: string): string | null {
  const targetLayer = layerOf(target);
  if (targetLayer === layer) return roomProblem(file, target);
  if (targetLayer === null) return `${layer} must not import ${target}, which is not part of the product`;
  return ARROWS[layer]?.includes(targetLayer) ? null : `${layer} must not import ${targetLayer}`;
}

function roomProblem(file: string, target: string): string | null {
  const [folder, rooms] = Object.entries(ROOMS).find(([name]) => file.startsWith(`${name}/`)) ?? [];
  if (folder === undefined || rooms === undefined || target.endsWith('.css')) return null;
  const room = roomOf(folder, file);
  const other = roomOf(folder, target);
  const allowed = rooms[room];
  if (allowed === undefined) return `${folder} has no room ${room}`;
  return room === other || allowed.includes(other) ? null : `${folder}/${room} must not import ${folder}/${other}`;
}

function roomOf(folder: string, file: string): string {
  const [first = ''] = file.slice(folder.length + 1).split('/');
  return first.replace(/\.(?:d\.ts|tsx?|css)$/, '');
}

function packageProblem(layer: string, specifier: string): string | null {
  if (specifier === 'vscode') {
    return layer === 'vscode' || layer === 'extension.ts' ? null : `${layer} must not import vscode`;
  }
  const name = specifier.replace(/^node:/, '').split('/')[0] ?? '';
  const isNode = specifier.startsWith('node:') || WORLDLY.has(name);
  const speaksOrShows = layer === 'protocol' || layer === 'webview-ui';
  const worldly = isNode && (speaksOrShows || (layer.startsWith('core/') && WORLDLY.has(name)));
  return worldly ? `${layer} must not import ${specifier}` : null;
}

function impurities(file: string, { code }: ScannedSource): { line: number; name: string }[] {
  const layer = layerOf(file);
  if (file.startsWith('src/extension/')) {
    return [...code.matchAll(/\bl10n\b/g)].map((match) => ({ line: lineAt(code, match.index), name: 'texts' }));
  }
  if (layer !== 'protocol' && !layer?.startsWith('core/')) return [];
  const found = [...IMPURE, { pattern: nodeProcess(code), name: 'process' }].flatMap(({ pattern, name }) =>
    [...code.matchAll(pattern)].map((match) => ({ line: lineAt(code, match.index), name })),
  );
  return found.sort((a, b) => a.line - b.line);
}

/**
 * Returns the pattern for uses of Node's `process`. If a file has its own variable of this name, only members that
 * Node's `process` has are matched.
 */
function nodeProcess(code: string): RegExp {
  const ownVariable = /\b(?:const|let|of)\s+process\b|[(,{]\s*process\s*[,:)}=]|\bprocess\s*=>/.test(code);
  const members = ownVariable ? `(?:${NODE_GLOBAL_PROCESS})\\b` : '';
  return new RegExp(`(?<![.\\w$]\\s*)process\\s*(?:\\?\\.|\\.(?!\\.))\\s*${members}`, 'g');
}

function resolveImport(file: string, specifier: string | null): string | null {
  if (!specifier?.startsWith('.')) return null;
  return path.posix.join(path.posix.dirname(file), specifier);
}

function escapesRepository(file: string, specifier: string): boolean {
  return specifier.startsWith('/') || (resolveImport(file, specifier)?.startsWith('..') ?? false);
}

/** Returns one cycle for each set of files that can all reach each other, the shortest first. */
function findCycles(graph: ReadonlyMap<string, readonly string[]>): string[][] {
  const cycles: string[][] = [];
  const seen = new Set<string>();
  for (const start of graph.keys()) {
    if (seen.has(start)) continue;
    const cycle = shortestWayBack(graph, start);
    if (!cycle) continue;
    for (const file of cycle) seen.add(file);
    cycles.push(cycle);
  }
  return cycles;
}

function shortestWayBack(graph: ReadonlyMap<string, readonly string[]>, start: string): string[] | null {
  const cameFrom = new Map<string, string | null>([[start, null]]);
  const queue = [start];
  for (const file of queue) {
    for (const next of graph.get(file) ?? []) {
      if (next === start) return wayFrom(cameFrom, file);
      if (cameFrom.has(next) || !graph.has(next)) continue;
      cameFrom.set(next, file);
      queue.push(next);
    }
  }
  return null;
}

function wayFrom(cameFrom: ReadonlyMap<string, string | null>, end: string): string[] {
  const way: string[] = [];
  for (let file: string | null = end; file !== null; file = cameFrom.get(file) ?? null) way.unshift(file);
  return way;
}

function inCore(...names: string[]): string[] {
  return names.map((name) => `core/${name}`);
}

function isPath(value: string | null): value is string {
  return value !== null;
}
