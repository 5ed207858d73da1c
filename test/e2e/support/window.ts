import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, expect, inject } from 'vitest';
import { generateSample, writeSample } from '../../../scripts/sample.mjs';
import { Workbench } from '../../../scripts/vscode/page.mjs';
import { PROFILES } from '../../../scripts/vscode/server.mjs';
import { settingsOf } from '../../../scripts/vscode/settings.mjs';
import { DEMO_SETTINGS, ScriptedModel } from './model.ts';
import { Panel } from './panel.ts';
import { HEIGHT, type Place, type PlaceOptions, placeFor, type TestExtension } from './place.ts';
import { applySettings, beginThread, leaveThread } from './tidyWindow.ts';

/**
 * A server with all extensions of VS Code, among them git and TypeScript, one that offers models,
 * one that has tests, and one that has tools.
 * Files that need any of them share it.
 */
export const ALL_EXTENSIONS: PlaceOptions = {
  server: 'all-extensions',
  profile: 'all-extensions',
  extensions: ['modelProvider', 'testRunner', 'toolProvider'].map((name) =>
    path.join(import.meta.dirname, '../../fixtures', name),
  ),
};

export interface WindowOptions extends PlaceOptions {
  /** `none` is a user who has chosen no model yet; `local` too, but an Ollama runs on the machine. */
  model?: 'demo' | 'scripted' | 'none' | 'local';
  /** Override the settings of the profile and the model. */
  settings?: Record<string, unknown>;
  /** The sample in the folder. */
  seed?: number;
  /** Files beside the sample, by their path. */
  files?: Record<string, string>;
  /** Further folders of a workspace of several: their files by path, or the URI of a virtual folder. */
  folders?: Record<string, Record<string, string> | string>;
  /** Files that the extension `virtual` serves below `shelf:` and, read-only, `glass:`. */
  served?: Record<string, string>;
  /** Width of the browser window, in pixels. */
  width?: number;
  /** The browser is as a user has it. Others save processor time: their pages are slower and do not move. */
  browserForUser?: boolean;
  /** Another window that stays open on the same server, with the same settings and the same model. */
  beside?: OpenedWindow;
}

/** Options that may differ between files that share a window. */
export interface SharedWindowOptions
  extends Pick<WindowOptions, 'server' | 'profile' | 'extensions' | 'model' | 'settings' | 'seed' | 'files' | 'width'> {
  /** The window is a new one. Files that come later use it, too. */
  isNew?: boolean;
  /** The window is closed after these tests: what they leave cannot be tidied, such as choices for new threads. */
  isLast?: boolean;
}

/** The window inside the tests. */
export interface OpenedWindow {
  (): Window;
  /** Opens it where a failed test has closed it. */
  ready(): Promise<void>;
}

export interface Window {
  vscode: Workbench;
  panel: Panel;
  /** The server when the model is `scripted`. */
  model: ScriptedModel;
  /** The folder that the window shows: a fresh sample. */
  folder: string;
  /** Another folder of a workspace of several. */
  at(name: string): string;
  /** The folder of an extension of the tests. */
  extension(name: TestExtension): string;
  sample: ReturnType<typeof generateSample>;
  /** The text on disk now; `null` where there is no such file. */
  disk(name: string): Promise<string | null>;
  /** Resolves to true if the test of the sample passes. */
  testPasses(): Promise<boolean>;
  /** Changes settings without a reload, as the settings editor does; `null` removes one. */
  configure(settings: Readonly<Record<string, unknown>>): Promise<void>;
  /** Closes the browser and opens the same window in a new one with the old browser storage. */
  restart(): Promise<void>;
}

/** A window, and how tests that are over leave it. */
interface Opened {
  readonly window: Window;
  /** After the last test. */
  readonly leave: () => Promise<void>;
  /** After a failed test. */
  readonly close: () => Promise<void>;
}

/**
 * A VS Code window with Tiller in it for the tests of this file or `describe`. Call it where the tests are declared; the
 * result gives the window inside them. Windows follow each other on one server, each on a fresh sample with fresh
 * settings, threads and browser storage; `server` names one of their own. A failed test leaves a picture and the console in
 * artifacts/e2e/failed, and the next test gets another window; every test fails when VS Code reports the use of proposed
 * API.
 */
