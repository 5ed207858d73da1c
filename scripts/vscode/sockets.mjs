// Makes the messages between a window and its server cheaper: beside their text they take a third of the processor time of a
// window (docs/decisions/0080-messages-of-test-windows-cost-less.md).

/** @typedef {import('playwright-core').Page} Page */
/** @typedef {import('playwright-core').BrowserContext} BrowserContext */

/**
 * Windows that are opened in the context from now on get the bytes of a message. Otherwise a browser makes a blob of each
 * message, which VS Code asks the browser's process for.
 * @param {BrowserContext} context
 */
export async function giveBytes(context) {
  await context.addInitScript(() => {
    globalThis.WebSocket = class extends WebSocket {
      /** @param {ConstructorParameters<typeof WebSocket>} parameters */
      constructor(...parameters) {
        super(...parameters);
        this.binaryType = 'arraybuffer';
      }
    };
    globalThis.FileReader = class extends FileReader {
      /** @param {Blob | ArrayBuffer} content */
      readAsArrayBuffer(content) {
        if (content instanceof Blob) super.readAsArrayBuffer(content);
        else queueMicrotask(() => this.onload?.({ target: { result: content } }));
      }
    };
  });
}

/**
 * Playwright listens to everything that a page sends and receives, and cannot be configured not to: each message of VS Code is
 * sent to this process, too. This ends it in a page, whose responses are then unknown. Where Playwright has changed inside, nothing
 * happens but that the page costs more.
 * @param {Page} page
 */
export async function reportNoTraffic(page) {
  const inside = page._connection?.toImpl?.(page);
  // A page may close before.
  await inside?.delegate?._mainFrameSession?._client?.send('Network.disable').catch(() => {});
}
