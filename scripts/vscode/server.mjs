// Starts the installed VS Code on a folder, for a test, a demonstration or a developer. Everything it writes (settings,
// state, home, logs) is in a separate folder, so that it neither reads nor changes the user's files.
import { spawn } from 'node:child_process';
import { existsSync, openSync, readFileSync, rmSync } from 'node:fs';
import { cp, mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { root } from '../bootstrap.mjs';
import { run } from './cache.mjs';
import { installVscode } from './install.mjs';
import { writeFirstSettings } from './settings.mjs';

const START_LIMIT_MS = 60_000;
/** A server whose test was killed ends by itself after this time. */
const ORPHAN_LIMIT_S = 600;

/** The web's default is to auto-save after a second; a user's desktop VS Code does not. */
const LIKE_A_DESKTOP = { 'files.autoSave': 'off' };

/** Without what moves, is computed beside the work or covers it: the processors of a test machine are few. */
const CALM = {
  'workbench.startupEditor': 'none',
  'workbench.tips.enabled': false,
  'chat.disableAIFeatures': true,
  'extensions.ignoreRecommendations': true,
  // No test has an extension that runs in a worker of the browser.
  'extensions.webWorker': false,
  // Otherwise each extension host reads all processes of the machine every two seconds, for ports that it could forward.
  'remote.autoForwardPorts': false,
  'remote.autoForwardPortsSource': 'output',
  'workbench.reduceMotion': 'on',
  'editor.cursorBlinking': 'solid',
  'editor.minimap.enabled': false,
  'breadcrumbs.enabled': false,
  // A notification would cover the composer and the buttons of a card for 10 s.
  'workbench.notifications.position': 'bottom-left',
};

/**
 * VS Code's own extensions in the windows of suites: what draws and opens files. The others (git, TypeScript, JSON, npm,
 * Emmet, debuggers) take processor time in every window.
 */
const FEW_EXTENSIONS = [
  ...['theme-defaults', 'theme-seti', 'theme-modern-icons', 'ipynb', 'media-preview'],
  ...['javascript', 'typescript-basics', 'json', 'markdown-basics', 'shellscript', 'diff'],
];

/**
 * @typedef {object} Profile
 * @property {Record<string, unknown>} settings  the content of settings.json
 * @property {readonly string[]} [ownExtensions]  of VS Code's own extensions only these; by default all
 * @property {boolean} [withoutTrust]  workspace trust is disabled: every folder is trusted
 * @property {boolean} [smokeDriver]  the server takes `extensionTestsPath`, and shows no notification
 * @property {boolean} [trust]  the page trusts the folder, as a user would
 */
/** @type {Record<'default' | 'trusting' | 'all-extensions' | 'fast' | 'untrusted' | 'hot-exit' | 'autosave+format', Profile>} */
export const PROFILES = {
  // The defaults of a newly installed VS Code, with nothing disabled.
  default: { settings: LIKE_A_DESKTOP, trust: true },
  // The same without workspace trust, for several windows in sequence on one server.
  trusting: { settings: { ...LIKE_A_DESKTOP, ...CALM }, withoutTrust: true, ownExtensions: FEW_EXTENSIONS },
  // The same with all of VS Code's own extensions.
  'all-extensions': { settings: { ...LIKE_A_DESKTOP, ...CALM }, withoutTrust: true },
  // For the suite inside the extension host: only the user interface that it needs.
  fast: {
    withoutTrust: true,
    smokeDriver: true,
    ownExtensions: FEW_EXTENSIONS,
    settings: {
      ...LIKE_A_DESKTOP,
      ...CALM,
      'workbench.secondarySideBar.defaultVisibility': 'hidden',
      // Its window is small; a diff has two sides all the same.
      'diffEditor.useInlineViewWhenSpaceIsLimited': false,
      'files.hotExit': 'off',
      'window.confirmBeforeClose': 'never',
      // Without what no test looks at: half of this suite's processor time goes into its page.
      'window.commandCenter': false,
      'window.menuBarVisibility': 'hidden',
      'workbench.activityBar.location': 'hidden',
      'workbench.statusBar.visible': false,
      'workbench.editor.showTabs': 'none',
      'workbench.editor.empty.hint': 'hidden',
      'editor.stickyScroll.enabled': false,
      'editor.occurrencesHighlight': 'off',
      'editor.matchBrackets': 'never',
      'editor.bracketPairColorization.enabled': false,
      'editor.guides.indentation': false,
      'editor.renderLineHighlight': 'none',
      'editor.colorDecorators': false,
      'explorer.autoReveal': false,
      'workbench.iconTheme': null,
      'workbench.layoutControl.enabled': false,
      'editor.links': false,
      'editor.lightbulb.enabled': 'off',
      'editor.unicodeHighlight.ambiguousCharacters': false,
      'editor.unicodeHighlight.invisibleCharacters': false,
      'problems.decorations.enabled': false,
    },
  },
  untrusted: { settings: LIKE_A_DESKTOP },
  'hot-exit': { settings: { ...LIKE_A_DESKTOP, 'files.hotExit': 'onExitAndWindowClose' }, trust: true },
  'autosave+format': {
    settings: { 'files.autoSave': 'afterDelay', 'files.autoSaveDelay': 200, 'editor.formatOnSave': true },
    trust: true,
  },
};

/** The environment variables passed to a test's server: none that configures another program, and no key. */
const PASSED_ON =
  /^(PATH|USER|LOGNAME|LANG|LC_\w+|TZ|TMPDIR|TERM|(https?|no|all)_proxy|NODE_EXTRA_CA_CERTS|NODE_V8_COVERAGE)$/i;

/** The files of the extension, as in its VSIX. */
const SHIPPED = ['package.json', 'package.nls.json', 'media', 'l10n'];

/**
 * Builds the extension into a folder of its own, or copies the build of this test run, so that a build in the meantime
 * does not affect a running test.
 * @param {string} folder
 */
export async function stageExtension(folder) {
  await mkdir(folder, { recursive: true });
  for (const name of SHIPPED.filter((name) => existsSync(path.join(root, name)))) {
    await cp(path.join(root, name), path.join(folder, name), { recursive: true });
  }
  const { build, builtForTests } = await import('../build.mjs');
  const outdir = path.join(folder, 'dist');
  await (builtForTests ? cp(builtForTests, outdir, { recursive: true }) : build({ outdir }));
  return folder;
}

/**
 * @param {object} options
 * @param {string} options.workspace  a folder, or a .code-workspace file
 * @param {keyof typeof PROFILES} [options.profile]
 * @param {string[]} [options.extensions]  folders; each is linked into the extensions folder of this server
 * @param {string} [options.folder]  where everything of this server is; by default a temporary one that `stop` removes
 * @param {Record<string, unknown>} [options.settings]  over those of the profile, when the folder is new
 * @param {Record<string, string>} [options.env]
 * @param {number} [options.port]  by default a free one. What the browser stores is bound to the port.
 * @param {boolean} [options.forUser]  runs without a time limit, in the user's own home
 */
export async function startVscode({
  workspace,
  profile = 'default',
  extensions = [],
  folder,
  settings = {},
  env = {},
  port = 0,
  forUser = false,
}) {
  const { withoutTrust, smokeDriver, trust, ownExtensions } = PROFILES[profile];
  const vscode = await installVscode();
  const own = folder ?? (await mkdtemp(path.join(tmpdir(), 'tiller-vscode-')));
  const place = (name) => path.join(own, name);
  const logFile = place('server.log');
  await mkdir(place('extensions'), { recursive: true });
  await writeHome(own, profile, settings);
  for (const extension of extensions) await linkExtension(extension, place('extensions'));
  if (ownExtensions) await linkOwnExtensions(vscode, ownExtensions, place('own-extensions'));

  const words = [
    ...['--auth', 'none', '--bind-addr', `127.0.0.1:${port}`, '--config', place('config.yaml')],
    ...['--user-data-dir', place('data'), '--extensions-dir', place('extensions')],
    ...['--disable-telemetry', '--disable-update-check', '--disable-getting-started-override'],
    // Otherwise the extension host waits up to 10 s for the user's login shell.
    ...['--vscode-option', 'force-disable-user-env'],
    // Its connections stay on this machine.
    ...['--vscode-option', 'disable-websocket-compression'],
    ...(withoutTrust ? ['--disable-workspace-trust'] : []),
    ...(smokeDriver ? ['--vscode-option', 'enable-smoke-test-driver'] : []),
    ...(ownExtensions ? ['--builtin-extensions-dir', place('own-extensions')] : []),
    ...(forUser ? [] : ['--idle-timeout-seconds', String(ORPHAN_LIMIT_S)]),
  ];
  const isInherited = (name) => (forUser ? !/^(VSCODE|ELECTRON|npm)_/.test(name) : PASSED_ON.test(name));
  const inherited = Object.entries(process.env).filter(([name]) => isInherited(name));
  const home = forUser ? process.env.HOME : place('home');
  // VS Code leaves its sockets; their paths must be short.
  const sockets = forUser ? undefined : await mkdtemp(path.join(tmpdir(), 'tiller-vscode-run-'));
  const log = openSync(logFile, 'w');
  const started = Date.now();
  const child = spawn(vscode.node, [vscode.entry, ...words], {
    env: {
      ...Object.fromEntries(inherited),
      HOME: home,
      SHELL: '/bin/bash',
      ...(sockets && { XDG_RUNTIME_DIR: sockets }),
      ...env,
    },
    stdio: ['ignore', log, log],
    // In a process group of its own: what it started ends with it.
    detached: true,
  });
  const kill = (signal) => {
    try {
      if (child.pid !== undefined) process.kill(-child.pid, signal);
    } catch {}
  };
  const killAtExit = () => {
    kill('SIGKILL');
    if (sockets) rmSync(sockets, { recursive: true, force: true });
  };
  process.once('exit', killAtExit);
  const ended = new Promise((resolve) => child.once('close', resolve).once('error', resolve));
  const url = await whenListening();

  return {
    url,
    port: Number(new URL(url).port),
    version: vscode.version,
    /** The folder that the window shows. */
    workspace: path.resolve(workspace),
    profile,
    trust: trust === true,
    folder: own,
    logFile,
    startMs: Date.now() - started,
    /** The same server with a window on another folder or .code-workspace file. @param {string} other */
    at(other) {
      return { ...this, workspace: path.resolve(other) };
    },
    /** The URL of the window. @param {[string, string][]} payload */
    address(payload = []) {
      const kind = this.workspace.endsWith('.code-workspace') ? 'workspace' : 'folder';
      const query = new URLSearchParams({ [kind]: this.workspace });
      if (payload.length > 0) query.set('payload', JSON.stringify(payload));
      return `${url}/?${query.toString().replaceAll('%2F', '/')}`;
    },
    /** A path as a URI inside this window. @param {string} file */
    remote: (file) => `vscode-remote://${new URL(url).host}${path.resolve(file)}`,
    /** @param {{ keep?: boolean }} options  `keep` leaves the folder with the logs */
    async stop({ keep = folder !== undefined } = {}) {
      process.off('exit', killAtExit);
      kill('SIGTERM');
      const timer = setTimeout(() => kill('SIGKILL'), 4000);
      await ended;
      clearTimeout(timer);
      kill('SIGKILL');
      if (sockets) await rm(sockets, { recursive: true, force: true });
      if (!keep) await rm(own, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 }).catch(() => {});
    },
  };

  async function whenListening() {
    const failed = ended.then(() => 'ended');
    for (;;) {
      const address = /HTTP server listening on (http:\S+\d)/.exec(readFileSync(logFile, 'utf8'))?.[1];
      if (address && (await fetch(`${address}/healthz`).catch(() => undefined))?.ok) return address;
      const late = Date.now() - started > START_LIMIT_MS;
      if (late || (await Promise.race([failed, sleep(50)])) === 'ended') {
        kill('SIGKILL');
        const last = readFileSync(logFile, 'utf8').trim().split('\n').slice(-3).join(' ');
        throw new Error(`VS Code's server ${late ? 'did not answer in time' : 'ended at once'}: ${last} (${logFile})`);
      }
    }
  }
}