export function useWindow(options: WindowOptions = {}): OpenedWindow {
  const { beside } = options;
  return declare(async () => {
    await beside?.ready();
    if (!beside) await shared?.close();
    const model = beside?.().model ?? (await startModel(options));
    const { window, close } = await openWindow(options, model);
    const closeAll = async () => {
      await close();
      if (!beside) await model.close();
    };
    return { window, leave: closeAll, close: closeAll };
  });
}

/** The window that a file has left to the next one in this worker. */
let shared:
  | { readonly place: Place; readonly window: Window; readonly sideBar: number; close(): Promise<void> }
  | undefined;

/**
 * The same, in the window of the file before where that has called this function, too: a window takes 5 s of processor time.
 * Folder, settings, model, editors, thread and layout are as in a new window (`renew`). What earlier tests have left in
 * Tiller's home (threads, rules, approvals that are kept) and in VS Code's storage stays. A failed test closes the window.
 */
export function useSharedWindow(options: SharedWindowOptions = {}): OpenedWindow {
  const { isNew = false, isLast = false } = options;
  return declare(async () => {
    const place = await placeFor(options, async () => shared?.close());
    const model = await startModel(options);
    if (shared?.place === place && !isNew) {
      await renew(shared, options, model);
    } else {
      await shared?.close();
      const { window, close } = await openWindow(options, model);
      shared = {
        place,
        window,
        sideBar: await window.vscode.sideBarWidth(),
        async close() {
          shared = undefined;
          await close();
        },
      };
    }
    const { window, close } = shared;
    const closeAll = async () => {
      await close();
      await model.close();
    };
    const sample = generateSample(options.seed ?? 1);
    const leave = isLast ? closeAll : () => model.close();
    return { window: { ...window, model, sample }, leave, close: closeAll };
  });
}

function declare(open: () => Promise<Opened>): OpenedWindow {
  let opened: Opened | undefined;
  const ready = async () => {
    opened ??= await open();
  };
  beforeAll(ready);
  // After a failed test.
  beforeEach(ready);
  afterAll(async () => {
    const last = opened;
    opened = undefined;
    await last?.leave();
  });
  afterEach(async ({ task }) => {
    if (!opened) return;
    const { window, close } = opened;
    if (task.result?.state === 'fail') {
      opened = undefined;
      try {
        await window.vscode.leaveTraces(`failed/${task.name.replaceAll(/\W+/g, '-')}`);
      } finally {
        await close();
      }
    }
    expect(window.vscode.complaints).toEqual([]);
  });
  const window = () => {
    if (!opened) throw new Error('The window opens before the tests, not where they are declared.');
    return opened.window;
  };
  return Object.assign(window, { ready });
}

function startModel({ model }: Pick<WindowOptions, 'model'>): Promise<ScriptedModel> {
  return ScriptedModel.start(model === 'local' ? 'Ollama' : undefined);
}

/** The user's settings beside those of the profile. */
function userSettings({ model: kind = 'none', settings = {} }: WindowOptions, model: ScriptedModel) {
  const chosen = { demo: DEMO_SETTINGS, scripted: model.settings, none: {}, local: model.localSettings }[kind];
  return { ...chosen, ...settings };
}

