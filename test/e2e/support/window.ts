import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, expect, inject } from 'vitest';
import { generateSample, writeSample } from '../../../scripts/sample.mjs';
import { Workbench } from '../../../scripts/vscode/page.mjs';
import { DEMO_SETTINGS, ScriptedModel } from './model.ts';
import { Panel } from './panel.ts';
import { type PlaceOptions, placeFor, type TestExtension } from './place.ts';

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
  /** Closes the browser and opens the same window in a new one with the old browser storage. */
  restart(): Promise<void>;
}

/**
 * A VS Code window with Tiller in it for the tests of this file or `describe`. Call it where the tests are declared; the
 * result gives the window inside them. Windows follow each other on one server, each on a fresh sample with fresh
 * settings, threads and browser storage; `server` names one of their own. A failed test leaves a picture and the console in
 * artifacts/e2e/failed, and the next test gets another window; every test fails when VS Code reports the use of proposed
 * API.
 */
export function useWindow(options: WindowOptions = {}): OpenedWindow {
  const { model: kind = 'none', settings = {}, seed = 1, files = {}, folders, served, width = 1400, beside } = options;
  const { trusts = true, browserForUser = false } = options;
  let window: Window | undefined;
  const closers: (() => Promise<unknown>)[] = [];

  const ready = async () => {
    await beside?.ready();
    if (window === undefined) await open();
  };
  beforeAll(ready);
  // After a failed test.
  beforeEach(ready);
  afterAll(close);

  async function close(): Promise<void> {
    window = undefined;
    for (const closer of closers.splice(0).reverse()) await closer();
  }

  async function open(): Promise<void> {
    const own = await mkdtemp(path.join(inject('places'), 'window-'));
    closers.push(() => rm(own, { recursive: true, force: true, maxRetries: 5 }));
    const folder = path.join(own, 'workspace');
    const sample = generateSample(seed);
    await writeSample(folder, sample);
    await writeFiles(folder, files);
    const workspace = folders ? await writeWorkspace(own, folders) : folder;
    const model = beside?.().model ?? (await ScriptedModel.start(kind === 'local' ? 'Ollama' : undefined));
    closers.push(() => (beside ? Promise.resolve() : model.close()));
    const modelSettings = { demo: DEMO_SETTINGS, scripted: model.settings, none: {}, local: model.localSettings }[kind];
    const place = await placeFor(options);
    if (!beside) await place.renew({ ...modelSettings, ...settings });
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
    const opened: Window = {
      vscode: await browse(false),
      panel: new Panel(() => opened.vscode),
      model,
      folder,
      at: (name) => path.join(own, name),
      extension: (name) => place.extension(name),
      sample,
      disk: (name) => readFile(path.join(folder, name), 'utf8').catch(() => null),
      testPasses: () => succeeds(process.execPath, ['--test'], folder),
      async restart() {
        await leave();
        await place.restartBrowser();
        opened.vscode = await browse(true);
      },
    };
    window = opened;
  }

  afterEach(async ({ task }) => {
    const { vscode } = window ?? {};
    if (!vscode) return;
    if (task.result?.state === 'fail') {
      try {
        await vscode.leaveTraces(`failed/${task.name.replaceAll(/\W+/g, '-')}`);
      } finally {
        await close();
      }
    }
    expect(vscode.complaints).toEqual([]);
  });

  const opened = () => {
    if (!window) throw new Error('The window opens before the tests, not where they are declared.');
    return window;
  };
  return Object.assign(opened, { ready });
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
