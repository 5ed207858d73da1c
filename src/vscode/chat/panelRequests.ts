import path from 'node:path';
import * as vscode from 'vscode';
import type { TurnOverrides } from '../../protocol/op.ts';
import type { Rule, SandboxMode, SandboxPolicy } from '../../protocol/policy.ts';
import type { ThreadState } from '../../protocol/thread.ts';
import type { ThreadQuery, WayOut, WebviewMessage } from '../../protocol/wire.ts';
import { assertNever } from '../../core/util/assertNever.ts';
import type { ChatViewOptions } from './chatView.ts';
import { insertCode } from './editorText.ts';
import { pickBox, pickEffort, pickFile, pickMode } from './composerPickers.ts';

type PanelRequest = Parameters<ChatViewOptions['handle']>[0];
type Picked = Extract<WebviewMessage, { type: 'pick' }>['what'];

/** What a panel's request is carried out with. */
export interface PanelRequestHands {
  readonly state: () => ThreadState | null;
  /** For this thread, and for those begun from now on. */
  readonly override: (overrides: TurnOverrides) => void;
  /** A box of this kind, as the person's settings and the folders of this window make it. */
  readonly policyOf: (mode: SandboxMode) => SandboxPolicy;
  /** Answers with a `rule_preview`. */
  readonly previewRule: (approvalId: string, rule: Rule) => void;
  readonly chooseHunk: (choice: Extract<PanelRequest, { type: 'choose_hunk' }>) => Promise<void>;
  readonly openChange: (id: string, file: string | undefined) => Promise<void>;
  readonly openOutput: (itemId: string) => Promise<void>;
  readonly openTerminal: (processId: string) => void;
  readonly reviewFile: (path: string, what: 'keep' | 'undo' | 'open') => Promise<void>;
  readonly putBack: (quarantineId: string) => void;
  readonly settlePatch: (patchId: string, way: WayOut) => Promise<void>;
  readonly insertText: (text: string) => void;
  readonly threads: {
    readonly list: { open(query: ThreadQuery): void; close(): void };
    open(threadId: string): Promise<void>;
    rename(threadId: string, title: string): Promise<void>;
    remove(context: { readonly threadId: string }): Promise<void>;
    takeBack(threadId: string): Promise<void>;
    fork(context: { readonly itemId: string | null }): Promise<void>;
    takeOver(): Promise<void>;
  };
}

/** Carries out what the panel asks of the host. Rejects when VS Code does. */
export async function handlePanelRequest(message: PanelRequest, hands: PanelRequestHands): Promise<void> {
  switch (message.type) {
    case 'preview_rule':
      return hands.previewRule(message.approvalId, message.rule);
    case 'choose_hunk':
      return hands.chooseHunk(message);
    case 'open_diff':
      return hands.openChange(message.itemId, message.path);
    case 'open_file':
      return openFile(message.path, message.line, hands.state()?.settings?.cwd ?? hands.state()?.started?.cwd);
    case 'open_output':
      return hands.openOutput(message.itemId);
    case 'open_terminal':
      return hands.openTerminal(message.processId);
    case 'review_file':
      return hands.reviewFile(message.path, message.what);
    case 'put_back':
      return hands.putBack(message.quarantineId);
    case 'settle_patch':
      return hands.settlePatch(message.patchId, message.way);
    case 'list_threads':
      return hands.threads.list.open(message);
    case 'close_threads':
      return hands.threads.list.close();
    case 'open_thread':
      return hands.threads.open(message.threadId);
    case 'rename_thread':
      return hands.threads.rename(message.threadId, message.title);
    case 'delete_thread':
      return hands.threads.remove(message);
    case 'restore_thread':
      return hands.threads.takeBack(message.threadId);
    case 'fork_thread':
      return hands.threads.fork(message);
    case 'take_over':
      return hands.threads.takeOver();
    case 'open_link':
      await vscode.env.openExternal(vscode.Uri.parse(message.url, true));
      return;
    case 'copy':
      return vscode.env.clipboard.writeText(message.text);
    case 'insert_code':
      return insertCode(message.text);
    case 'run_command':
      await vscode.commands.executeCommand(message.command);
      return;
    case 'pick':
      return pick(message.what, hands);
    default:
      return assertNever(message);
  }
}

async function pick(what: Picked, hands: PanelRequestHands): Promise<void> {
  switch (what) {
    case 'model':
      await vscode.commands.executeCommand('tiller.selectModel');
      return;
    case 'openai':
    case 'endpoint':
      await vscode.commands.executeCommand('tiller.selectModel', what);
      return;
    case 'mode':
      return override(await pickMode(hands.policyOf), hands);
    case 'box':
      return override(await pickBox(hands.policyOf), hands);
    case 'effort':
      return override(await pickEffort(), hands);
    case 'context': {
      const file = await pickFile();
      if (file !== undefined) hands.insertText(`@${file} `);
      return;
    }
    default:
      return assertNever(what);
  }
}

function override(overrides: TurnOverrides | undefined, hands: PanelRequestHands): void {
  if (overrides) hands.override(overrides);
}

async function openFile(file: string, line: number | undefined, cwd: string | undefined): Promise<void> {
  const uri = vscode.Uri.file(path.resolve(cwd ?? '/', file));
  const position = new vscode.Position((line ?? 1) - 1, 0);
  const selection = line === undefined ? {} : { selection: new vscode.Range(position, position) };
  await vscode.window.showTextDocument(uri, { preview: true, ...selection });
}
