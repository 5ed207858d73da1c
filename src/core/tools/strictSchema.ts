import type { JsonSchema, ToolSpec } from '../../protocol/toolSpec.ts';

/**
 * Returns the reason why a tool that demands strict arguments is not valid, with the property named: then every object
 * must list all of its properties as required and allow no others (`strict` of the Responses API). `undefined` for a
 * valid tool and one that is not strict.
 */
export function strictProblem(spec: ToolSpec | undefined): string | undefined {
  return spec?.type === 'function' && spec.strict ? problemIn(spec.parameters, 'arguments') : undefined;
}

/** Servers take no deeper strict schema (Structured Outputs: ten levels). */
const DEEPEST = 32;

function problemIn(schema: JsonSchema, at: string, depth = 0): string | undefined {
  if (depth > DEEPEST) return `${at.slice(0, 100)}… is nested too deeply`;
  if (schema.type === 'object' || schema.properties !== undefined) {
    if (schema.additionalProperties !== false) return `${at} must have additionalProperties: false`;
    const optional = Object.keys(schema.properties ?? {}).find((name) => !(schema.required ?? []).includes(name));
    if (optional !== undefined) return `${at}.${optional} must be required`;
  }
  const nested: readonly (readonly [string, JsonSchema])[] = [
    ...Object.entries(schema.properties ?? {}).map(([name, value]) => [`${at}.${name}`, value] as const),
    ...(schema.items === undefined ? [] : [[`${at}[]`, schema.items] as const]),
    ...(schema.anyOf ?? []).map((value) => [at, value] as const),
  ];
  for (const [place, value] of nested) {
    const problem = problemIn(value, place, depth + 1);
    if (problem !== undefined) return problem;
  }
  return undefined;
}
