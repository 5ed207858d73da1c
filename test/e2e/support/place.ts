import { mkdtemp, rm } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Page } from 'playwright-core';
import { inject } from 'vitest';
import { openBrowser } from '../../../scripts/vscode/page.mjs';
import { type PROFILES, renewHome, startVscode } from '../../../scripts/vscode/server.mjs';
import { hostProcesses } from './hostProcess.ts';
import { forgetMoment, writeStuckHost } from './stuckHost.ts';
import { writeChecker } from './checker.ts';
import { writeTidy } from './tidyWindow.ts';
import { writeVirtualFolder } from './virtualFolder.ts';

export type TestExtension = keyof typeof EXTENSIONS;

export interface PlaceOptions {
  /**
   * The name of a server for windows with this name only, which takes 10 s to start. By default all windows use one
   * server, one after the other.
   */
  server?: string;
  /** `trusting` on the common server, `default` on one with a name. */
  profile?: keyof typeof PROFILES;
  /** Folders of further extensions, on a server with a name. */
  extensions?: readonly string[];
  /** False where the folder is not trusted before the tests; by default it is. */
  trusts?: boolean;
}

/**
 * Extensions of the tests: one stops the extension host at the moment of `whenStuck`, one serves virtual files, one reports
 * problems, one tidies the window. The common server has all of them, others the last.
 */
const EXTENSIONS = {
  'stuck-host': writeStuckHost,
  virtual: writeVirtualFolder,
  checker: writeChecker,
  tidy: writeTidy,
};
const COMMON = 'common';
/** Height of each page, in pixels. */
export const HEIGHT = 900;
/** After this an extension host whose window has gone is killed. */
const HOST_LIMIT_MS = 3000;
/** Between two looks at all processes, each of which takes some milliseconds. */
const LOOK_MS = 100;

/** A VS Code server and a browser for windows, which come one after the other or side by side. */
export class Place {
  readonly name: string;
  readonly folder: string;
  readonly server: Awaited<ReturnType<typeof startVscode>>;
  #browser: Awaited<ReturnType<typeof openBrowser>>;
  #forUser = false;
  /** Pages without a window. */
  readonly #free: Page[] = [];

  constructor(name: string, folder: string, server: Place['server'], browser: Awaited<ReturnType<typeof openBrowser>>) {
    this.name = name;
    this.folder = folder;
    this.server = server;
    this.#browser = browser;
  }

  static async open(name: string, options: PlaceOptions): Promise<Place> {
    const { profile = name === COMMON ? 'trusting' : 'default' } = options;
    const folder = await mkdtemp(path.join(inject('places'), 'place-'));
    const own = Object.entries(name === COMMON ? EXTENSIONS : { tidy: writeTidy }).map(([extension, write]) =>
      write(path.join(folder, extension)),
    );
    const server = await startVscode({
      workspace: folder,
      folder: path.join(folder, 'server'),
      profile,
      extensions: [inject('extension'), ...(await Promise.all(own)), ...(options.extensions ?? [])],
    });
    return new Place(
      name,
      folder,
      server,
      await openBrowser({ profile: path.join(folder, 'browser'), forUser: false }),
    );
  }

  extension(name: keyof typeof EXTENSIONS): string {
    return path.join(this.folder, name);
  }

  /** Removes all files of earlier windows. None may be open. */
  async renew(settings: Record<string, unknown>): Promise<void> {
    await renewHome(this.server, settings);
    await forgetMoment(this.extension('stuck-host'));
    await this.#browser.forget(this.server.url);
  }

  /** @param forUser  whether the browser is as users have it; another one than the last needs a new browser */
  async visit(width: number, forUser: boolean): Promise<{ readonly page: Page; readonly leave: () => Promise<void> }> {
    if (forUser !== this.#forUser) await this.restartBrowser(forUser);
    const before = await hostProcesses(this.server);
    const page = this.#free.pop() ?? (await this.#browser.newPage());
    await page.setViewportSize({ width, height: HEIGHT });
    return { page, leave: () => this.#leave(page, before) };
  }

  /** Closes the window; another one opens faster in the page of it. Its extension host ends with it, as after a close by the user. */
  async #leave(page: Page, before: readonly number[]): Promise<void> {
    if (!page.isClosed()) {
      await page.goto('about:blank');
      page.removeAllListeners();
      this.#free.push(page);
    }
    const left = async () => (await hostProcesses(this.server)).filter((pid) => !before.includes(pid));
    const deadline = Date.now() + HOST_LIMIT_MS;
    while ((await left()).length > 0 && Date.now() < deadline) await sleep(LOOK_MS);
    for (const pid of await left()) process.kill(pid, 'SIGKILL');
    while ((await left()).length > 0) await sleep(LOOK_MS);
  }

  /** The storage of the browser stays. */
  async restartBrowser(forUser = this.#forUser): Promise<void> {
    this.#free.splice(0);
    await this.#browser.close();
    this.#browser = await openBrowser({ profile: path.join(this.folder, 'browser'), forUser });
    this.#forUser = forUser;
  }

  async close(): Promise<void> {
    await this.#browser.close();
    await this.server.stop();
    await rm(this.folder, { recursive: true, force: true, maxRetries: 5 });
  }
}

/** The place of this worker; its processes end with it. */
let common: Place | undefined;
let named: Place | undefined;
for (const signal of ['SIGTERM', 'SIGINT', 'disconnect'] as const) process.once(signal, () => process.exit(1));

/**
 * The common place, or the one that `options.server` names; a place with another name is closed, after `closeWindow` has
 * closed the window in it.
 */
export async function placeFor(options: PlaceOptions, closeWindow?: () => Promise<void>): Promise<Place> {
  const { server: name = COMMON } = options;
  if (name === COMMON) {
    common ??= await Place.open(COMMON, options);
    return common;
  }
  if (named?.name !== name) {
    await closeWindow?.();
    await named?.close();
    named = undefined;
    named = await Place.open(name, options);
  }
  return named;
}