/** Writes the initial files of a server's folder; existing ones stay. */
async function writeHome(folder, profile, settings) {
  const home = path.join(folder, 'home');
  await mkdir(home, { recursive: true });
  await writeFirstSettings(folder, { ...PROFILES[profile].settings, ...settings });
  await writeNew(path.join(home, '.gitconfig'), '[user]\n\tname = Test\n\temail = test@localhost\n');
}

/**
 * Resets the folder of a running server to its first start: no threads, no histories, and these settings. No window may
 * be open.
 * @param {{ folder: string, profile: keyof typeof PROFILES }} server
 * @param {Record<string, unknown>} settings
 */
export async function renewHome({ folder, profile }, settings) {
  for (const name of ['home', 'data/User', 'data/Machine']) {
    await rm(path.join(folder, name), { recursive: true, force: true, maxRetries: 5, retryDelay: 100 });
  }
  await writeHome(folder, profile, settings);
}

/** Installs a VSIX into the extensions folder of the server of `folder`. Resolves with VS Code's output. */
export async function installVsix(vsix, folder) {
  const { node, entry } = await installVscode();
  await mkdir(path.join(folder, 'home'), { recursive: true });
  const places = ['--user-data-dir', path.join(folder, 'data'), '--extensions-dir', path.join(folder, 'extensions')];
  const words = [entry, ...places, '--config', path.join(folder, 'config.yaml'), '--install-extension', vsix];
  return run(node, words, { env: { PATH: process.env.PATH, HOME: path.join(folder, 'home') } });
}

async function writeNew(file, text) {
  await writeFile(file, text, { flag: 'wx' }).catch((error) => {
    if (error.code !== 'EEXIST') throw error;
  });
}

/** Links these of VS Code's own extensions into the folder. */
async function linkOwnExtensions({ entry }, names, folder) {
  const all = path.join(path.dirname(entry), '../../lib/vscode/extensions');
  await mkdir(folder, { recursive: true });
  for (const name of names) {
    await rm(path.join(folder, name), { force: true });
    await symlink(path.join(all, name), path.join(folder, name));
  }
}

async function linkExtension(extension, folder) {
  const { publisher, name, version } = JSON.parse(await readFile(path.join(extension, 'package.json'), 'utf8'));
  const link = path.join(folder, `${publisher}.${name}-${version}`);
  await rm(link, { recursive: true, force: true });
  await symlink(path.resolve(extension), link);
}
