import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, afterEach, beforeAll, expect, inject } from 'vitest';
import { generateSample, writeSample } from '../../../scripts/sample.mjs';
import { openBrowser, Workbench } from '../../../scripts/vscode/page.mjs';
import { type PROFILES, startVscode } from '../../../scripts/vscode/server.mjs';
import { DEMO_SETTINGS, ScriptedModel } from './model.ts';
import { Panel } from './panel.ts';

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
  sample: ReturnType<typeof generateSample>;
  /** What is on disk now; `null` where there is no such file. */
  disk(name: string): Promise<string | null>;
  /** Whether the sample's own test passes. */
  testPasses(): Promise<boolean>;
  /** Ends the browser and opens the same window in a new one that knows what the old one stored. */
  restart(): Promise<void>;
}

/**
 * A VS Code window with Tiller in it for the tests of this file or `describe`. Call it where the tests are declared; what
 * it returns gives the window inside them. A failed test leaves a picture and the console in artifacts/e2e/failed; every
 * test fails when VS Code complains about proposed API.
 */
export function useWindow(options: WindowOptions = {}): () => Window {
  const { profile = 'default', model: kind = 'none', settings = {}, seed = 1, files = {}, width, env = {} } = options;
  let window: Window | undefined;
  const closers: (() => Promise<unknown>)[] = [];

  beforeAll(async () => {
    const own = await mkdtemp(path.join(tmpdir(), 'tiller-e2e-'));
    closers.push(() => rm(own, { recursive: true, force: true, maxRetries: 5 }));
    const folder = path.join(own, 'workspace');
    const sample = generateSample(seed);
    await writeSample(folder, sample);
    await writeFiles(folder, files);
    const model = await ScriptedModel.start();
    closers.push(() => model.close());
    const modelSettings = { demo: DEMO_SETTINGS, scripted: model.settings, none: {} }[kind];
    const server = await startVscode({
      workspace: folder,
      profile,
      settings: { ...modelSettings, ...settings },
      env,
      extensions: [inject('extension')],
    });
    closers.push(() => server.stop());

    const open = async () => {
      const browser = await openBrowser({ profile: path.join(own, 'browser'), width });
      const vscode = new Workbench(browser.page, server);
      closers.push(() => browser.close());
      await vscode.open();
      return vscode;
    };
    const opened: Window = {
      vscode: await open(),
      panel: new Panel(() => opened.vscode),
      model,
      folder,
      sample,
      disk: (name) => readFile(path.join(folder, name), 'utf8').catch(() => null),
      testPasses: () => succeeds(process.execPath, ['--test'], folder),
      async restart() {
        await closers.pop()?.();
        opened.vscode = await open();
      },
    };
    window = opened;
  });

  afterEach(async ({ task }) => {
    const { vscode } = window ?? {};
    if (!vscode) return;
    if (task.result?.state === 'fail') await vscode.leaveTraces(`failed/${task.name.replaceAll(/\W+/g, '-')}`);
    expect(vscode.complaints).toEqual([]);
  });

  afterAll(async () => {
    for (const close of closers.reverse()) await close();
  });

  return () => {
    if (!window) throw new Error('The window opens before the tests, not where they are declared.');
    return window;
  };
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
