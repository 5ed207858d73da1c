/** The user's proxy, as VS Code has it in its settings, carries what Tiller says to a model (libraries.md §4.1). */
import assert from 'node:assert/strict';
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { suite, suiteSetup, suiteTeardown, test } from 'mocha';
import * as vscode from 'vscode';
import { createNodeFetch } from '../../src/node/network/fetch.ts';

suite('proxy', () => {
  /** The requests to it: a host by CONNECT, otherwise a URL. */
  const asked: string[] = [];
  const proxy = http.createServer((request, response) => {
    asked.push(request.url ?? '');
    response.end('by proxy');
  });
  proxy.on('connect', (request, socket) => {
    asked.push(request.url ?? '');
    socket.end('HTTP/1.1 407 Proxy Authentication Required\r\n\r\n');
  });
  const settings = () => vscode.workspace.getConfiguration('http');
  const change = (key: string, value: unknown) => settings().update(key, value, vscode.ConfigurationTarget.Global);

  suiteSetup(async () => {
    await new Promise<void>((resolve) => void proxy.listen(0, '127.0.0.1', resolve));
    await change('proxy', `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`);
  });
  suiteTeardown(async () => {
    await change('proxy', undefined);
    await change('proxySupport', undefined);
    proxy.closeAllConnections();
    proxy.close();
  });

  for (const support of ['override', 'fallback', 'on']) {
    test(`is used for http and https where VS Code is set to "${support}"`, async () => {
      await change('proxySupport', support);
      asked.length = 0;
      const fetch = createNodeFetch();
      const answer = await fetch('http://model.invalid/v1/responses', { method: 'POST', body: '{}' });
      assert.equal(await answer.text(), 'by proxy');
      const refused = await fetch('https://model.invalid/v1/responses', { method: 'POST', body: '{}' });
      assert.equal(refused.status, 407);
      assert.deepEqual(asked, ['http://model.invalid/v1/responses', 'model.invalid:443']);
    });
  }
});
