import * as vscode from 'vscode';
import { proxyFor } from '../node/network/proxy/environmentProxy.ts';

/**
 * The proxy for a URL, as VS Code chooses it for requests of extensions: that of its settings, else that of the
 * environment. The proxies of the system, which VS Code asks for last, are not known. @throws ProxyFailure when the one
 * that is named is not usable
 */
export function machineProxy(url: URL): URL | undefined {
  const http = vscode.workspace.getConfiguration('http');
  if (http.get<string>('proxySupport') === 'off') return undefined;
  const named = http.get<string>('proxy', '');
  const exempt = http.get<readonly string[]>('noProxy', []);
  return proxyFor(url, {
    ...process.env,
    ...(URL.canParse(named) && { http_proxy: named, https_proxy: named }),
    ...(exempt.length > 0 && { no_proxy: exempt.join(',') }),
  });
}
