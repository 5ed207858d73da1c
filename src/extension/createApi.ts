import * as vscode from 'vscode';
import type { ExternalToolRegistry } from '../core/tools/external/registry.ts';
import { messageOf } from '../core/util/fileErrors.ts';
import type { ToolContentItem } from '../protocol/item.ts';
import { withToken } from '../vscode/ui/withToken.ts';
import type { TillerApi, TillerTool, TillerToolPart, TillerToolResult } from './tillerApi.ts';

const DEFAULT_TIMEOUT_MS = 60_000;
const MAX_TIMEOUT_MS = 600_000;

/** The API for other extensions. Part of the activation: loads nothing. */
export function createApi(registry: ExternalToolRegistry): TillerApi {
  return {
    version: 1,
    registerTool(context, tool) {
      const { id, packageJSON } = context.extension;
      check(tool);
      const displayName: unknown = packageJSON?.displayName;
      const { name, description, inputSchema, timeoutMs = DEFAULT_TIMEOUT_MS } = tool;
      const disposable = registry.register({
        owner: id.toLowerCase(),
        ownerName: typeof displayName === 'string' && displayName !== '' ? displayName : id,
        name,
        description,
        inputSchema: copyOf(name, inputSchema),
        timeoutMs,
        invoke: async (input, call) =>
          withToken(call.signal, async (token) => {
            const result = await tool.invoke(input, { workingDirectory: call.cwd, token });
            return contentOf(result);
          }),
      });
      return new vscode.Disposable(() => disposable.dispose());
    },
  };
}

/** A later change of the object must not change the approved definition. @throws TypeError */
function copyOf(name: string, inputSchema: TillerTool['inputSchema']): TillerTool['inputSchema'] {
  try {
    return JSON.parse(JSON.stringify(inputSchema)) as TillerTool['inputSchema'];
  } catch (error) {
    throw new TypeError(`${name}: inputSchema must be JSON: ${messageOf(error)}`, { cause: error });
  }
}

/** @throws TypeError */
function check(tool: TillerTool): void {
  const { name, description, inputSchema, timeoutMs } = tool;
  if (typeof name !== 'string' || !/^[A-Za-z0-9_-]{1,64}$/.test(name)) {
    throw new TypeError('The name of a tool has 1 to 64 letters, digits, _ and -.');
  }
  if (typeof description !== 'string' || description === '') throw new TypeError(`${name} needs a description.`);
  if (typeof inputSchema !== 'object' || inputSchema === null || Array.isArray(inputSchema)) {
    throw new TypeError(`${name}: inputSchema must be a JSON Schema of an object.`);
  }
  const { type, properties, required } = inputSchema;
  if (type !== undefined && type !== 'object') throw new TypeError(`${name}: the type of inputSchema must be object.`);
  if (
    properties !== undefined &&
    (typeof properties !== 'object' || properties === null || Array.isArray(properties))
  ) {
    throw new TypeError(`${name}: properties of inputSchema must be an object of schemas by name.`);
  }
  if (required !== undefined && !(Array.isArray(required) && required.every((each) => typeof each === 'string'))) {
    throw new TypeError(`${name}: required of inputSchema must be a list of names.`);
  }
  if (typeof tool.invoke !== 'function') throw new TypeError(`${name}: invoke must be a function.`);
  if (timeoutMs !== undefined && !(timeoutMs > 0 && timeoutMs <= MAX_TIMEOUT_MS)) {
    throw new TypeError(`${name}: timeoutMs must be above 0 and at most ${MAX_TIMEOUT_MS}.`);
  }
}

/** Validates the result of an extension's tool, which no compiler has checked. @throws TypeError */
function contentOf(result: TillerToolResult): readonly ToolContentItem[] {
  if (typeof result === 'string') return [{ type: 'input_text', text: result }];
  if (!Array.isArray(result)) throw new TypeError('it returned neither a text nor a list of texts and images');
  return result.map((part: TillerToolPart): ToolContentItem => {
    if (part?.type === 'text' && typeof part.text === 'string') return { type: 'input_text', text: part.text };
    if (part?.type === 'image' && typeof part.url === 'string') return { type: 'input_image', imageUrl: part.url };
    throw new TypeError('it returned a part that is neither a text nor an image');
  });
}
