/** The story of the mock: retries that never end, and their cure. */
import type { FileChangeSummary } from '../../../src/protocol/item.ts';
import type { Script } from './script.ts';

export const ASK =
  'The fetch client retries for ever when the API is down. Cap it at 4 attempts with back-off, see @src/http/client.ts, and add a test.';

export const THREE_FILES: FileChangeSummary[] = [
  { path: 'src/http/client.ts', kind: 'update', added: 12, removed: 5 },
  { path: 'src/http/retry.ts', kind: 'update', added: 9, removed: 2 },
  { path: 'test/retry.test.ts', kind: 'add', added: 21, removed: 0 },
];

export const THREE_FILES_DIFF = `diff --git a/src/http/client.ts b/src/http/client.ts
--- a/src/http/client.ts
+++ b/src/http/client.ts
@@ -14,3 +14,4 @@ get() {
     const url = new URL(path, this.options.baseUrl);
-    for (let attempt = 0; ; attempt++) {
+    const policy = this.options.retry ?? defaultPolicy;
+    for (let attempt = 1; ; attempt++) {
       const response = await fetch(url, { signal });
@@ -18,2 +19,2 @@ get() {
-      if (!isTransient(response.status)) throw new HttpError(response);
+      if (!shouldRetry(response, attempt, policy)) throw new HttpError(response);
       await delay(delayFor(attempt, policy), signal);
diff --git a/src/http/retry.ts b/src/http/retry.ts
--- a/src/http/retry.ts
+++ b/src/http/retry.ts
@@ -8,0 +9,3 @@
+export function shouldRetry(response: Response, attempt: number, policy: RetryPolicy) {
+  return isTransient(response.status) && attempt < policy.limit;
+}
diff --git a/test/retry.test.ts b/test/retry.test.ts
new file mode 100644
--- /dev/null
+++ b/test/retry.test.ts
@@ -0,0 +1,2 @@
+import { expect, test } from 'vitest';
+import { shouldRetry } from '../src/http/retry';
`;

export const CODE = `\`\`\`ts src/http/retry.ts
export function shouldRetry(attempt: number, policy: RetryPolicy): boolean {
  return attempt < policy.limit; // 4 by default
}
`;

const [green, red, dim, off] = ['\u001b[32m', '\u001b[31m', '\u001b[2m', '\u001b[0m'];

export const LIVE_OUTPUT = `${dim}> acme-web@2.4.0 test${off}
${dim}> vitest run retry${off}

 ${green}✓${off} test/retry.test.ts ${dim}(6)${off}
   ${green}✓${off} waits twice as long each time ${dim}212 ms${off}
   ${green}✓${off} stops at the limit ${dim}48 ms${off}
   ${dim}·${off} honours an abort while waiting`;

export const FAILED_OUTPUT = ` ${red}FAIL${off}  test/retry.test.ts ${dim}>${off} stops at the limit
 ${red}AssertionError:${off} expected 5 to be 4
   ${dim}❯${off} test/retry.test.ts:21:28
     ${dim}20|${off} await expect(call()).rejects.toThrow();
     ${dim}21|${off} expect(fetch).toHaveBeenCalledTimes(4);

 Tests  ${red}1 failed${off} ${dim}|${off} ${green}127 passed${off} ${dim}(128)${off}`;

/** Adds the beginning of every turn of the story. */
export function looksAround(script: Script): Script {
  return script
    .thinks(
      '**Inspecting the fetch client**\n\nThe loop in `get()` has no bound: `delayFor` is called with an ever larger attempt. A limit already exists in `RetryPolicy.limit`, but only `post()` reads it.\n\n**Considering one gate**\n\nSo the smallest honest change is to move the check into one place, `shouldRetry()`, and let both callers use it.',
    )
    .ran('cat src/http/client.ts src/http/retry.ts test/retry.test.ts package.json', 'export class Client {}\n')
    .ran("rg 'delayFor('", 'src/http/client.ts:18\n');
}

const sgr = (codes: string, text: string) => `\u001b[${codes}m${text}${off}`;
const eight = (from: number) =>
  Array.from({ length: 8 }, (_, index) => sgr(String(from + index), ` ${from + index} `)).join('');

/** All the ways to colour a terminal. */
export const COLOURS = [
  `${sgr('1;42', ' PASS ')} ${sgr('1;97;41', ' FAIL ')} ${sgr('7', ' inverse ')} ${sgr('7;31', ' inverse red ')}`,
  ...[30, 90, 40, 100].map(eight),
  Array.from({ length: 36 }, (_, index) => sgr(`38;5;${16 + index * 6}`, '■')).join(''),
  Array.from({ length: 36 }, (_, index) => sgr(`48;5;${16 + index * 6}`, 'x')).join(''),
  Array.from({ length: 24 }, (_, index) => sgr(`38;5;${232 + index}`, 'g')).join(''),
  Array.from({ length: 36 }, (_, index) => sgr(`38;2;${255 - index * 7};${index * 7};128`, '▒')).join(''),
  `${sgr('38;2;250;250;200;48;2;255;255;255', 'hidden on white')} ${sgr('38:2::20:20:20', 'near black')} ${sgr('30;40', 'black on black')}`,
  sgr('38;2;200;60;60;48;2;60;0;0', '-  for (;;) {') +
    sgr('38;2;120;220;120;48;2;0;50;0', '+  for (let n = 0; n < 4; n++) {'),
].join('\n');

const TICK = '`';

/** An answer with every element that answers contain besides plain prose. */
export const ANSWER = String.raw`# Back-off

## The formula

The bound is \(b_n = \min(30, \frac{2^n}{4})\) seconds, so

$$
\sum_{n=0}^{6} b_n = \int_0^7 b(x)\,dx \approx 31.75
$$

It costs $5 and not $10, in ${TICK}$HOME${TICK}.

### Steps

- [x] read [client.ts](client.ts:14) and [the plan](docs/my%20plan.md#L3)
- [ ] run the checks:
  ${TICK}${TICK}${TICK}sh
  npm test -- retry
  ${TICK}${TICK}${TICK}

> A quotation of two lines,
> without a slab behind it.

| Attempt | Delay in milliseconds | Where it is computed | Retryable |
|:--|--:|---|:-:|
| first | 1,200 | ${TICK}src/http/retry.ts:9${TICK} | yes |
| second | 2,400 | ${TICK}delayFor()${TICK} | unfortunately |

שלום ${TICK}retry.ts${TICK} עולם.

- פריט ראשון

![The curve](curve.svg)

![Elsewhere](https://example.com/a.png)

${TICK}${TICK}${TICK}console
$ npm ci
added 3 packages
$ npm test
${TICK}${TICK}${TICK}

${TICK}${TICK}${TICK}diff
--- a/src/a.ts
+++ b/src/a.ts
@@ -1 +1 @@
-one
+two
${TICK}${TICK}${TICK}

${TICK}${TICK}${TICK}mermaid
graph TD; A-->B
${TICK}${TICK}${TICK}
`;
