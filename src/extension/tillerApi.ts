/**
 * The API that other extensions get from `activate` (docs/api.md). Types only, and the only file of ours that they
 * need: it may be copied. Incompatible changes raise `version`.
 */
import type * as vscode from 'vscode';

export interface TillerApi {
  readonly version: 1;
  /**
   * Offers a tool to the model, from the next turn on, in threads of trusted workspaces. Each call is asked about until the
   * user has allowed the tool as it is described. Dispose the result to withdraw it; calls that run fail then.
   *
   * `context`: that of the extension that registers the tool; its id and name are shown to the user. @throws TypeError for a
   * tool that cannot be offered; Error when the extension has a tool of this name
   */
  registerTool(context: vscode.ExtensionContext, tool: TillerTool): vscode.Disposable;
}

export interface TillerTool {
  /** 1 to 64 letters, digits, `_` and `-`. */
  readonly name: string;
  /** For the model, at most 8,000 characters: the effect of the tool and when it is to be called. */
  readonly description: string;
  /**
   * A JSON Schema of an object. Required arguments and the declared types of all arguments are checked before a call;
   * `enum`, ranges and nested values are not.
   */
  readonly inputSchema: Readonly<Record<string, unknown>>;
  /** Milliseconds of one call, above 0; default 60,000, at most 600,000. */
  readonly timeoutMs?: number;
  /**
   * Runs the tool. A rejection is a failed call: the model reads its message. `input` is as the model wrote it:
   * validate what `inputSchema` does not check.
   */
  invoke(input: Readonly<Record<string, unknown>>, call: TillerToolCall): TillerToolResult | Thenable<TillerToolResult>;
}

export interface TillerToolCall {
  /** The path of the folder in which the thread works. */
  readonly workingDirectory: string;
  /** Fires when the user stops the turn, the time is over, or the tool is withdrawn. */
  readonly token: vscode.CancellationToken;
}

/** A text, or texts and images in order. */
export type TillerToolResult = string | readonly TillerToolPart[];

export type TillerToolPart =
  | { readonly type: 'text'; readonly text: string }
  /** A `data:image/…;base64,…` URL of a PNG, JPEG, GIF or WebP image. */
  | { readonly type: 'image'; readonly url: string };
