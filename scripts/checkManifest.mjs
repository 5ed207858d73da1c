// Checks that package.json has no texts that cannot be translated and uses no proposed API; that the docs describe
// every setting with its default, every command and every key; and that every command that package.json or the panel
// names is registered.
import { existsSync, readFileSync, readdirSync } from 'node:fs';
import path from 'node:path';
import { root } from './bootstrap.mjs';

const TEXT_KEYS = new Set(
  (
    'title shortTitle label category description markdownDescription enumDescriptions markdownEnumDescriptions ' +
    'enumItemLabels contents placeholder deprecationMessage markdownDeprecationMessage patternErrorMessage detail'
  ).split(' '),
);
/** Names that are not translated. */
const PROPER_NAMES = new Set(['Tiller']);

const manifest = readJson('package.json');
const texts = existsSync(path.join(root, 'package.nls.json')) ? readJson('package.nls.json') : {};
const problems = [];
/** All settings of all sections, by name. */
const settings = Object.assign({}, ...manifest.contributes.configuration.map(({ properties }) => properties));
const used = new Set();

checkTexts(manifest.contributes, 'contributes', false);
checkTexts(manifest.capabilities, 'capabilities', false);
noteUse(manifest.description);
noteUse(manifest.displayName);
for (const key of Object.keys(texts)) if (!used.has(key)) problems.push(`package.nls.json: "${key}" is not used`);
if (manifest.enabledApiProposals) problems.push('package.json: enabledApiProposals names proposed API');
for (const file of sources()) {
  if (/vscode\.proposed|enabledApiProposals/.test(`${file.name}\n${file.text}`)) {
    problems.push(`${file.name}: proposed API`);
  }
}
checkWalkthroughs();
checkScopes();
checkSettingsPage();
checkCommandsPage();
checkCommandCode();
checkContextKeys();

for (const problem of problems) console.log(problem);
if (problems.length === 0) console.log('Texts and API are fine.');
process.exitCode = problems.length === 0 ? 0 : 1;

/**
 * Checks the texts of the walkthrough: VS Code shows backticks and single asterisks in it unchanged, and formats only
 * `**bold**` and links.
 */
