import type { Workbench } from '../../../scripts/vscode/page.mjs';

const TURN_LIMIT_MS = 60_000;

/** Evaluated in a page. */
const PLACE_OF_FOCUS = `(() => {
  const { activeElement: element } = document;
  const name = element?.getAttribute('data-testid') ?? element?.getAttribute('class') ?? '';
  return (element?.tagName.toLowerCase() ?? 'none') + ' ' + name + ' (document.hasFocus: ' + document.hasFocus() + ')';
})()`;

/** The chat panel as a user uses it, by docs/testids.md. */
export class Panel {
  readonly #vscode: () => Workbench;

  constructor(vscode: () => Workbench) {
    this.#vscode = vscode;
  }

  get page() {
    return this.#vscode().chat();
  }

  get(testid: string) {
    return this.page.getByTestId(testid);
  }

  /** Returns the element with the focus in the window and in the panel, and whether the panel has it: for messages of failures. */
  async focusPlace(): Promise<string> {
    const inWindow: string = await this.#vscode().page.evaluate(PLACE_OF_FOCUS);
    const inPanel: string = await this.page.locator('body').evaluate(PLACE_OF_FOCUS);
    return `window: ${inWindow}; panel: ${inPanel}`;
  }

  /** Shows the panel, as the palette does. Does nothing when it is shown. */
  async open(): Promise<void> {
    // A view that is being restored takes the focus, and would close the palette.
    if (!(await this.#vscode().isViewTabActive('Tiller'))) await this.#vscode().command('Tiller: Open Chat');
    await this.get('panel').waitFor();
  }

  /**
   * Gives the composer the focus by its key, and waits until VS Code has given it: VS Code takes it for a moment from a panel
   * that has it already, and keys of that moment are lost.
   */
  async focusByKey(): Promise<void> {
    const { page } = this.#vscode();
    const key = 'Control+Alt+l';
    const composer = this.get('composer-input');
    if (await composer.isVisible()) {
      const frame = await this.frame();
      await frame.evaluate(
        `void (globalThis.gotFocus = new Promise((done) => addEventListener("focus", done, { once: true })))`,
      );
      await page.keyboard.press(key);
      await frame.evaluate('gotFocus.then(() => true)');
    } else {
      await page.keyboard.press(key);
    }
    await composer.and(this.page.locator(':focus')).waitFor();
  }

  async newThread(): Promise<void> {
    await this.get('new-thread').click();
    await this.get('empty-ready').waitFor();
  }

  /** Replaces the text of the composer. A picker that closes at that moment takes the focus, and the text. */
  async write(text: string): Promise<void> {
    const field = this.get('composer-input');
    for (let attempt = 1; attempt <= 4; attempt++) {
      await field.fill(text);
      if ((await field.inputValue()) === text) return;
    }
    throw new Error(`The composer does not take "${text}".`);
  }

  /** Sends it by Enter, for a notification lies over the button for 10 s, and waits until it stands in the transcript. */
  async send(text: string): Promise<void> {
    const before = await this.get('user-message').count();
    await this.write(text);
    await this.get('composer-input').press('Enter');
    await this.get('user-message').nth(before).waitFor();
  }

  /** Waits until the newest turn is over. */
  async ended(status: 'completed' | 'aborted' = 'completed'): Promise<void> {
    await this.#over.waitFor({ timeout: TURN_LIMIT_MS });
    const ended = await this.get('turn').last().getAttribute('data-status');
    if (ended !== status) throw new Error(`The turn should be ${status} and is ${ended}.`);
  }

  get #over() {
    const over = this.page.locator('[data-status=completed], [data-status=aborted]');
    return this.get('turn').last().and(over);
  }

  lastMessage() {
    return this.get('agent-message').last();
  }

  /** The only decision that is shown. */
  get card() {
    return this.page.locator('.decide');
  }

  /** Waits until keys answer the card that has the focus: in the first half second they do not. */
  async takesKeys(): Promise<void> {
    await this.page.locator('.dock:not([data-holds-keys]) .decide :focus').waitFor();
  }

  approval(kind: 'command' | 'patch') {
    return this.get(`approval-${kind}`);
  }

  /** Presses a button of the card and waits until that card is gone. */
  async answer(testid = 'decision-approve'): Promise<void> {
    await this.get(testid).waitFor();
    const card = await this.card.elementHandle();
    await this.get(testid).click();
    await card?.waitForElementState('hidden');
  }

  async deny(word = ''): Promise<void> {
    await this.get('decision-deny').click();
    await this.get('decision-deny-word').fill(word);
    await this.answer('decision-deny-send');
  }

  /** Approves every request until the turn is over. Resolves with the requests. */
  async approveAll(): Promise<(string | null)[]> {
    const asked: (string | null)[] = [];
    for (;;) {
      await this.card.or(this.#over).first().waitFor({ timeout: TURN_LIMIT_MS });
      if (!(await this.card.isVisible())) return asked;
      asked.push(await this.card.getAttribute('data-testid'));
      await this.answer();
    }
  }

  /** The frame in which the panel’s code runs. */
  async frame() {
    const html = await this.page.locator('html').elementHandle();
    const frame = await html?.ownerFrame();
    if (!frame) throw new Error('The panel has no frame.');
    return frame;
  }
}
