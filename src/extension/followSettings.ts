import * as vscode from 'vscode';
import type { DisposableStore } from '../core/util/disposable.ts';
import { DEMO_PROVIDER, providerNamed, providerNames } from '../protocol/knownProviders.ts';
import { onSettingsChanged } from '../vscode/settings.ts';
import { contextKey } from '../vscode/ui/contextKey.ts';
import type { Agent } from './createAgent.ts';
import type { Editors } from './createEditors.ts';
import type { Host } from './createHost.ts';
import type { Panel } from './createPanel.ts';

/** Time limit for a local server to describe its models. */
const LEARN_WITHIN_MS = 5000;

/** Applies the settings, the trust of the workspace and its folders: now, and after each change. */
export function followSettings(
  { keys, settings, report }: Host,
  { review }: Editors,
  { threads, factory, http, inUse, otherPrograms, mcp }: Agent,
  { view, findings, comments, walkthrough, rules }: Panel,
  store: DisposableStore,
): void {
  // A local server knows the window of a model once it has loaded it; OpenRouter and Anthropic have those of all their models in a list.
  const learnWindow = () => {
    const server = inUse();
    if (server && server.model !== '') {
      http.learn(server.provider, server.model, LEARN_WITHIN_MS, { asksRemote: true }).catch(report);
    }
  };
  store.add(
    threads.onEvent(({ event }) => {
      if (event.msg.type === 'turn_completed') learnWindow();
    }),
  );
  const setHasModel = contextKey<boolean>('tiller.hasModel');
  const apply = () => {
    const read = settings();
    const servers = providerNames(read).flatMap((name) => providerNamed(read, name)?.baseUrl ?? []);
    keys.learn([...servers, ...(read.baseUrl === null ? [] : [read.baseUrl])]).catch(report);
    const hasModel = read.model !== null || read.provider === DEMO_PROVIDER;
    setHasModel(hasModel);
    if (hasModel) walkthrough.note('model');
    view.sendSettings();
    review.showQuickDiff(read.reviewQuickDiff);
    findings.isOn = read.comments !== 'off';
    comments.mode = read.comments;
    otherPrograms.isOn = read.reviewOtherPrograms;
    threads.modelMayBeThere().catch(report);
    mcp.controller.refresh().catch(report);
    learnWindow();
  };
  store.add(onSettingsChanged(apply));
  store.add(
    vscode.workspace.onDidGrantWorkspaceTrust(() => {
      // A thread that was started before trust was granted has a working directory outside of the workspace.
      if (threads.state)
        void threads.submit({ type: 'override_turn_context', cwd: factory.settings.cwd }).catch(report);
      apply();
      rules.announceProposals().catch(report);
    }),
  );
  store.add(vscode.workspace.onDidChangeWorkspaceFolders(apply));
  apply();
  rules.announceProposals().catch(report);
}