function checkWalkthroughs() {
  for (const { steps } of manifest.contributes.walkthroughs) {
    for (const { description } of steps) {
      const key = description.slice(1, -1);
      if (/`|(?<!\*)\*(?!\*)/.test(texts[key]))
        problems.push(`package.nls.json: "${key}" has Markdown that VS Code shows as text`);
    }
  }
}

function checkTexts(value, where, isText) {
  if (typeof value === 'string') {
    noteUse(value);
    if (isText && !/^%[^%]+%$/.test(value) && !PROPER_NAMES.has(value)) {
      problems.push(`package.json: ${where} is "${value}"; put the text into package.nls.json`);
    }
  } else if (Array.isArray(value)) {
    for (const [index, entry] of value.entries()) checkTexts(entry, `${where}[${index}]`, isText);
  } else if (value !== null && typeof value === 'object') {
    // `properties` are settings: their keys are ids, not texts.
    const keysAreIds = where.endsWith('.properties');
    for (const [key, entry] of Object.entries(value)) {
      const isName = key === 'name' && where.startsWith('contributes.views.');
      checkTexts(entry, `${where}.${key}`, !keysAreIds && (TEXT_KEYS.has(key) || isName));
    }
  }
}

function noteUse(value) {
  const key = /^%([^%]+)%$/.exec(value)?.[1];
  if (!key) return;
  used.add(key);
  if (typeof texts[key] !== 'string') problems.push(`package.nls.json: "${key}" is missing`);
}

/**
 * Checks that no workspace can change a setting: each has the scope of the machine, and is restricted until the
 * workspace is trusted.
 */
function checkScopes() {
  const restricted = new Set(manifest.capabilities.untrustedWorkspaces.restrictedConfigurations);
  for (const [name, { scope }] of Object.entries(settings)) {
    if (scope !== 'machine') problems.push(`package.json: the scope of "${name}" must be "machine"`);
    if (!restricted.delete(name)) problems.push(`package.json: "${name}" is missing in restrictedConfigurations`);
  }
  for (const name of restricted)
    problems.push(`package.json: restrictedConfigurations names "${name}", which is no setting`);
}

/** Checks that docs/settings.md has one row for each setting and no other rows. */
function checkSettingsPage() {
  const page = readFileSync(path.join(root, 'docs/settings.md'), 'utf8');
  const rows = new Map([...page.matchAll(/^\| `([^`]+)` \| `([^`]+)` \|/gm)].map(([, key, value]) => [key, value]));
  for (const [name, { default: value }] of Object.entries(settings)) {
    const key = name.replace(/^tiller\./, '');
    const row = rows.get(key);
    rows.delete(key);
    const wanted = JSON.stringify(value);
    if (row === undefined) problems.push(`docs/settings.md: "${key}" is missing`);
    else if (row.replaceAll(/, (?=")/g, ',') !== wanted)
      problems.push(`docs/settings.md: the default of "${key}" is ${wanted}`);
  }
  for (const key of rows.keys()) problems.push(`docs/settings.md: there is no setting "${key}"`);
}

/** Checks that docs/panel.md names each command of the palette and each key. */
function checkCommandsPage() {
  const page = readFileSync(path.join(root, 'docs/panel.md'), 'utf8');
  const cells = new Set([...page.matchAll(/^\| ([^|]+) \|/gm)].flatMap(([, cell]) => cell.split(', ')));
  const { commands, keybindings, menus } = manifest.contributes;
  const hidden = menus.commandPalette.filter(({ when }) => when === 'false').map(({ command }) => command);
  const titles = commands
    .filter(({ command }) => !hidden.includes(command))
    .map(({ title }) => texts[title.slice(1, -1)]);
  const keys = keybindings.map(({ key }) => key.replaceAll(/\b[a-z]/g, (letter) => letter.toUpperCase()));
  for (const name of [...titles, ...keys]) if (!cells.has(name)) problems.push(`docs/panel.md: "${name}" is missing`);
}

/**
 * Checks that each command of package.json, and each that the panel runs, is registered in src/extension/commands.ts.
 */
function checkCommandCode() {
  const table = readFileSync(path.join(root, 'src/extension/commands.ts'), 'utf8');
  const registered = new Set([...table.matchAll(/\bcommand\(\s*'([\w.]+)'/g)].map(([, name]) => `tiller.${name}`));
  const { commands, keybindings } = manifest.contributes;
  const actions = readFileSync(path.join(root, 'webview-ui/actions.ts'), 'utf8');
  const [, ofPanel = ''] = /export type PanelCommand =([^;]*);/.exec(actions) ?? [];
  const named = [
    ...[...commands, ...keybindings].map(({ command }) => ['package.json', command]),
    ...[...ofPanel.matchAll(/'([\w.]+)'/g)].map(([, name]) => ['webview-ui/actions.ts', `tiller.${name}`]),
  ];
  for (const [file, command] of named) {
    if (!registered.has(command)) problems.push(`${file}: "${command}" is not registered in src/extension/commands.ts`);
  }
}

/**
 * Checks that each of our context keys in a `when` clause is set somewhere: otherwise the command would never be
 * available.
 */
function checkContextKeys() {
  const all = JSON.stringify(manifest.contributes).matchAll(/"when":"([^"]+)"|"onContext:([^"]+)"/g);
  const conditions = [...all].map(([, when, context]) => when ?? context);
  const named = new Set(conditions.flatMap((when) => when.match(/\btiller\.\w+/g) ?? []));
  const text = sources()
    .map((file) => file.text)
    .join('\n');
  for (const key of named) {
    if (!text.includes(`'${key}'`)) problems.push(`package.json: a condition names "${key}", which is never set`);
  }
}

function sources() {
  return ['src', 'webview-ui']
    .flatMap((folder) => {
      const names = readdirSync(path.join(root, folder), { recursive: true, encoding: 'utf8' });
      return names.map((name) => `${folder}/${name}`);
    })
    .filter((name) => /\.tsx?$/.test(name))
    .map((name) => ({ name, text: readFileSync(path.join(root, name), 'utf8') }));
}

function readJson(name) {
  return JSON.parse(readFileSync(path.join(root, name), 'utf8'));
}
