// The page object of a VS Code window: commands, views, editors, diffs, notifications. One object per window, for
// playwright-core. All selectors for the workbench's markup are in this file.
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { stripVTControlCharacters } from 'node:util';
import { chromium } from 'playwright-core';
import { CODE_CACHE, findBrowser, UNOPTIMIZED } from './browser.mjs';
import { changeSettings } from './settings.mjs';
import { giveBytes, reportNoTraffic } from './sockets.mjs';

/** @typedef {import('playwright-core').Locator} Locator */
/** @typedef {import('playwright-core').Page} Page */
/** @typedef {Awaited<ReturnType<typeof import('./server.mjs').startVscode>>} Server */

const EXTENSION = 'tiller-dev.tiller';
/** Console messages about the use of unpublished API by the extension. */
const COMPLAINT = /is a proposed menu identifier|CANNOT use API proposal/;
/** Maximum milliseconds for the backups of unsaved texts before a reload, and for the reload itself. */
const RELOAD_LIMIT_MS = 60_000;
/** Maximum milliseconds for the effect of a key or a click in one window. */
const ACTION_LIMIT_MS = 20_000;

/** A command that is always in the palette, and not in its list for the name of a command of Tiller. */
const OTHER_COMMAND = 'Developer: Reload Window';

/** The ids of themes in the settings, their names for users, and the class of the workbench. */
export const THEMES = {
  dark: { id: 'Dark Modern', label: 'Dark Modern', class: 'vs-dark' },
  light: { id: 'Light Modern', label: 'Light Modern', class: 'vs' },
  'hc-dark': { id: 'Default High Contrast', label: 'Dark High Contrast', class: 'hc-black' },
  'hc-light': { id: 'Default High Contrast Light', label: 'Light High Contrast', class: 'hc-light' },
};

/**
 * A browser with one page in it. What the browser stores (VS Code keeps secrets and state there) is in `profile`, a
 * temporary folder unless named. With `forUser: false` it takes less processor time: pages do not move, messages of VS Code cost
 * less, and it optimizes only with `optimizes`; the speed of a page must not be measured in it.
 * @param {{ profile?: string, width?: number, height?: number, forUser?: boolean, optimizes?: boolean }} [options]
 */
export async function openBrowser({ profile, width = 1400, height = 900, forUser = true, optimizes = forUser } = {}) {
  const { executablePath, env } = await findBrowser();
  const folder = profile ?? (await mkdtemp(path.join(tmpdir(), 'tiller-browser-')));
  const context = await chromium.launchPersistentContext(folder, {
    executablePath,
    // A browser that is killed leaves its temporary files in its profile.
    env: { ...(env ?? process.env), TMPDIR: folder },
    headless: true,
    viewport: { width, height },
    reducedMotion: forUser ? 'no-preference' : 'reduce',
    permissions: ['clipboard-read', 'clipboard-write'],
    args: [
      ...['--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run', '--disable-background-networking'],
      ...(optimizes ? [] : [UNOPTIMIZED]),
      ...(forUser ? [] : [CODE_CACHE]),
    ],
  });
  context.setDefaultTimeout(20_000);
  if (!forUser) {
    await giveBytes(context);
    context.on('page', reportNoTraffic);
  }
  const page = context.pages()[0] ?? (await context.newPage());
  if (!forUser) await reportNoTraffic(page);
  return {
    page,
    /** Opens another page, which shares the browser's storage. */
    newPage: () => context.newPage(),
    /** Clears what the pages of an origin have stored: state, secrets, databases. @param {string} origin */
    async forget(origin) {
      const session = await context.newCDPSession(page);
      const storageTypes = 'cookies,local_storage,indexeddb,service_workers,file_systems';
      await session.send('Storage.clearDataForOrigin', { origin, storageTypes });
      await session.detach();
    },
    async close() {
      await context.close();
      if (!profile) await rm(folder, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 }).catch(() => {});
    },
  };
}

export class Workbench {
  /** The lines of the console, including those of the extension host. @type {string[]} */
  console = [];
  /** VS Code's messages about problems of the extension. A test fails if there are any. @type {string[]} */
  complaints = [];