async function openWindow(options: WindowOptions, model: ScriptedModel): Promise<Pick<Opened, 'window' | 'close'>> {
  const {
    seed = 1,
    files = {},
    folders,
    served,
    width = 1400,
    beside,
    trusts = true,
    browserForUser = false,
  } = options;
  const closers: (() => Promise<unknown>)[] = [];
  const close = async () => {
    for (const closer of closers.splice(0).reverse()) await closer();
  };
  try {
    const own = await mkdtemp(path.join(inject('places'), 'window-'));
    closers.push(() => rm(own, { recursive: true, force: true, maxRetries: 5 }));
    const folder = path.join(own, 'workspace');
    const sample = generateSample(seed);
    await writeSample(folder, sample);
    await writeFiles(folder, files);
    const workspace = folders ? await writeWorkspace(own, folders) : folder;
    const place = await placeFor(options);
    if (!beside) await place.renew(userSettings(options, model));
    if (served) await writeFiles(place.extension('virtual'), served);
    const server = { ...place.server.at(workspace), trust: place.server.trust && trusts };

    let leave = () => Promise.resolve();
    const browse = async (isKnown: boolean) => {
      const visit = await place.visit(width, browserForUser);
      leave = () => visit.leave();
      const vscode = new Workbench(visit.page, server);
      await vscode.open({ isKnown });
      // Its commands and keys are registered from now on.
      await vscode.viewTab('Tiller').waitFor({ timeout: 60_000 });
      if (folders) await vscode.untilFoldersOpen();
      return vscode;
    };
    closers.push(() => leave());
    const window: Window = {
      vscode: await browse(false),
      panel: new Panel(() => window.vscode),
      model,
      folder,
      at: (name) => path.join(own, name),
      extension: (name) => place.extension(name),
      sample,
      disk: (name) => readFile(path.join(folder, name), 'utf8').catch(() => null),
      testPasses: () => succeeds(process.execPath, ['--test'], folder),
      configure: (settings) => applySettings(place.extension('tidy'), settings),
      async restart() {
        await leave();
        await place.restartBrowser();
        window.vscode = await browse(true);
      },
    };
    return { window, close };
  } catch (error) {
    await close();
    throw error;
  }
}

/** Makes an open window like a new one for these options. */
async function renew(
  { place, window, sideBar }: NonNullable<typeof shared>,
  options: SharedWindowOptions,
  model: ScriptedModel,
): Promise<void> {
  const { seed = 1, files = {}, width = 1400 } = options;
  const { vscode, panel, folder } = window;
  await leaveThread(place.extension('tidy'));
  for (const name of await readdir(folder)) await rm(path.join(folder, name), { recursive: true, maxRetries: 5 });
  await writeSample(folder, generateSample(seed));
  await writeFiles(folder, files);
  // Only now: a setting may have Tiller follow what other programs change.
  const wanted = { ...PROFILES[place.server.profile].settings, ...userSettings(options, model) };
  await beginThread(place.extension('tidy'), differences(await settingsOf(place.server.folder), wanted));
  await vscode.page.setViewportSize({ width, height: HEIGHT });
  if ((await vscode.sideBarWidth()) !== sideBar) await vscode.resizeSideBar(sideBar);
  await panel.get('turn').first().waitFor({ state: 'detached' });
  await panel.write('');
  vscode.console.length = 0;
}

/** Returns the values of all settings that differ; `null` for one that is to be removed. */
function differences(is: Readonly<Record<string, unknown>>, wanted: Readonly<Record<string, unknown>>) {
  const keys = Object.keys({ ...is, ...wanted });
  const changed = keys.filter((key) => JSON.stringify(is[key]) !== JSON.stringify(wanted[key]));
  return Object.fromEntries(changed.map((key) => [key, wanted[key] ?? null]));
}

/** Beside the sample, which is its first folder. */
async function writeWorkspace(own: string, folders: NonNullable<WindowOptions['folders']>): Promise<string> {
  const others = Object.entries(folders).map(([name, files]) =>
    typeof files === 'string' ? { name, uri: files } : { path: name },
  );
  for (const [name, files] of Object.entries(folders)) {
    if (typeof files !== 'string') await writeFiles(path.join(own, name), files);
  }
  const file = path.join(own, 'several.code-workspace');
  await writeFile(file, JSON.stringify({ folders: [{ path: 'workspace' }, ...others] }));
  return file;
}

async function writeFiles(folder: string, files: Record<string, string>): Promise<void> {
  for (const [name, text] of Object.entries(files)) {
    const file = path.join(folder, name);
    await mkdir(path.dirname(file), { recursive: true });
    await writeFile(file, text);
  }
}

function succeeds(program: string, words: string[], cwd: string): Promise<boolean> {
  const env = { PATH: process.env['PATH'], HOME: cwd };
  return new Promise((resolve) => {
    execFile(program, words, { cwd, env, timeout: 30_000 }, (error) => resolve(error === null));
  });
}
