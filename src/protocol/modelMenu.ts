/** The content of the composer's model menu: models of the providers that the user has set up. */
import type { ReasoningEffort } from './op.ts';

export interface ModelRow {
  /** As its provider names it. */
  readonly id: string;
  /** The name for display. */
  readonly label: string;
  /** Facts about the model; may be empty. */
  readonly detail: string;
}

export interface ModelGroup {
  /** The id of the provider. */
  readonly provider: string;
  readonly title: string;
  readonly models: readonly ModelRow[];
  /** The provider has more models than the message. */
  readonly isCut: boolean;
  readonly listing:
    | { readonly type: 'asking' }
    | { readonly type: 'listed' }
    /** `problem`: why the provider does not list its models. `models` has those that are known otherwise. */
    | { readonly type: 'failed'; readonly problem: string };
  /** The provider takes names of models that it does not list. */
  readonly takesNames: boolean;
}

/** The model that a chat mode brings back. */
export interface ModelOfMode {
  readonly model: string;
  /** `null`: the default of the model. */
  readonly effort: ReasoningEffort | null;
}
