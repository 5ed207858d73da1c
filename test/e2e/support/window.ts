import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, expect, inject } from 'vitest';
import { generateSample, writeSample } from '../../../scripts/sample.mjs';
import { openBrowser, Workbench } from '../../../scripts/vscode/page.mjs';
import { type PROFILES, startVscode } from '../../../scripts/vscode/server.mjs';
import { DEMO_SETTINGS, ScriptedModel } from './model.ts';
import { Panel } from './panel.ts';
import { writeStuckHost } from './stuckHost.ts';
import { writeVirtualFolder } from './virtualFolder.ts';

export interface WindowOptions {
  profile?: keyof typeof PROFILES;
  /** `none` is a person who has chosen no model yet. */
  model?: 'demo' | 'scripted' | 'none';
  /** Over the settings of the profile and the model. */
  settings?: Record<string, unknown>;
  /** Which sample the folder is. */
  seed?: number;
  /** Files beside the sample, by their path. */
  files?: Record<string, string>;
  /** Further folders of a workspace of several: their files by path, or the address of a folder that is not on disk. */
  folders?: Record<string, Record<string, string> | string>;
  /** Files that an extension serves below `shelf:` and, read-only, `glass:`. */
  virtual?: Record<string, string>;
  /** An extension that stops the extension host where `whenStuck` says. */
  stuckHost?: boolean;
  /** Of the browser window. */
  width?: number;
  env?: Record<string, string>;
}

export interface Window {
  vscode: Workbench;
  panel: Panel;
  /** What answers when the model is `scripted`. */
  model: ScriptedModel;
  /** The folder that the window shows: a fresh sample. */
  folder: string;
  /** Another folder of a workspace of several, or of an extension of the test's own. */
  at(name: string): string;
  sample: ReturnType<typeof generateSample>;
  /** What is on disk now; `null` where there is no such file. */
  disk(name: string): Promise<string | null>;
  /** Whether the sample's own test passes. */
  testPasses(): Promise<boolean>;
  /** Ends the browser and opens the same window in a new one that knows what the old one stored. */
  restart(): Promise<void>;
}

/** Of test/e2e/vitest.config.mjs. */
const LAST_RETRY = 2;

/**
 * A VS Code window with Tiller in it for the tests of this file or `describe`. Call it where the tests are declared; what
 * it returns gives the window inside them. A failed test leaves a picture and the console in artifacts/e2e/failed; every
 * test fails when VS Code complains about proposed API. The last attempt at a test that failed has a window of its own.
 */
export function useWindow(options: WindowOptions = {}): () => Window {
  const { profile = 'default', model: kind = 'none', settings = {}, seed = 1, files = {}, width, env = {} } = options;
  const { folders, virtual, stuckHost } = options;
  let window: Window | undefined;
  const closers: (() => Promise<unknown>)[] = [];

  const close = async () => {
    for (const closer of closers.splice(0).reverse()) await closer();
  };
  beforeAll(open);
  afterAll(close);

  // The first failure may lie with the moment, the second with what the first has left behind.
  beforeEach(async ({ task }) => {
    if (task.result?.retryCount !== LAST_RETRY) return;
    await close();
    await open();
  });

  async function open(): Promise<void> {
    const own = await mkdtemp(path.join(tmpdir(), 'tiller-e2e-'));
    closers.push(() => rm(own, { recursive: true, force: true, maxRetries: 5 }));
    const folder = path.join(own, 'workspace');
    const sample = generateSample(seed);
    await writeSample(folder, sample);
    await writeFiles(folder, files);
    const at = (name: string) => path.join(own, name);
    const extensions = [inject('extension')];
    if (virtual) extensions.push(await writeVirtualFolder(at('virtual'), virtual));
    if (stuckHost) extensions.push(await writeStuckHost(at('stuck-host')));
    const workspace = folders ? await writeWorkspace(own, folders) : folder;
    const model = await ScriptedModel.start();
    closers.push(() => model.close());
    const modelSettings = { demo: DEMO_SETTINGS, scripted: model.settings, none: {} }[kind];
    const server = await startVscode({
      workspace,
      profile,
      settings: { ...modelSettings, ...settings },
      env,
      extensions,
    });
    closers.push(() => server.stop());

    const browse = async (isKnown: boolean) => {
      const browser = await openBrowser({ profile: path.join(own, 'browser'), width });
      const vscode = new Workbench(browser.page, server);
      closers.push(() => browser.close());
      await vscode.open({ isKnown });
      return vscode;
    };
    const opened: Window = {
      vscode: await browse(false),
      panel: new Panel(() => opened.vscode),
      model,
      folder,
      at,
      sample,
      disk: (name) => readFile(path.join(folder, name), 'utf8').catch(() => null),
      testPasses: () => succeeds(process.execPath, ['--test'], folder),
      async restart() {
        await closers.pop()?.();
        opened.vscode = await browse(true);
      },
    };
    window = opened;
  }

  afterEach(async ({ task }) => {
    const { vscode } = window ?? {};
    if (!vscode) return;
    if (task.result?.state === 'fail') await vscode.leaveTraces(`failed/${task.name.replaceAll(/\W+/g, '-')}`);
    expect(vscode.complaints).toEqual([]);
  });

  return () => {
    if (!window) throw new Error('The window opens before the tests, not where they are declared.');
    return window;
  };
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
