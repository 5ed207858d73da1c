/**
 * The description of a tool for the model (`ToolSpec` of Codex). It is in this layer because the tools and all wires
 * use it.
 */

/**
 * The subset of JSON Schema that every server understands. Do not change the order of keys, because it is part of the
 * prompt cache.
 */
export type JsonSchema = {
  readonly type?: string | readonly string[];
  readonly description?: string;
  readonly properties?: Readonly<Record<string, JsonSchema>>;
  readonly required?: readonly string[];
  readonly items?: JsonSchema;
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly anyOf?: readonly JsonSchema[];
  readonly additionalProperties?: boolean | JsonSchema;
};

/** A tool with typed arguments, sent as JSON. */
export interface FunctionToolSpec {
  readonly type: 'function';
  readonly name: string;
  readonly description: string;
  readonly strict: boolean;
  readonly parameters: JsonSchema;
}

/** A tool whose input is text with a grammar. */
export interface CustomToolSpec {
  readonly type: 'custom';
  readonly name: string;
  readonly description: string;
  readonly format: { readonly type: 'grammar'; readonly syntax: 'lark'; readonly definition: string };
}

export type ToolSpec =
  | FunctionToolSpec
  | CustomToolSpec
  | { readonly type: 'local_shell' }
  | { readonly type: 'web_search'; readonly external_web_access?: boolean };
