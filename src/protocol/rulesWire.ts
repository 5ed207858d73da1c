/**
 * The wire between the extension host and the page "Rules and Approvals". A page is opened by the build that speaks with
 * it and ends with its window, so nobody has to say of what build they are.
 */
import * as z from 'zod';
import { type CommandExplanation, type RuleEditResult, ruleEditSchema, type RulesOverview } from './rules.ts';

/** All the page shows. */
export interface RulesPageState {
  readonly overview: RulesOverview;
  /** `null` without a folder. */
  readonly workspaceName: string | null;
  /** Whether there is a thread that could remember something. */
  readonly hasThread: boolean;
  /** Nothing that the workspace brought is looked at where it is not trusted. */
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

/** Sent by the page; parsed by the host before anything is done with it. */
export const rulesPageMessageSchema = z.discriminatedUnion('type', [
  z.object({ type: z.literal('ready') }),
  z.object({ type: z.literal('edit'), requestId: z.number().int(), edit: ruleEditSchema }),
  /** What would happen to this command, and why? */
  z.object({ type: z.literal('explain'), command: z.string() }),
  z.object({ type: z.literal('open_file'), path: z.string(), line: z.number().int().positive().optional() }),
  z.object({ type: z.literal('import') }),
  z.object({ type: z.literal('show_audit') }),
]);
export type RulesPageMessage = z.infer<typeof rulesPageMessageSchema>;