  /** @param {Page} page @param {Server} server */
  constructor(page, server) {
    /** @readonly */
    this.page = page;
    /** @readonly */
    this.server = server;
    page.on('console', (message) => this.recordConsole(message.text()));
  }

  /** Records a line of the console. @param {string} text */
  recordConsole(text) {
    const plain = stripVTControlCharacters(text.replace(/%c|color: ?[\w#-]*/g, '')).trim();
    this.console.push(plain);
    if (COMPLAINT.test(plain)) this.complaints.push(plain);
  }

  // ── The window ────────────────────────────────────────────────────────────────────────────────────────────────

  /**
   * Opens the window, trusts the folder if the profile says so, and waits until the window is ready.
   * @param {{ isKnown?: boolean }} [options]  `isKnown`: this browser has opened the folder before
   */
  async open({ isKnown = false } = {}) {
    await this.page.goto(this.server.address());
    await this.ready();
    if (this.server.trust && !isKnown) await this.trust();
  }

  async ready() {
    await this.page.locator('.monaco-workbench .part.statusbar').waitFor({ timeout: 60_000 });
    await this.page.locator('.part.sidebar .pane-body').first().waitFor({ timeout: 60_000 });
  }

  /**
   * Waits for the folders of a workspace file. On a busy machine, VS Code in a browser sometimes opens such a file
   * without its folders; then the window has to be reloaded.
   */
  async untilFoldersOpen() {
    const none = this.page.locator('.part.sidebar .pane-header').filter({ hasText: 'No Folder Opened' });
    for (let attempt = 1; attempt <= 3; attempt++) {
      const isOpen = await none.waitFor({ state: 'hidden', timeout: 5000 }).then(
        () => true,
        () => false,
      );
      if (isOpen) return;
      await this.reload();
    }
    throw new Error('VS Code shows no folder of the workspace.');
  }

  /** VS Code opens a folder in Restricted Mode without asking; this trusts the folder as a user would. */
  async trust() {
    const restricted = this.page.locator('.statusbar-item').filter({ hasText: 'Restricted Mode' });
    await restricted.click({ timeout: 60_000 });
    const editor = this.page.locator('.workspace-trust-editor');
    await editor.getByRole('button', { name: 'Trust', exact: true }).click();
    await restricted.waitFor({ state: 'hidden' });
    await this.closeModalEditor();
  }

  /**
   * Reloads with VS Code's command, because the window then saves its state first, unlike on a reload of the page.
   * Unsaved texts are kept, as in a desktop VS Code: in a browser, VS Code cannot delay the reload until their backups
   * are written (a second after the last change), so it asks whether to leave the page.
   */
  async reload() {
    await this.until(() => this.tryReload(), 'VS Code does not let the window reload.', RELOAD_LIMIT_MS);
    await this.ready();
  }

  /**
   * Resolves with false if VS Code asked whether to leave the page; the question is answered with no. Rejects if it
   * neither asks nor reloads within RELOAD_LIMIT_MS after the command.
   * @private
   */
  async tryReload() {
    let left = () => {};
    let asked = () => {};
    const outcome = new Promise((resolve) => {
      left = (frame) => frame === this.page.mainFrame() && resolve(true);
      asked = (dialog) => dialog.dismiss().then(() => resolve(false));
    });
    this.page.on('framenavigated', left);
    this.page.on('dialog', asked);
    let timer;
    try {
      await this.command('Developer: Reload Window');
      const late = new Promise((_, reject) => {
        const message = `"Developer: Reload Window" neither left the page nor asked within ${RELOAD_LIMIT_MS / 1000} s.`;
        timer = setTimeout(() => reject(new Error(message)), RELOAD_LIMIT_MS);
      });
      return await Promise.race([outcome, late]);
    } finally {
      clearTimeout(timer);
      this.page.off('framenavigated', left);
      this.page.off('dialog', asked);
    }
  }

  /**
   * Repeats `attempt` until it resolves with true. Rejects with `message` when it has not within the time.
   * @private
   * @param {() => Promise<boolean>} attempt
   * @param {string} message
   * @param {number} [limitMs]
   */
  async until(attempt, message, limitMs = ACTION_LIMIT_MS) {
    const deadline = Date.now() + limitMs;
    while (!(await attempt())) {
      if (Date.now() > deadline) throw new Error(message);
      await this.page.waitForTimeout(50);
    }
  }

  /**
   * Takes a screenshot for a reviewer, unless TILLER_SCREENSHOTS is 0.
   * @param {string} file  the name of a screenshot, below artifacts/e2e
   * @param {Page | Locator} [what]
   */
  async screenshot(file, what = this.page) {
    if (process.env.TILLER_SCREENSHOTS !== '0') await this.takeScreenshot(file, what);
  }

  /** @private */
  async takeScreenshot(file, what) {
    const whole = path.resolve(
      import.meta.dirname,
      '../../artifacts/e2e',
      file.endsWith('.png') ? file : `${file}.png`,
    );
    await mkdir(path.dirname(whole), { recursive: true });
    await what.screenshot({ path: whole });
    return whole;
  }

  /** Writes a screenshot and the console below artifacts/e2e, to analyse a failure. @param {string} name */
  async leaveTraces(name) {
    const picture = await this.takeScreenshot(name, this.page);
    await writeFile(picture.replace(/\.png$/, '.log'), `${this.console.join('\n')}\n`);
  }

  /** Writes the user's settings. A running window may notice them only at the next `reload`. */
  async settings(changes) {
    await changeSettings(this.server.folder, changes);
  }

  /**
   * Simulates that the window gets or loses the focus: in a browser without a display it always has the focus.
   * @param {boolean} hasFocus
   */
  async setFocus(hasFocus) {
    await this.page.evaluate((has) => {
      document.hasFocus = () => has;
      // Both events are sent: the one that VS Code uses depends on whether a frame in the window has the focus.
      for (const type of ['focus', 'blur']) globalThis.dispatchEvent(new Event(type));
    }, hasFocus);
  }

  /** Resolves with the id of the part of the window that has the focus; `webview` for a page of an extension. */
  async focusedPart() {
    return this.page.evaluate(() => {
      const active = globalThis.document.activeElement;
      if (active?.matches('iframe.webview')) return 'webview';
      return active?.closest('.part')?.id.replace('workbench.parts.', '') ?? '';
    });
  }

  // ── Commands, pickers, questions ──────────────────────────────────────────────────────────────────────────────

  /** Runs a command by its full title in the palette, such as "Tiller: New Thread". */
  async command(name) {
    await this.quickOpen(`>${name}`, name);
  }

  /**
   * Resolves with those of these titles that the palette shows now as exact titles of commands.
   * @param {string[]} names @returns {Promise<string[]>}
   */
  async offered(...names) {
    const rows = this.page.locator('.quick-input-widget:visible .monaco-list-row');
    const other = this.quickRow(OTHER_COMMAND);
    const found = [];
    for (const name of names) {
      await this.openQuickInput(`>${OTHER_COMMAND}`);
      await other.waitFor();
      await this.openQuickInput(`>${name}`);
      // The rows are now those for the name; without a match it is one that says so.
      await other.waitFor({ state: 'hidden' });
      await rows.first().waitFor();
      if (await this.quickRow(name).isVisible()) found.push(name);
    }
    await this.closeQuickInput();
    return found;
  }

  /** Opens a file of the workspace by its name, in the active group. */
  async openFile(name) {
    await this.quickOpen(name, path.basename(name));
    // The tab may have existed before. Until it is the active one, the editor shows another text.
    await this.tab(path.basename(name)).and(this.page.locator('[aria-selected="true"]')).waitFor();
    await this.editor().locator('.view-line').first().waitFor();
  }

  /** @private */
  async quickOpen(text, row) {
    // A page that is still loading can drop the key, or take the focus and so close the list.
    for (let attempt = 1; ; attempt++) {
      try {
        await this.openQuickInput(text);
        await this.quickRow(row).click({ timeout: 4000 });
        return;
      } catch (error) {
        if (attempt === 4)
          throw new Error(`"${row}" is not in the list for "${text}": ${error.message}`, { cause: error });
        await this.closeQuickInput();
      }
    }
  }

  /** @private */
  async openQuickInput(text) {
    const input = this.quickInput();
    for (let attempt = 1; !(await input.isVisible()); attempt++) {
      await this.page.keyboard.press('F1');
      if (await appears(input, 3000)) break;
      if (attempt === 4) throw new Error('The command palette does not open.');
      await this.page.locator('.part.statusbar').click({ position: { x: 600, y: 8 } });
    }
    await input.fill(text, { timeout: 3000 });
  }

  /**
   * Cancels the picker, if one is open, and waits until it has disappeared: it is animated, and another one cannot open
   * before. Only the picker gets the key, because elsewhere it would stop a turn or close an editor.
   */
  async closeQuickInput() {
    const input = this.quickInput();
    const isClosed = async () => {
      // A picker may close by itself before; on a busy machine, the key may also come too late or get lost.
      if (await input.isVisible()) await input.press('Escape', { timeout: 3000 }).catch(() => {});
      return appears(input, 1000, 'hidden');
    };
    await this.until(isClosed, 'The picker stays open after the Escape key.');
  }

  /** Returns the text field of the open picker or input box. */
  quickInput() {
    return this.page.locator('.quick-input-widget:visible .quick-input-box input').first();
  }

  /** Returns the row of the open picker with exactly this label. */
  quickRow(label) {
    const name = this.page.locator('.label-name').filter({ hasText: new RegExp(`^\\s*${escaped(label)}\\s*$`) });
    return this.page.locator('.quick-input-widget:visible .monaco-list-row').filter({ has: name }).first();
  }

  /** Resolves with the labels that the open picker shows. */
  async quickLabels() {
    return this.page.locator('.quick-input-widget:visible .monaco-list-row .label-name').allInnerTexts();
  }

  /** Selects a row of the picker that a command has opened. */
  async pick(label) {
    await this.quickInput().waitFor();
    const row = this.quickRow(label);
    if (!(await appears(row, 1000))) await this.quickInput().fill(label);
    await row.click();
  }

  /** Selects an entry of the open context menu. VS Code ignores the mouse in the first 100 ms of a menu. */
  async pickFromMenu(name) {
    const entry = this.page.locator('.monaco-menu .action-label', { hasText: name });
    await entry.waitFor();
    const isClosed = async () => {
      if (await entry.isVisible()) await entry.click({ timeout: 1000 }).catch(() => {});
      return !(await entry.isVisible());
    };
    await this.until(isClosed, `The menu stays open after clicks on "${name}".`);
  }

  /**
   * Moves through the open menu, or the list of quick fixes, with the arrow keys, and presses Enter on an entry.
   * @param {string} name
   */
  async pickByKeyboard(name) {
    const focused = this.page.locator('.monaco-menu .action-item.focused, .action-widget .monaco-list-row.focused');
    await this.page.locator('.monaco-menu, .action-widget').getByText(name, { exact: true }).first().waitFor();
    const isThere = async () => {
      if ((await focused.count()) > 0 && (await focused.first().innerText()).trim().startsWith(name)) return true;
      await this.page.keyboard.press('ArrowDown');
      return false;
    };
    await this.until(isThere, `The arrow keys do not reach "${name}".`);
    await this.page.keyboard.press('Enter');
    await focused.first().waitFor({ state: 'hidden' });
  }

  /**
   * Answers the input box that a command has opened. If several steps follow each other, give the title of each: the
   * box of a step stays visible for a moment after Enter, and would take the next answer.
   * @param {string} text @param {string} [title]
   */
  async answer(text, title) {
    if (title !== undefined) {
      await this.page.locator('.quick-input-widget:visible .quick-input-title').filter({ hasText: title }).waitFor();
    }
    await this.quickInput().fill(text);
    await this.page.keyboard.press('Enter');
  }

  /** Enters the path of a file in the dialog that opens or saves one. @param {string} file  absolute */
  async answerFile(file) {
    const input = this.quickInput();
    await this.page.locator('.quick-input-widget:visible .quick-input-title').waitFor();
    // The dialog first fills in its folder, which would overwrite text that was typed before; it also completes names.
    const hasFolder = async () => (await input.inputValue()) !== '';
    await this.until(hasFolder, 'The dialog for a file shows no folder.');
    for (let attempt = 1; attempt <= 5; attempt++) {
      await input.fill(file);
      await this.page.waitForTimeout(500);
      if ((await input.inputValue()) === file) break;
    }
    await this.page.locator('.quick-input-widget:visible .quick-input-action .monaco-button').first().click();
    await input.waitFor({ state: 'hidden' });
  }

  /** Returns a modal dialog. @param {string | RegExp} [text] */
  dialog(text = '') {
    return this.page.locator('.monaco-dialog-box').filter({ hasText: text });
  }

  /** Returns a visible notification. Its buttons have roles. @param {string | RegExp} [text] */
  notification(text = '') {
    return this.page.locator('.notifications-toasts .notification-toast').filter({ hasText: text });
  }

  /**
   * Presses a button of a notification. A notification that was hidden by time or the Escape key is in the list behind
   * the bell.
   * @param {string | RegExp} text @param {string} button
   * @param {{ isHidden?: boolean }} [options]  `isHidden`: it is behind the bell already; do not wait for it
   */
  async answerNotification(text, button, { isHidden = false } = {}) {
    let notification = this.notification(text).first();
    if (isHidden || !(await appears(notification, 10_000))) {
      await this.page.locator('[id="status.notifications"]').click();
      notification = this.page
        .locator('.notifications-center .notification-list-item')
        .filter({ hasText: text })
        .first();
    }
    await notification.hover();
    await notification.getByRole('button', { name: button, exact: true }).click();
  }

  /** Returns an item of the status bar by the id that its extension gave it. */
  status(id = 'tiller.status') {
    return this.page.locator(`.statusbar [id="${EXTENSION}.${id}"]`);
  }

  // ── Side bars ─────────────────────────────────────────────────────────────────────────────────────────────────

  /** Returns the icon or tab of a view container, in any bar. */
  viewTab(title) {
    const bars = this.page.locator('.part.activitybar, .part.auxiliarybar .composite-bar, .part.panel .composite-bar');
    return bars.locator(`.action-item a.action-label[aria-label^="${title}"]`).first();
  }

  /**
   * Resolves with true if the tab of a view container is the active one of its bar: its view is visible, or will be
   * soon.
   */
  async isViewTabActive(title) {
    const tab = this.viewTab(title).filter({ visible: true });
    return (await tab.locator('xpath=ancestor::li[contains(@class, "checked")]').count()) > 0;
  }

  /** Resolves with the number on the tab of Tiller's view; 0 if it has none. */
  async badge() {
    const item = '.composite-bar .action-item:has(a.action-label[aria-label^="Tiller"])';
    const badge = this.page.locator(`${item} .badge-content`).filter({ visible: true });
    return (await badge.count()) === 0 ? 0 : Number(await badge.first().textContent());
  }

  /**
   * Returns the bar beside the editors that contains Tiller's view: the secondary side bar, if this VS Code has one.
   */
  sideBar() {
    const view = this.page.locator('.pane-body[id*="tiller"], .composite.title:has-text("Tiller")').first();
    return this.page.locator('.part.auxiliarybar, .part.sidebar').filter({ has: view }).first();
  }

  /** Shows Tiller's view and waits for its page. Has no effect if it is open. */
  async openChat() {
    if (!(await this.chatFrame().isVisible())) {
      const tab = this.viewTab('Tiller');
      if (await tab.isVisible()) await tab.click();
      else await this.command('View: Toggle Tiller');
    }
    await this.chatFrame().waitFor();
    await this.chat().locator('body').waitFor();
    return this.chat();
  }

  /** Hides the secondary side bar with Tiller's view in it, unless it is hidden already. */
  async hideChat() {
    if (await this.chatFrame().isVisible()) await this.command('View: Hide Secondary Side Bar');
    await this.chatFrame().waitFor({ state: 'hidden' });
  }

  /** Returns the frame that VS Code puts around the view. It is visible if and only if the view is. */
  chatFrame() {
    return this.webviewFrame({ view: true });
  }

  /** Returns the content of Tiller's view, for queries by role, name and test id. */
  chat() {
    return inside(this.chatFrame());
  }

  /** Returns a webview of Tiller: a view of a side bar, or an editor tab. */
  webviewFrame({ view = false, extension = EXTENSION } = {}) {
    // An editor names the frame that covers it.
    const ofEditor = '//*[starts-with(@id, "webview-editor-element")]/@aria-flowto';
    const frame = view
      ? `iframe.webview[src*="extensionId=${extension}"]`
      : `xpath=//iframe[contains(@src, "extensionId=${extension}")][@name = ${ofEditor}]`;
    return this.page.locator(frame).filter({ visible: true }).first();
  }

  webview(options) {
    return inside(this.webviewFrame(options));
  }

  /** Resolves with the width of the secondary side bar in pixels; 0 while it is hidden. */
  async sideBarWidth() {
    const bar = this.page.locator('.part.auxiliarybar:visible');
    return (await bar.count()) === 0 ? 0 : Math.round((await bar.boundingBox())?.width ?? 0);
  }

  /** Drags the edge of the secondary side bar until it has this width. Resolves with its actual width. */
  async resizeSideBar(width) {
    const bar = this.page.locator('.part.auxiliarybar');
    const box = await bar.boundingBox();
    if (!box) throw new Error('The secondary side bar is not open.');
    const y = box.y + box.height / 2;
    await this.page.mouse.move(box.x - 2, y);
    // The edge must be hovered for a moment before it can be dragged.
    await this.page.waitForTimeout(400);
    await this.page.mouse.down();
    await this.page.mouse.move(box.x - 2 + box.width - width, y, { steps: 5 });
    await this.page.mouse.up();
    return Math.round((await bar.boundingBox())?.width ?? 0);
  }

  // ── Editors ───────────────────────────────────────────────────────────────────────────────────────────────────

  /** Returns a tab by the name that it shows. */
  tab(name) {
    const ends = [`="${name}"`, `^="${name},"`, `^="${name} "`];
    return this.page.locator(ends.map((end) => `.part.editor .tab[aria-label${end}]`).join(', ')).first();
  }

  /** Closes a tab by its own button. */
  async closeTab(name) {
    await this.tab(name).hover();
    await this.tab(name)
      .getByRole('button', { name: /^Close/ })
      .click();
    await this.tab(name).waitFor({ state: 'detached' });
  }

  /** Closes an editor that VS Code shows over the others, such as that of workspace trust or of the settings. */
  async closeModalEditor() {
    const editor = this.page.locator('.monaco-modal-editor-block');
    await editor.getByRole('button', { name: /^Close Modal Editor/ }).click();
    await editor.waitFor({ state: 'hidden' });
  }

  /** Resolves to true if the tab is marked as having unsaved changes. */
  async isDirty(name) {
    return this.tab(name).evaluate((tab) => tab.classList.contains('dirty'));
  }

  /** Returns the text editor of the active group, unless it is part of a diff editor. */
  editor() {
    return this.page.locator('.editor-group-container.active .editor-instance > .monaco-editor:visible').first();
  }

  /** Resolves with the visible lines of an editor. @param {Locator} [editor] */
  async text(editor = this.editor()) {
    // The DOM has the lines in any order, with no-break spaces.
    const lines = await editor
      // This leaves out the deleted lines that a diff shows between the others.
      .locator('.lines-content > .view-lines > .view-line')
      .evaluateAll((lines) =>
        lines.map((line) => ({ top: Number.parseInt(line.style.top, 10), text: line.textContent ?? '' })),
      );
    const inOrder = lines.toSorted((a, b) => a.top - b.top).map(({ text }) => text);
    return inOrder.join('\n').replaceAll('\u00a0', ' ').replaceAll('\u200b', '');
  }

  /** Clicks on the line that shows `line`, moves the cursor to its end, and types. */
  async typeAfter(line, text, editor = this.editor()) {
    // Playwright treats a no-break space as a space.
    await editor.locator('.view-line').filter({ hasText: line }).first().click();
    await this.page.keyboard.press('End');
    await this.page.keyboard.type(text);
  }

  /** Returns the visible diff editor; `original` and `modified` are its two sides. */
  diff() {
    const root = this.page.locator('.editor-instance .monaco-diff-editor:visible').first();
    return { root, original: root.locator('.editor.original'), modified: root.locator('.editor.modified') };
  }

  /** Resolves with both sides of the visible diff, as far as they are scrolled into view. */
  async diffText() {
    const { original, modified } = this.diff();
    await modified.locator('.view-line').first().waitFor();
    return { original: await this.text(original), modified: await this.text(modified) };
  }

  /** Presses VS Code's own arrow beside a line of the right side. It reverts the block of that line. */
  async revertBlock(line) {
    const { root, modified } = this.diff();
    const shown = modified.locator('.view-line').filter({ hasText: line }).first();
    await shown.hover();
    const wanted = (await shown.boundingBox())?.y ?? 0;
    const arrows = await root.getByRole('button', { name: /^Revert/ }).all();
    const places = await Promise.all(arrows.map(async (arrow) => ({ arrow, box: await arrow.boundingBox() })));
    const distance = ({ box }) => (box === null ? Number.POSITIVE_INFINITY : Math.abs(box.y - wanted));
    const [nearest] = places.toSorted((one, other) => distance(one) - distance(other));
    if (nearest === undefined) throw new Error(`There is no arrow beside "${line}".`);
    await nearest.arrow.click();
  }

  /** Returns the multi-diff editor. */
  multiDiff() {
    const root = this.page.locator('.multiDiffEditor');
    return { root, files: root.locator('.multiDiffEntry') };
  }

  /** Returns a visible code lens: VS Code leaves those of an editor that is no longer shown in the page. */
  codeLens(text) {
    return this.page.locator('.codelens-decoration a').filter({ hasText: text, visible: true });
  }

  /** Returns a button in the title of the active editor, by the title of its command. */
  titleAction(name) {
    const title = this.page.locator('.editor-group-container.active').locator('.editor-actions, .title-actions');
    return title.locator(`a.action-label[aria-label^="${name}"]`);
  }

  /** Returns a file in the explorer. */
  explorerItem(name) {
    return this.page.locator('.explorer-folders-view .monaco-list-row').filter({ hasText: name }).first();
  }

  /** Returns a changed file in the Source Control view. */
  changedFile(name) {
    return this.page.locator('.scm-view .monaco-list-row .resource').filter({ hasText: name }).first();
  }

  /** Returns the field for the commit message. */
  commitField() {
    return this.page.locator('.scm-view .scm-editor .monaco-editor').first();
  }

  /**
   * Returns a button in the title of a view of the side bar, and moves the mouse there: the button is only shown under
   * it.
   */
  async viewAction(view, name) {
    const pane = this.page.locator('.part.sidebar .pane-header').filter({ hasText: view }).first();
    await pane.hover();
    return pane.locator(`a.action-label[aria-label^="${name}"]`);
  }

  /** Returns a row of the Testing view. */
  testRow(name) {
    return this.page.locator('.test-explorer .monaco-list-row').filter({ hasText: name }).first();
  }

  /** Resolves with the names of all visible rows of the explorer. */
  explorerRows() {
    return this.page.locator('.explorer-folders-view .monaco-list-row').allTextContents();
  }

  /**
   * Starts to record the rows of the explorer. The returned function resolves with the names of all rows that were
   * shown since, even if only for one frame.
   */
  async watchExplorerRows() {
    const seen = await this.page.evaluateHandle(() => {
      const names = new Set();
      const read = () => {
        for (const row of document.querySelectorAll('.explorer-folders-view .monaco-list-row'))
          names.add(row.textContent);
      };
      read();
      new MutationObserver(read).observe(document.body, { subtree: true, childList: true, characterData: true });
      return names;
    });
    return () => seen.evaluate((names) => [...names]);
  }
}

/** Returns the content of a webview, which is a document within a document. */
function inside(frame) {
  return frame.contentFrame().locator('iframe#active-frame').contentFrame();
}

/** @param {Locator} locator @param {number} timeout @param {'visible' | 'hidden'} [state] */
function appears(locator, timeout, state = 'visible') {
  return locator.waitFor({ timeout, state }).then(
    () => true,
    () => false,
  );
}

function escaped(text) {
  return text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
}
