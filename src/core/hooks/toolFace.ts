import type { ToolPayload } from '../tools/handler.ts';

/** A call under one name. */
export interface ToolFace {
  readonly name: string;
  /**
   * The same call as other tools of the product, or as the tool of another version: the hook gets the first one of all that
   * its matcher matches.
   */
  readonly others?: readonly ToolFace[];
  readonly input: Readonly<Record<string, unknown>>;
  /** Returns the arguments of the tool after a change by a hook; `undefined` where they cannot be made from it. */
  readonly updated: (input: Readonly<Record<string, unknown>>) => ToolPayload | undefined;
  /** `tool_response` of PostToolUse. */
  readonly response: (text: string, success: boolean) => unknown;
}
