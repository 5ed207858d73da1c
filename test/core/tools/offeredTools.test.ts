/** The tools that a model is offered, and their form: families × servers × wires. */
import type { WireApi } from '../../../src/protocol/providers.ts';
import { RefusedFields } from '../../../src/core/model/fieldFallback.ts';
import { expect, test } from 'vitest';
import { bodiesOf } from '../../../src/core/model/bodies.ts';
import { capabilitiesOf, type Dialect } from '../../../src/core/model/families.ts';
import { Toolset } from '../../../src/core/session/toolset.ts';
import { prompt } from '../model/harness.ts';
import { THREAD_DEFAULTS } from '../../support/threadDefaults.ts';
import { TOOL_OPTIONS } from '../../support/toolOptions.ts';

const MODELS = [
  'gpt-5.5',
  'gpt-5.2-codex',
  'gpt-5',
  'o3',
  'codex-mini-latest',
  'gpt-4.1',
  'gpt-oss',
  'demo',
  'mystery',
];
const DIALECTS: readonly Dialect[] = ['openai', 'azure', 'plain'];
const WIRES: readonly WireApi[] = ['responses', 'chat'];
const WEATHER = { name: 'weather', description: 'Tells the weather.', inputSchema: {} };

interface ToolOnTheWire {
  readonly type: string;
  readonly name?: string;
  readonly function?: { readonly name: string };
}

/** Type and name of each tool as it is sent to this model on this server. */
function offered(model: string, dialect: Dialect, wire: WireApi): string {
  const family = capabilitiesOf(model, dialect, wire);
  const toolset = new Toolset({
    rules: TOOL_OPTIONS.rules,
    settings: { ...THREAD_DEFAULTS.tools, problemsAfterPatch: 'off', unreadable: [], memory: false },
    readMemory: async () => undefined,
    host: { isTrusted: () => true },
    onRejected: () => {},
  });
  toolset.register([WEATHER]);
  const registry = toolset.registryFor(family);
  const said = prompt({ model, tools: registry.specs, parallelToolCalls: family.parallelToolCalls });
  const server = { baseUrl: '', dialect };
  const body = bodiesOf(wire, server, new RefusedFields()).build(said);
  const { tools } = JSON.parse(body.text) as { tools: ToolOnTheWire[] };
  return tools.map((tool) => [tool.type, tool.name ?? tool.function?.name].filter(Boolean).join(':')).join(' ');
}

test('the list of tools of every family at every server', () => {
  const lines = MODELS.flatMap((model) =>
    DIALECTS.flatMap((dialect) => WIRES.map((wire) => `${model} ${dialect} ${wire}: ${offered(model, dialect, wire)}`)),
  );
  expect(lines).toMatchSnapshot();
});

test('an unknown model, and an unknown server, are offered functions only', () => {
  for (const wire of WIRES) {
    for (const model of MODELS) expect(offered(model, 'plain', wire)).toMatch(/^(?:function:\w+ ?)+$/);
    expect(offered('mystery', 'openai', wire)).toMatch(/^(?:function:\w+ ?)+$/);
  }
});
