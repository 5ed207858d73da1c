/**
 * The messages between the extension host and the page "Rules and Approvals". A page is always opened by the same build
 * as the host and closes with its window, so messages need no build id.
 */
import * as z from 'zod';
import { type CommandExplanation, type RuleEditResult, ruleEditSchema, type RulesOverview } from './rules.ts';
import { lazyVariant } from './lazyObject.ts';

/** The state that the page shows. */
export interface RulesPageState {
  readonly overview: RulesOverview;
  /** `null` without a folder. */
  readonly workspaceName: string | null;
  /** The path of the folder; the page shows paths inside it relative to it. `null` without a folder. */
  readonly workspaceFolder: string | null;
  /** True if there is a thread that can remember approvals. */
  readonly hasThread: boolean;
  /** False if the workspace is not trusted: then its own rules are ignored. */
  readonly trusted: boolean;
}

/** Sent by the host; trusted by the page. */
export type RulesHostMessage =
  | {
      readonly type: 'rules';
      readonly state: RulesPageState;
      /** Translated texts by their English original. */
      readonly texts: Readonly<Record<string, string>>;
    }
  | { readonly type: 'edited'; readonly requestId: number; readonly result: RuleEditResult }
  | { readonly type: 'explained'; readonly command: string; readonly explanation: CommandExplanation };

/** Sent by the page; the host validates it first. */
export const rulesPageMessageSchema = z.discriminatedUnion('type', [
  lazyVariant('ready', () => ({})),
  lazyVariant('edit', () => ({ requestId: z.number().int(), edit: ruleEditSchema })),
  /** Asks for the decision about this command, and its reason. */
  lazyVariant('explain', () => ({ command: z.string() })),
  lazyVariant('open_file', () => ({ path: z.string(), line: z.number().int().positive().optional() })),
  lazyVariant('import', () => ({})),
  lazyVariant('show_audit', () => ({})),
]);
export type RulesPageMessage = z.infer<typeof rulesPageMessageSchema>;
