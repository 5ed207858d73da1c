/**
 * Returns the fields of a form from the flat JSON Schema that an MCP server sends. A property of an unknown type
 * becomes a text field.
 */

export interface FormField {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly kind: 'text' | 'number' | 'boolean' | 'choice';
  readonly options: readonly string[];
  readonly initial: string | number | boolean;
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

export function formFieldsOf(schema: Readonly<Record<string, unknown>>): readonly FormField[] {
  const properties = isRecord(schema['properties']) ? schema['properties'] : {};
  return Object.entries(properties).map(([name, property]) => fieldOf(name, isRecord(property) ? property : {}));
}

function fieldOf(name: string, property: Readonly<Record<string, unknown>>): FormField {
  const { type, title, description, enum: choices, default: preset } = property;
  const options = Array.isArray(choices) ? choices.map(String) : [];
  const isNumber = type === 'number' || type === 'integer';
  const kind = options.length > 0 ? 'choice' : type === 'boolean' ? 'boolean' : isNumber ? 'number' : 'text';
  const isPlain = typeof preset === 'string' || typeof preset === 'number' || typeof preset === 'boolean';
  return {
    name,
    title: typeof title === 'string' ? title : name,
    description: typeof description === 'string' ? description : '',
    kind,
    options,
    initial: isPlain ? preset : kind === 'boolean' ? false : (options[0] ?? ''),
  };
}
