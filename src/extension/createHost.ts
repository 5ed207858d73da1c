import path from 'node:path';
import * as vscode from 'vscode';
import { secretsInSettings } from '../core/model/providerSecrets.ts';
import type { DisposableStore } from '../core/util/disposable.ts';
import { messageOf } from '../core/util/fileErrors.ts';
import { isOwnerRunning, ownerText } from '../node/host/processIdentity.ts';
import { createRedactor } from '../node/host/redact.ts';
import { WantedLinks } from '../node/host/wantedLinks.ts';
import { folderOfWindows, WindowStateFile } from '../node/storage/windowState.ts';
import { createNodePorts } from '../node/ports.ts';
import type { Settings } from '../protocol/settings.ts';
import { machineProxy } from './machineProxy.ts';
import { createChannel, createLog, type TailedLog } from '../vscode/log.ts';
import { KeyStore } from '../vscode/models/apiKeys.ts';
import { readSettings, warnOfSetting } from '../vscode/settings.ts';

/** Base services: the log, secrets, settings and Node's ports. */
export interface Host {
  /** Disposed of with the object graph. When the graph cannot be composed, the next attempt uses it again. */
  readonly channel: vscode.LogOutputChannel;
  readonly log: TailedLog;
  /** Logs an unexpected error. */
  readonly report: (error: unknown) => void;
  /** Logs an error and shows it to the user. */
  readonly tell: (error: unknown) => void;
  readonly redactor: ReturnType<typeof createRedactor>;
  readonly keys: KeyStore;
  readonly settings: () => Settings;
  readonly node: ReturnType<typeof createNodePorts>;
  readonly links: WantedLinks;
  /** Kept over a reload of the window. */
  readonly windowState: WindowStateFile;
}

/** Creates the base services. Reads no settings before they are asked for. */
export function createHost(context: vscode.ExtensionContext, store: DisposableStore): Host {
  const channel = createChannel();
  const redactor = createRedactor();
  const log = createLog(channel, (text) => redactor.redact(text));
  const links = new WantedLinks();
  const node = createNodePorts({
    roots: [],
    links,
    name: 'vscode',
    redactor,
    spareTerminals: path.join(vscode.env.appRoot, 'node_modules', 'node-pty'),
    appRoot: vscode.env.appRoot,
    afterKill: path.join(context.extensionUri.fsPath, 'dist', 'afterKill.js'),
    starter: path.join(context.extensionUri.fsPath, 'dist', 'starter.js'),
    baselineWorker: path.join(context.extensionUri.fsPath, 'dist', 'baselineWorker.js'),
    machineProxy,
    imageWorker: path.join(context.extensionUri.fsPath, 'dist', 'imageWorker.js'),
  });
  // Reading all settings takes about 10 ms. This listener is the first: the others already get the new ones.
  let known: Settings | undefined;
  store.add(vscode.workspace.onDidChangeConfiguration(() => (known = undefined)));
  const report = (error: unknown) => log.error('Tiller met an error of its own', error);
  return {
    channel,
    log,
    redactor,
    report,
    tell: (error) => {
      report(error);
      void vscode.window.showErrorMessage(messageOf(error));
    },
    keys: store.add(new KeyStore(context.secrets, (key) => redactor.hide(key))),
    settings: () => {
      if (known !== undefined) return known;
      const settings = readSettings(warnOfSetting);
      for (const secret of secretsInSettings(settings, node.host.environment)) redactor.hide(secret);
      known = settings;
      return settings;
    },
    node,
    links,
    windowState: new WindowStateFile({
      folder: context.storageUri && folderOfWindows(context.storageUri.fsPath),
      shared: context.workspaceState,
      processes: { own: ownerText(), isRunning: isOwnerRunning },
      report,
    }),
  };
}
