/** The content of the composer's model menu: models of the providers that the user has set up. */
import type { ReasoningEffort } from './op.ts';

export interface ModelRow {
  /** The id that the provider uses for the model. */
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
  /** True if the provider has more models than the message contains. */
  readonly isCut: boolean;
  readonly listing:
    | { readonly type: 'asking' }
    | { readonly type: 'listed' }
    /** The provider could not list its models; `problem` says why. `models` has those that are known from elsewhere. */
    | { readonly type: 'failed'; readonly problem: string };
  /** True if the user may enter the name of a model that the provider does not list. */
  readonly takesNames: boolean;
}

/** The model that is restored when the user chooses a chat mode. */
export interface ModelOfMode {
  readonly model: string;
  /** `null`: the default of the model. */
  readonly effort: ReasoningEffort | null;
}
