/** The user's proxy, as VS Code has it in its settings, carries what Tiller says to a model (libraries.md §4.1). */
import assert from 'node:assert/strict';
import { readFileSync, realpathSync } from 'node:fs';
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { suite, suiteSetup, suiteTeardown, test } from 'mocha';
import * as vscode from 'vscode';
import { networkFault } from '../../src/core/model/networkFaults.ts';
import { machineProxy } from '../../src/extension/machineProxy.ts';
import { createNodeFetch } from '../../src/node/network/fetch.ts';
import { webFetch } from '../../src/node/mcp/webFetch.ts';
import { ModelServer } from '../support/modelServer.ts';
import { startTlsFront, startTunnelProxy } from '../support/tlsFront.ts';

/** The key and certificate of the tests, beside the extension of the tests, which is linked into VS Code. */
function selfSigned(): string {
  const fixture = vscode.extensions.getExtension('tiller-dev.model-provider');
  assert.ok(fixture);
  return readFileSync(path.join(realpathSync(fixture.extensionPath), '../tls/selfSigned.pem'), 'utf8');
}

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
    await change('proxyStrictSSL', undefined);
    proxy.closeAllConnections();
    proxy.close();
  });

  for (const support of ['override', 'fallback', 'on']) {
    test(`is used for http and https where VS Code is set to "${support}"`, async () => {
      await change('proxySupport', support);
      asked.length = 0;
      const fetch = webFetch(createNodeFetch());
      const answer = await fetch('http://model.invalid/v1/responses', { method: 'POST', body: '{}' });
      assert.equal(await answer.text(), 'by proxy');
      const refused = await fetch('https://model.invalid/v1/responses', { method: 'POST', body: '{}' });
      assert.equal(refused.status, 407);
      assert.deepEqual(asked, ['http://model.invalid/v1/responses', 'model.invalid:443']);
    });
  }

  test('is the one of commands that may reach hosts, with the exceptions of VS Code', async () => {
    const address = settings().get('proxy');
    const uses = (url: string) => machineProxy(new URL(url))?.origin;
    try {
      await change('proxySupport', 'override');
      const urls = ['http://a.invalid/', 'https://b.a.invalid/', 'http://127.0.0.1:8080/', 'https://localhost/'];
      assert.deepEqual(urls.map(uses), [address, address, undefined, undefined]);
      await change('noProxy', ['.a.invalid']);
      assert.deepEqual(['https://b.a.invalid/', 'https://c.invalid/'].map(uses), [undefined, address]);
      await change('proxySupport', 'off');
      assert.equal(uses('https://c.invalid/'), undefined);
    } finally {
      await change('noProxy', undefined);
    }
  });

  for (const isStrict of [true, false]) {
    test(`opens a tunnel to https, in which the certificate is checked, with http.proxyStrictSSL: ${isStrict}`, async () => {
      await change('proxyStrictSSL', isStrict);
      await checksTheCertificate();
    });
  }

  async function checksTheCertificate(): Promise<void> {
    await using model = await ModelServer.start([]);
    await using front = await startTlsFront(model.baseUrl, selfSigned());
    await using tunnel = await startTunnelProxy(front.port);
    await change('proxySupport', 'override');
    await change('proxy', `http://127.0.0.1:${tunnel.port}`);
    const request = webFetch(createNodeFetch())('https://model.invalid/v1/responses', {
      method: 'POST',
      body: '{"input":[]}',
    });
    const error = await request.then(
      () => assert.fail('the certificate was trusted'),
      (failure: unknown) => failure,
    );
    const fault = networkFault(error, 'connecting');
    assert.deepEqual([fault.kind, fault.action], ['tls', 'check_network']);
    assert.match(fault.message, /http\.systemCertificates.*http\.proxyStrictSSL does not change that/);
    assert.equal(model.requests.length, 0);
    assert.deepEqual(new Set(tunnel.asked), new Set(['model.invalid:443']));
  }
});
